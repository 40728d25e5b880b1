import {
  type AbortSignalLike,
  isConnectionFailure,
  isSessionLoss,
  isTemporaryStatus,
  parseRetryAfter,
  TenonError,
} from '@tenon/base';
import { createSseReader } from '../sse/sse-reader.js';
import { deliverText, type HttpClientContext, type PendingResponse } from './context.js';
import { isEventStream } from './endpoint-client.js';
import { createSessionGoneError, createTooLargeError, findDecodingError, readRefusal } from './errors.js';
import type { ReconnectPolicy } from './options.js';
import {
  computeDelay,
  isExhausted,
  pause,
  recordConnection,
  recordFailure,
  type StreamProgress,
} from './reconnect-backoff.js';
import type { HttpReply } from './requester.js';

/** Maximum time that a stream may stay open after its last response, in milliseconds. */
const LINGER_TIMEOUT = 1_000;
/** Maximum length of an event ID. Some servers do not accept longer headers. */
const MAX_EVENT_ID = 4_096;
const MAX_RETRY_AFTER = 300_000;

/**
 * Reads one connection of a stream to its end. Nothing is delivered after `signal` is aborted. Never rejects, because
 * the meaning of a broken connection depends on earlier events, which are in `progress` and `pending`.
 */
export async function readStream(
  context: HttpClientContext,
  reply: HttpReply,
  progress: StreamProgress,
  pending: PendingResponse,
  signal: AbortSignalLike,
): Promise<void> {
  const { clock, peer } = context;
  const openedAt = clock.elapsed();
  const { lastEventId } = progress;
  let message = false;
  let isCut: boolean | undefined;
  let cancelTimer: (() => void) | undefined;

  const cut = () => {
    progress.lastEventId = reader.lastEventId;
    reply.cancel();
    isCut = true;
    return isCut;
  };

  const onEvent = ({ type, data }: { type: string; data: string }) => {
    if (isCut || signal.aborted || type !== 'message' || data === '') return;
    message = true;
    context.cutStream = cut;
    deliverText(context, pending, data);
    context.cutStream = undefined;
    if (isCut) pending.answered = false;
    if (pending.answered) cancelTimer ??= clock.after(LINGER_TIMEOUT, () => reply.cancel());
  };
  const onEventTooLong = () => {
    pending.readError = createTooLargeError(peer, 'an event', `${context.maxMessageSize} characters`);
    context.receiver.onParseError(pending.readError);
  };
  let isHeartbeat = false;
  const onComment = () => {
    isHeartbeat = true;
  };
  const reader = createSseReader({ onEvent, onEventTooLong, onComment }, context.maxMessageSize, lastEventId);
  const endSilent = () => {
    // The end of a stream that cannot be resumed is reported, because some of its messages may be lost.
    if (reader.lastEventId === undefined) {
      pending.readError = new TenonError(
        'http/silent-stream',
        'the stream for changes was silent for too long and is reopened',
        { peer, hint: 'set `keepAlive: false` if the server sends no keep-alive messages' },
      );
      if (pending.id === undefined) context.receiver.onParseError(pending.readError);
    }
    reply.cancel();
  };
  const watchedStream = pending.watched
    ? context.silentStreams.watch(() => reader.lastEventId !== undefined, endSilent)
    : undefined;

  try {
    await reply.read(chunk => {
      if (signal.aborted) return;
      reader.feed(chunk);
      watchedStream?.noteBytes(isHeartbeat);
      isHeartbeat = false;
    });
  } catch (error) {
    // A broken connection counts as ended, because an incomplete last event is dropped in both cases.
    const decodingError = signal.aborted || pending.answered ? undefined : findDecodingError(error, peer);
    if (decodingError) {
      pending.readError = decodingError;
      context.receiver.onParseError(decodingError);
    }
  } finally {
    cancelTimer?.();
    watchedStream?.stop();
    reply.cancel();
  }
  if (!isCut) progress.lastEventId = reader.lastEventId;
  const hasProgress = reader.retry !== undefined || progress.lastEventId !== lastEventId;
  progress.retry = reader.retry ?? progress.retry;
  recordConnection(progress, { message, hasProgress, duration: clock.elapsed() - openedAt }, clock.elapsed());
}

