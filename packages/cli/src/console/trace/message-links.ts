import { createHash } from 'node:crypto';
import { isObject, REDACTED, toJsonObject } from '@tenon/base';
import type { JsonRpcMessage } from 'tenon';

/** Version, trace ID, parent ID and flags of W3C Trace Context. */
const TRACEPARENT = /^[\da-f]{2}-(?!0{32})([\da-f]{32})-([\da-f]{16})-[\da-f]{2}/;
/** Maximum length of a kept value. A longer one is kept as its digest. */
const MAX_VALUE = 80;
const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';
const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';

/** Values of a message that other messages repeat, and that therefore prove that they belong together. */
export interface MessageLinks {
  /** Trace ID of `_meta.traceparent`. */
  readonly trace?: string | undefined;
  /** Trace ID and parent ID of `_meta.traceparent`. */
  readonly span?: string | undefined;
  /** `requestState` of a result. */
  readonly givenState?: string | undefined;
  /** `requestState` of a request. */
  readonly sentState?: string | undefined;
  /** Task that a result has created. */
  readonly givenTask?: string | undefined;
  /** Task that a request names. */
  readonly sentTask?: string | undefined;
  /** Token under which the sender of a request wants its progress. */
  readonly token?: string | undefined;
  /** Token of a progress notification. */
  readonly progress?: string | undefined;
  /** ID of the request that a notification cancels. */
  readonly cancels?: string | undefined;
  /** Name of the client, in the handshake or in `_meta`. */
  readonly client?: string | undefined;
  /** Name of the server, in the response to the handshake or in `_meta`. */
  readonly gateway?: string | undefined;
  /** Actions of the input responses in a request, or of the response to an elicitation. */
  readonly actions?: readonly string[] | undefined;
  /** Status of a task. */
  readonly status?: string | undefined;
}

/** Members of any message. */
export type MessageMembers = { readonly [K in 'id' | 'method' | 'params' | 'result' | 'error']?: unknown };

/**
 * Reads the values of a message that connect it with others.
 *
 * @param stateDigest Digest of its `requestState`, which stands for a value that may be masked.
 */
export function readLinks(message: JsonRpcMessage, stateDigest?: string): MessageLinks {
  const { method, params, result }: MessageMembers = message;
  const links: { -readonly [K in keyof MessageLinks]: MessageLinks[K] } = {};
  if (isObject(params)) {
    const meta = toJsonObject(params._meta);
    const traceparent = typeof meta.traceparent === 'string' ? TRACEPARENT.exec(meta.traceparent) : null;
    if (traceparent) {
      links.trace = traceparent[1] ?? '';
      links.span = `${traceparent[1]}-${traceparent[2]}`;
    }
    links.sentState = readState(params.requestState, stateDigest);
    links.sentTask = shorten(params.taskId);
    links.token = readKey(meta.progressToken);
    if (method === 'notifications/progress') links.progress = readKey(params.progressToken);
    if (method === 'notifications/cancelled') links.cancels = readKey(params.requestId);
    links.client = readName(meta[CLIENT_INFO]) ?? readName(params.clientInfo);
    links.actions = listActions(params.inputResponses);
    links.status = shorten(params.status);
  }
  if (isObject(result)) {
    const meta = toJsonObject(result._meta);
    links.givenState = readState(result.requestState, stateDigest);
    const task = isObject(result.task) ? result.task : result;
    links.givenTask = shorten(task.taskId);
    links.status = shorten(task.status);
    links.gateway = readName(result.serverInfo) ?? readName(meta[SERVER_INFO]);
    if (typeof result.action === 'string') links.actions = [result.action.slice(0, MAX_VALUE)];
  }
  return Object.fromEntries(Object.entries(links).filter(([, value]) => value !== undefined));
}

/** Writes an ID or a token with its type: the number 1 and the text "1" are two IDs. */
export const readKey = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? `${typeof value} ${shorten(String(value))}` : undefined;

/** A masked value proves nothing, because two different ones look the same. */
const shorten = (value: unknown): string | undefined => {
  if (typeof value !== 'string' || value === '' || value.includes(REDACTED)) return undefined;
  return value.length <= MAX_VALUE ? value : createHash('sha256').update(value).digest('base64');
};

const readState = (state: unknown, digest: string | undefined): string | undefined =>
  typeof state === 'string' && digest !== undefined ? `sha256 ${digest}` : shorten(state);

const readName = (info: unknown): string | undefined => (isObject(info) ? shorten(info.name) : undefined);

function listActions(responses: unknown): string[] | undefined {
  if (!isObject(responses)) return undefined;
  return Object.values(responses).map(each =>
    isObject(each) && typeof each.action === 'string' ? each.action.slice(0, MAX_VALUE) : 'answered',
  );
}
