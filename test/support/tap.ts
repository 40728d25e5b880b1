import { type Context, isObject, type Judge, type JudgeOptions, judge, judgeOf } from './judge.js';
import { isProtocolVersion, type ProtocolVersion } from './schema-file.js';
import type { Side } from './vocabulary.js';

/** Listens on one connection, in both directions, and judges all that crosses. */
export interface Tap {
  /** Both return what is wrong with the message, and keep it in `issues`. */
  clientSends(value: unknown): string[];
  serverSends(value: unknown): string[];
  /** All that was wrong so far. */
  readonly issues: readonly string[];
  /** How many messages crossed. */
  readonly seen: { readonly client: number; readonly server: number };
}

interface RecordedRequest {
  readonly method: string;
  readonly params: unknown;
  readonly judge: Judge;
  cancelled: boolean;
}

const protocolVersion = 'io.modelcontextprotocol/protocolVersion';

/**
 * Taps a connection on which the peers mean to speak a protocol version. A message that names a protocol version of its own (an
 * `initialize`, a request with its protocol version in `_meta`, such as a probe) is judged by that one, and so is its answer.
 */
export function createTap(version: ProtocolVersion, options: JudgeOptions = {}): Tap {
  const agreed = judge(version, options);
  const first: Record<Side, Map<string, RecordedRequest>> = { client: new Map(), server: new Map() };
  const issues: string[] = [];
  const seen = { client: 0, server: 0 };

  const judgeFor = (named: unknown): Judge =>
    named === version || options.custom ? agreed : (judgeOf(named, options.exact ?? false) ?? agreed);

  const one = (value: unknown, from: Side): string[] => {
    if (!isObject(value)) return agreed.message(value, { from });
    if (!('method' in value)) return response(value, from);
    if ('id' in value) return request(value, from);
    if (value.method === 'notifications/cancelled') markCancelled(value.params, from);
    return judgeFor(metaOf(value.params)[protocolVersion]).message(value, { from });
  };

  const request = (value: Record<string, unknown>, from: Side): string[] => {
    const { id, method, params } = value;
    const named = method === 'initialize' && isObject(params) ? params.protocolVersion : undefined;
    const by = judgeFor(metaOf(params)[protocolVersion] ?? named);
    const before = first[from].get(keyOf(id));
    const reuse = before && !before.cancelled ? [`the ${from} uses the id ${keyOf(id)} that is still in flight`] : [];
    first[from].set(keyOf(id), { method: String(method), params, judge: by, cancelled: false });
    return [...reuse, ...by.message(value, { from })];
  };

  const response = (value: Record<string, unknown>, from: Side): string[] => {
    const asker = first[from === 'client' ? 'server' : 'client'];
    const answers = asker.get(keyOf(value.id));
    asker.delete(keyOf(value.id));
    const context: Context = { from, answers };
    const named = answers?.method === 'initialize' && isObject(value.result) ? value.result.protocolVersion : undefined;
    const by = isProtocolVersion(named) ? judgeFor(named) : (answers?.judge ?? agreed);
    const stray = answers === undefined && value.id !== undefined && value.id !== null && 'error' in value;
    return [...(stray ? ['a response answers no request'] : []), ...by.message(value, context)];
  };

  const markCancelled = (params: unknown, from: Side): void => {
    const found = isObject(params) ? first[from].get(keyOf(params.requestId)) : undefined;
    if (found) found.cancelled = true;
  };

  const crosses = (value: unknown, from: Side): string[] => {
    seen[from] += 1;
    const found = Array.isArray(value)
      ? [...agreed.batch(value), ...value.flatMap(each => one(each, from))]
      : one(value, from);
    const notifications = found.map(text => `${from}: ${text} in ${excerpt(value)}`);
    issues.push(...notifications);
    return notifications;
  };

  return {
    clientSends: value => crosses(value, 'client'),
    serverSends: value => crosses(value, 'server'),
    issues,
    seen,
  };
}

/** "1" and 1 are two ids. */
const keyOf = (id: unknown): string => JSON.stringify(id) ?? 'none';

const metaOf = (params: unknown): Record<string, unknown> =>
  isObject(params) && isObject(params._meta) ? params._meta : {};

function excerpt(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}