export type ReconnectResult =
  | { readonly reply: HttpReply }
  /** `refused`: the server has no such stream. `exhausted`: every attempt failed. `aborted`: no caller waits. */
  | { readonly over: 'refused' | 'exhausted' | 'aborted'; readonly error: TenonError };

export interface ReconnectOptions {
  readonly progress: StreamProgress;
  readonly policy: ReconnectPolicy;
  readonly signal: AbortSignalLike;
  /** ID of the session that the stream belongs to. */
  readonly session: string | undefined;
  /** True if a caller waits for the stream, so the process must stay alive. */
  readonly hold: boolean;
  /** Time before the first attempt that the server asked for, in milliseconds. Default: 0. */
  readonly minDelay?: number | undefined;
  /** Called when the stream is open and does not continue after an event, so that messages may be lost. */
  readonly onMissed?: (() => void) | undefined;
}

/** Requests a stream by GET, with delays, until it is open or retries are pointless. [http.resume.always-get] */
export async function reconnect(context: HttpClientContext, options: ReconnectOptions): Promise<ReconnectResult> {
  const { progress, policy, signal } = options;
  let error = new TenonError('http/interrupted', 'the stream ended', { peer: context.peer });
  let { minDelay = 0 } = options;
  for (;;) {
    if (isExhausted(progress, policy, context.clock.elapsed())) return { over: 'exhausted', error };
    const wait = Math.max(minDelay, computeDelay(progress, policy, context.random));
    await pause(context.clock, wait, signal, options.hold, context.sessionSignal);
    if (signal.aborted) return { over: 'aborted', error };
    if (options.session !== context.session) return { over: 'refused', error: createSessionGoneError(context.peer) };
    try {
      const reply = await openStream(context, progress, options.session, signal);
      if (isEventStream(reply)) {
        if (getResumeId(progress) === undefined) options.onMissed?.();
        return { reply };
      }
      minDelay = getRetryAfter(reply);
      error = await readStreamRefusal(context, reply, options.session);
      // 409 means that the server has not noticed the end of the previous stream yet.
      if (reply.status !== 409 && !isTemporaryStatus(reply.status)) return { over: 'refused', error };
    } catch (thrown) {
      error = TenonError.from(thrown);
      if (signal.aborted) return { over: 'aborted', error };
      if (!isConnectionFailure(error)) return { over: 'refused', error };
    }
    recordFailure(progress);
  }
}

/** Returns the reason why the server refuses a stream. A GET can also detect that the session is lost. */
export async function readStreamRefusal(
  context: HttpClientContext,
  reply: HttpReply,
  session: string | undefined,
  checkBody = false,
): Promise<TenonError> {
  const error = await readRefusal(reply, context.peer, { hadSession: session !== undefined, checkBody });
  if (session !== undefined && session === context.session && isSessionLoss(error)) {
    context.forgetSession(session);
    context.receiver.onSessionLost?.(error);
  }
  return error;
}

/** Requests a new stream, or the rest of the stream in `progress`. [http.get.accept-sse] */
export function openStream(
  context: HttpClientContext,
  progress: StreamProgress,
  session: string | undefined,
  signal: AbortSignalLike,
) {
  const id = getResumeId(progress);
  const headers = context.createHeaders(session, { accept: 'text/event-stream' });
  if (id !== undefined) headers['last-event-id'] = id;
  return context.client.request({ method: 'GET', headers, signal });
}

/** Returns the last event ID as a header value. Undefined if it does not fit into a header. */
export function getResumeId({ lastEventId }: StreamProgress): string | undefined {
  if (lastEventId === undefined || lastEventId.length > MAX_EVENT_ID) return undefined;
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(lastEventId)) return undefined;
  // A header consists of bytes. Both kinds of runtimes convert each character to one byte.
  return /[^\x20-\x7e]/.test(lastEventId)
    ? Array.from(new TextEncoder().encode(lastEventId), byte => String.fromCharCode(byte)).join('')
    : lastEventId;
}

/** Returns the time that the server asks to wait, in milliseconds, up to a limit. */
export function getRetryAfter(reply: HttpReply): number {
  return Math.min(parseRetryAfter(reply.header('retry-after')) ?? 0, MAX_RETRY_AFTER);
}
