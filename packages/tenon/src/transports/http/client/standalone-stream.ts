import { isConnectionFailure, isUnavailableStatus, TenonError } from '@tenon/base';
import { createPendingResponse, type HttpClientContext } from './context.js';
import { drain, isEventStream, isSuccess } from './endpoint-client.js';
import {
  getRetryAfter,
  openStream,
  type ReconnectResult,
  readStream,
  readStreamRefusal,
  reconnect,
} from './event-stream.js';
import { LISTEN_POLICY, type ReconnectPolicy } from './options.js';
import { createStreamProgress, recordFailure } from './reconnect-backoff.js';
import type { RequestSignal } from './request-signals.js';

/** Policy for the stream of a session that other processes use. One of them has it, and another takes over. */
const SHARED_LISTEN_POLICY: ReconnectPolicy = {
  ...LISTEN_POLICY,
  maxAttempts: Number.POSITIVE_INFINITY,
  initialDelay: 500,
  maxDelay: 5_000,
};

/**
 * Keeps the standalone stream for messages of the server open. If the server has no such stream, it responds with an
 * error status or without an event stream, and the stream is not requested again. Resolves with an error when a stream
 * existed, or may have existed, and could not be reopened. [http.get.stream-optional] [http.get.sse-or-405]
 *
 * @param onMissed Called when the stream was not open all the time, and does not continue after its last event.
 */
export async function readStandaloneStream(
  context: HttpClientContext,
  requestSignal: RequestSignal,
  onMissed: (() => void) | undefined,
): Promise<TenonError | undefined> {
  const { session } = context;
  const progress = createStreamProgress(context.clock.elapsed());
  const policy = context.isShared ? SHARED_LISTEN_POLICY : context.listen;
  const retry = (minDelay?: number) =>
    reconnect(context, { progress, policy, signal: requestSignal, session, hold: false, minDelay, onMissed });
  try {
    let next = await openFirstStream();
    while (next && !requestSignal.aborted) {
      if (!('reply' in next)) {
        if (next.over !== 'exhausted') return undefined;
        return new TenonError('http/listen-ended', 'the stream for notifications of the server is lost', {
          peer: context.peer,
          received: next.error.message,
          hint: 'call `connect` again to receive notifications (calls still work)',
        });
      }
      await readStream(context, next.reply, progress, createPendingResponse(undefined, session, true), requestSignal);
      if (!requestSignal.aborted) next = await retry();
    }
    return undefined;
  } finally {
    requestSignal.release();
  }

  async function openFirstStream(): Promise<ReconnectResult | undefined> {
    let minDelay: number | undefined;
    try {
      const reply = await openStream(context, progress, session, requestSignal);
      if (isEventStream(reply)) return { reply };
      // Another process has the stream, until it ends.
      const { status } = reply;
      const isTaken = status === 409 && context.isShared;
      // A server without this stream may respond with 404. Only the text of the response can show that the session is
      // lost.
      if (isTaken || isSuccess(reply) || status === 405) await drain(reply);
      else await readStreamRefusal(context, reply, session, true);
      if (!isTaken && !isUnavailableStatus(status)) return undefined;
      minDelay = getRetryAfter(reply);
    } catch (error) {
      if (requestSignal.aborted || !isConnectionFailure(error)) return undefined;
    }
    recordFailure(progress);
    return retry(minDelay);
  }
}
