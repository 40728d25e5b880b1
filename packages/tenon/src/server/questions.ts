import type { Ask, ReportProgress } from '../conversation/asking/asking.js';
import { lacking, unable } from '../conversation/capability.js';
import type { Dialect } from '../dialects/dialect.js';
import { getCancelReason } from '../jsonrpc/cancellation.js';
import { TenonError } from '../jsonrpc/error.js';
import { type Id, isObject, type JsonObject } from '../jsonrpc/message.js';
import type { Peer } from '../jsonrpc/peer.js';
import type { Running } from '../jsonrpc/running.js';
import type { ClientCapabilities } from '../model/capabilities.js';
import { methods } from '../model/methods.js';

declare const AbortSignal: { any(signals: AbortSignal[]): AbortSignal };

/** How long a client may take to answer a question, in milliseconds: people think. */
const ASK_TIMEOUT = 30 * 60_000;

/** Whom the questions go to, and for the sake of which request. */
export interface Questions {
  readonly peer: Peer;
  readonly dialect: Dialect;
  readonly capabilities: ClientCapabilities;
  /** The request on whose stream they go; none for the stream of the session. */
  readonly relatedTo?: Id;
  /** Resolves when the client is initialized. Returns nothing when it is. */
  readonly whenInitialized: (method: string) => Promise<void> | undefined;
  /** The request for which is asked. Its end withdraws the question, as the signal of the question does. */
  readonly running?: Running;
  /** The client is sent to a URL. */
  readonly sent: (elicitationId: string) => void;
}

/** Asks by requests, in the words of the client's revision. */
export function questions(about: Questions): Ask {
  const { peer, dialect, capabilities, relatedTo, running, sent, whenInitialized } = about;
  const send = relatedTo === undefined ? {} : { relatedTo };
  return async (method, params, signal, onProgress) => {
    const lacks = dialect.vocabulary.server.has(method) ? lacking(method, params, capabilities) : { [method]: {} };
    if (lacks) throw unable(dialect, lacks);
    const words = dialect.speak.down.params(method)?.(params, {}) ?? params;
    const initialized = whenInitialized(method);
    if (initialized) await initialized;
    if (typeof words.elicitationId === 'string') sent(words.elicitationId);
    const answer = await peer.call(method, withToken(words), {
      signal: signal && running ? AbortSignal.any([signal, running.signal]) : (signal ?? running?.signal),
      idleTimeout: ASK_TIMEOUT,
      send,
      ...(onProgress ? { onProgress: progress => reportProgress(progress, onProgress) } : {}),
      onAbandoned: (requestId, error) =>
        void peer.notify('notifications/cancelled', { requestId, reason: getCancelReason(error) }, send),
    });
    return understood(dialect, method, params, answer);
  };
}

/** Passes a progress notification of the client on. One without a number is dropped. */
function reportProgress({ progress, total, message }: JsonObject, report: ReportProgress): void {
  if (typeof progress !== 'number') return;
  report(progress, typeof total === 'number' ? total : undefined, typeof message === 'string' ? message : undefined);
}

function understood(dialect: Dialect, method: string, params: JsonObject, raw: JsonObject): JsonObject {
  const answer = dialect.speak.up.result(method)?.(raw, { params }) ?? raw;
  const problem = methods[method as keyof typeof methods].result(answer);
  if (problem === undefined) return answer;
  throw new TenonError('client/invalid-answer', `The client's answer to ${method} is malformed: ${problem}`);
}

/** The client may report progress on what it is asked, which restarts the time it has. */
function withToken(params: JsonObject): (id: Id) => JsonObject {
  const meta = isObject(params._meta) ? params._meta : {};
  return id => ({ ...params, _meta: { ...meta, progressToken: id } });
}
