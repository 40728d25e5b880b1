import { type AbortSignalLike, type Clock, createPeerError, isObject, type TenonError } from '@tenon/base';
import { type Id, isFailureMessage, type JsonRpcFailure, parseJson } from '../../../jsonrpc/message.js';
import { answersId } from '../../../jsonrpc/numeric-id.js';
import type { MessageReceiver } from '../../../jsonrpc/transport.js';
import type { EndpointClient } from './endpoint-client.js';
import { createUnreadableError, findSessionLoss } from './errors.js';
import type { ReconnectPolicy } from './options.js';
import type { RequestSignals } from './request-signals.js';
import type { SessionFailures } from './session-failures.js';
import type { SilentStreams } from './silent-streams.js';

/** State that the requests of one transport share. */
export interface HttpClientContext {
  readonly peer: string;
  readonly client: EndpointClient;
  readonly signals: RequestSignals;
  readonly silentStreams: SilentStreams;
  readonly receiver: MessageReceiver;
  readonly clock: Clock;
  readonly random: () => number;
  readonly maxMessageSize: number;
  readonly resume: ReconnectPolicy;
  readonly listen: ReconnectPolicy;
  /** The session ID. It is a secret that only the server may get. [http.session.client-keeps-secure] */
  readonly session: string | undefined;
  setSession(session: string): void;
  /** Signal that is aborted when the current session is lost. */
  readonly sessionSignal: AbortSignalLike;
  /** Counts requests of the session without a response. */
  readonly failures: SessionFailures;
  /** Called when the server no longer knows this session. */
  forgetSession(session: string): void;
  /** True if other processes may use the session. */
  readonly isShared: boolean;
  /** Breaks the stream whose message is being delivered. Absent at other times. */
  cutStream?: (() => boolean) | undefined;
  /** Returns the headers of a request, with the session ID and the protocol version. */
  createHeaders(session: string | undefined, more: Record<string, string>): Record<string, string>;
}

/** The response that one HTTP request waits for. */
export interface PendingResponse {
  /** ID of the JSON-RPC request. Absent for messages without a response. */
  readonly id: Id | undefined;
  /** Session of the request. */
  readonly session: string | undefined;
  answered: boolean;
  /** Error of a message that could not be read and may have been the response. */
  readError: TenonError | undefined;
  /** True if the stream may be silent for a long time and must be checked for a broken connection. */
  readonly watched: boolean;
}

export function createPendingResponse(
  id: Id | undefined,
  session: string | undefined,
  watched = false,
): PendingResponse {
  return { id, session, answered: false, readError: undefined, watched };
}

/**
 * Delivers the message in a JSON text. The messages of an array are delivered one by one. [http.sse.batched-messages]
 */
export function deliverText(context: HttpClientContext, pending: PendingResponse, text: string): void {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (cause) {
    pending.readError = createUnreadableError(context.peer, `${text.length} characters of other text`, cause);
    context.receiver.onParseError(pending.readError);
    return;
  }
  deliver(context, pending, value);
}

export function deliver(context: HttpClientContext, pending: PendingResponse, value: unknown): void {
  if (Array.isArray(value)) {
    for (const one of value) deliverOne(context, pending, one);
  } else deliverOne(context, pending, value);
}

function deliverOne(context: HttpClientContext, pending: PendingResponse, value: unknown): void {
  if (isObject(value) && !('method' in value)) {
    const loss = isFailureMessage(value) && !pending.watched ? loseSession(context, pending, value) : undefined;
    if (loss !== undefined) {
      pending.readError = loss;
      if (pending.id === undefined || !answersId(value.id, pending.id)) return;
      pending.answered = true;
      return context.receiver.onResponseLost(pending.id, loss);
    }
    if (answersId(value.id, pending.id)) pending.answered = true;
    else if (value.id == null && isFailureMessage(value)) {
      // The server did not name the request that failed. There is only one on this connection.
      pending.readError = createPeerError(value.error, { peer: context.peer, status: 200 });
    }
  }
  if (pending.id === undefined) context.receiver.onMessage(value);
  else context.receiver.onMessage(value, { relatedTo: pending.id });
}

/** Drops the session if a JSON-RPC error tells that the server does not know it. Returns the error of the request. */
function loseSession(
  context: HttpClientContext,
  { id, session }: PendingResponse,
  failure: JsonRpcFailure,
): TenonError | undefined {
  if (session === undefined) return undefined;
  const loss = findSessionLoss(200, context.peer, { id }, failure);
  if (loss !== undefined && session === context.session) {
    context.forgetSession(session);
    context.receiver.onSessionLost?.(loss);
  }
  return loss;
}
