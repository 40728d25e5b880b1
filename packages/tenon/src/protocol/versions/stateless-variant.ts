import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import type { Dialect } from './dialect.js';

/** The messages of a server that go on the stream of a request, and so need no session. */
const RELATED_TO_REQUEST: ReadonlySet<string> = new Set([
  'notifications/progress',
  'notifications/message',
  'notifications/cancelled',
]);

const CLIENT_METHODS = /^(resources\/(un)?subscribe|logging\/setLevel|tasks\/.+)$/;

const variants = new WeakMap<Dialect, Dialect>();

/**
 * Returns a version that has sessions as a server speaks it that keeps none: without what needs one. A version in which
 * each request stands alone is returned as it is.
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
    const encoded = transforms.encode.result('initialize')?.(result, {}) ?? result;
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
        result: method => (method === 'initialize' ? toInitialized : transforms.encode.result(method)),
      },
    },
  };
}

function filterNames(names: ReadonlySet<string>, keep: (name: string) => boolean): ReadonlySet<string> {
  return new Set([...names].filter(keep));
}

/** Leaves out tasks, and the notifications that no stream could carry. */
function omitCapabilities(capabilities: unknown): JsonObject {
  if (!isObject(capabilities)) return {};
  const { tasks: _, ...rest } = capabilities;
  for (const name of ['tools', 'prompts', 'resources']) {
    const capability = rest[name];
    if (!isObject(capability)) continue;
    const { listChanged, subscribe, ...others } = capability;
    rest[name] = others;
  }
  return rest;
}
