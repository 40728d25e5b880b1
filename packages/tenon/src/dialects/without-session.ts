import { isObject, type JsonObject } from '../jsonrpc/message.js';
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
  const { http, vocabulary, speak } = dialect;
  const toInitialized = (result: JsonObject): JsonObject => {
    const encoded = speak.down.result('initialize')?.(result, {}) ?? result;
    return { ...encoded, capabilities: omitCapabilities(encoded.capabilities) };
  };
  const needsSession = filter(vocabulary.client, name => CLIENT_METHODS.test(name));
  return {
    ...dialect,
    needsSession,
    tasks: undefined,
    http: { ...http, sessions: false, priming: false },
    vocabulary: {
      client: filter(vocabulary.client, name => !needsSession.has(name)),
      server: filter(vocabulary.server, name => RELATED_TO_REQUEST.has(name)),
    },
    speak: {
      ...speak,
      down: {
        ...speak.down,
        result: method => (method === 'initialize' ? toInitialized : speak.down.result(method)),
      },
    },
  };
}

function filter(names: ReadonlySet<string>, keep: (name: string) => boolean): ReadonlySet<string> {
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
