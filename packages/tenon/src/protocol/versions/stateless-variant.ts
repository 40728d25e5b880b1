import { isObject, type JsonObject } from '@tenon/base';
import { LISTS } from '../lists.js';
import type { Dialect } from './dialect.js';

/** Messages of a server that are sent on the stream of a request, and so need no session. */
const RELATED_TO_REQUEST: ReadonlySet<string> = new Set([
  'notifications/progress',
  'notifications/message',
  'notifications/cancelled',
]);

const CLIENT_METHODS = /^(resources\/(un)?subscribe|logging\/setLevel|tasks\/.+)$/;

const variants = new WeakMap<Dialect, Dialect>();

/**
 * Returns the variant of a dialect for a server without sessions: without the features that need one. A dialect with
 * stateless requests is returned unchanged.
 */
export function withoutSession(dialect: Dialect): Dialect {
  if (dialect.opening === 'per-request') return dialect;
  const variant = variants.get(dialect) ?? omitSession(dialect);
  variants.set(dialect, variant);
  return variant;
}

function omitSession(dialect: Dialect): Dialect {
  const { http, methods, transforms } = dialect;
  const toInitialized = (result: JsonObject): JsonObject => {
    const encoded = transforms.encode.result?.('initialize')?.(result, {}) ?? result;
    return { ...encoded, capabilities: omitCapabilities(encoded.capabilities) };
  };
  const sessionMethods = filterNames(methods.client, name => CLIENT_METHODS.test(name));
  return {
    ...dialect,
    sessionMethods,
    tasks: undefined,
    http: { ...http, sessions: false, priming: false },
    methods: {
      client: filterNames(methods.client, name => !sessionMethods.has(name)),
      server: filterNames(methods.server, name => RELATED_TO_REQUEST.has(name)),
    },
    transforms: {
      ...transforms,
      encode: {
        ...transforms.encode,
        result: method => (method === 'initialize' ? toInitialized : transforms.encode.result?.(method)),
      },
    },
  };
}

function filterNames(names: ReadonlySet<string>, keep: (name: string) => boolean): ReadonlySet<string> {
  return new Set([...names].filter(keep));
}

/** Removes the capabilities for tasks and for notifications that need a session. */
function omitCapabilities(capabilities: unknown): JsonObject {
  if (!isObject(capabilities)) return {};
  const { tasks: _, ...rest } = capabilities;
  for (const name of LISTS) {
    const capability = rest[name];
    if (!isObject(capability)) continue;
    const { listChanged, subscribe, ...others } = capability;
    rest[name] = others;
  }
  return rest;
}
