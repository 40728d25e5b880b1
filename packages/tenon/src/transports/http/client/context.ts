import type { Clock } from '../../../cancellation/clock.js';
import type { AbortSignalLike } from '../../../cancellation/lazy-abort-signal.js';
import type { TenonError } from '../../../jsonrpc/error.js';
import { type Id, isFailureMessage, isObject, parseJson } from '../../../jsonrpc/message.js';
import type { MessageReceiver } from '../../../jsonrpc/transport.js';
import type { EndpointClient } from './endpoint-client.js';
import { createHttpRefusalError, createUnreadableError } from './errors.js';
import type { ReconnectPolicy } from './options.js';
import type { RequestSignals } from './request-signals.js';
import type { SilentStreams } from './silent-streams.js';

/** State that the exchanges of one transport share. */
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
  /** A secret: it goes to the server and nowhere else. [http.session.client-keeps-secure] */
  readonly session: string | undefined;
  setSession(session: string): void;
  /** Aborted when the session that the channel has now is forgotten. */
  readonly sessionSignal: AbortSignalLike;
  /** Called when the server has said that it no longer knows this session. */
  forgetSession(session: string): void;
  /** The headers with the session id and the protocol version of a request. */
  createHeaders(session: string | undefined, more: Record<string, string>): Record<string, string>;
}

/** A response that an exchange is to bring. */
export interface PendingResponse {
  /** Absent for messages that expect no response. */
  readonly id: Id | undefined;
  answered: boolean;
  /** Something came that may have been the answer, and could not be read. */
  readError: TenonError | undefined;
  /** Set where the stream may be silent for long, and must not die unnoticed. */
  readonly watched: boolean;
}

export function createPendingResponse(id: Id | undefined, watched = false): PendingResponse {
  return { id, answered: false, readError: undefined, watched };
}

/** Delivers the message in a JSON text, an array by its elements. [http.sse.batched-messages] */
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
    if (pending.id !== undefined && value.id === pending.id) pending.answered = true;
    else if (value.id == null && isFailureMessage(value)) {
      // The server did not name the request that failed. This exchange has only one.
      pending.readError = createHttpRefusalError(context.peer, value, 200);
    }
  }
  if (pending.id === undefined) context.receiver.onMessage(value);
  else context.receiver.onMessage(value, { relatedTo: pending.id });
}
