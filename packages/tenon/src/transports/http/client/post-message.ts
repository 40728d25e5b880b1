import { type AbortSignalLike, isSessionLoss, parseRetryAfter, sleep, TenonError } from '@tenon/base';
import {
  classifyMessage,
  type Id,
  type JsonRpcMessage,
  type JsonRpcResponse,
  parseJson,
  serializeMessage,
} from '../../../jsonrpc/message.js';
import type { SendOptions } from '../../../jsonrpc/transport.js';
import {
  createPendingResponse,
  deliver,
  deliverText,
  type HttpClientContext,
  type PendingResponse,
} from './context.js';
import { drain, getMediaType, isEventStream, isSuccess } from './endpoint-client.js';
import {
  createAbortError,
  createMissingResponseError,
  createOutcomeUnknownError,
  createSessionGoneError,
  createTooLargeError,
  findDecodingError,
  readRefusal,
} from './errors.js';
import { getResumeId, readStream, reconnect } from './event-stream.js';
import { createStreamProgress, type StreamProgress } from './reconnect-backoff.js';
import type { RequestSignal } from './request-signals.js';
import type { HttpReply } from './requester.js';

const MAX_SESSION_ID = 4_096;
/** Maximum number of times that a response is posted while the server refuses it for now. */
const MAX_RESPONSE_ATTEMPTS = 6;
/** Maximum number of bytes that are read from the response to a notification. */
const MAX_ACKNOWLEDGEMENT = 65_536;

/** Sends one message in its own POST request. [http.post.new-request-per-message] */
export async function postMessage(
  context: HttpClientContext,
  message: JsonRpcMessage,
  options: SendOptions,
): Promise<void> {
  const { headers, signal, stateless } = options;
  const session = stateless ? undefined : context.session;
  const pending = createPendingResponse(
    getRequestId(message),
    session,
    'method' in message && message.method === 'subscriptions/listen',
  );
  const body = serializeMessage(message, { code: 'call/unwritable', peer: context.peer });
  const requestSignal = context.signals.create(signal);
  let streaming = false;
  try {
    const post = () => {
      const own = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
      const allHeaders: Record<string, string> = Object.assign({}, headers, own);
      if (session !== undefined) allHeaders['mcp-session-id'] = session;
      return context.client.request({ method: 'POST', headers: allHeaders, body, signal: requestSignal });
    };
    const counted = session === undefined ? undefined : context.failures.begin();
    let reply: HttpReply;
    try {
      reply = 'method' in message ? await post() : await postResponse(context, post);
      if (!isSuccess(reply)) {
        const hadSession = session !== undefined;
        const refusal = await readRefusal(reply, context.peer, { id: pending.id, hadSession });
        if (hadSession && isSessionLoss(refusal)) context.forgetSession(session);
        throw refusal;
      }
      counted?.succeed();
    } catch (error) {
      const failure = requestSignal.aborted ? undefined : counted?.fail(error);
      if (failure && session !== undefined && session === context.session) {
        context.forgetSession(session);
        context.receiver.onSessionLost?.(failure);
      }
      throw error;
    }
    if (!stateless && session === undefined) storeSessionId(context, reply);
    const type = getMediaType(reply);
    streaming = isEventStream(reply, type);
    if (streaming)
      void followStream(context, reply, pending, requestSignal, stateless ? undefined : context.session, options);
    else await readResponse(context, reply, type, pending, requestSignal);
  } finally {
    if (!streaming) requestSignal.release();
  }
}

/**
 * Posts a response to a request of the server. While the server refuses it for now, it is posted again: the server takes
 * only the first one, and without it the request of the server would fail.
 */
async function postResponse(context: HttpClientContext, post: () => Promise<HttpReply>): Promise<HttpReply> {
  for (let attempt = 1; ; attempt += 1) {
    const reply = await post();
    const delay = reply.status === 503 ? parseRetryAfter(reply.header('retry-after')) : undefined;
    if (delay === undefined || attempt === MAX_RESPONSE_ATTEMPTS) return reply;
    reply.cancel();
    await sleep(context.clock, delay);
  }
}

export function getRequestId(message: JsonRpcMessage | readonly JsonRpcResponse[]): Id | undefined {
  return 'method' in message && 'id' in message ? message.id : undefined;
}

function storeSessionId(context: HttpClientContext, reply: HttpReply): void {
  const id = reply.header('mcp-session-id');
  if (id === undefined) return;
  if (id.length <= MAX_SESSION_ID && /^[\x21-\x7e]+$/.test(id)) {
    context.setSession(id);
    return;
  }
  reply.cancel();
  throw new TenonError('peer/invalid-session-id', 'the server sent an invalid session id', {
    peer: context.peer,
    expected: `1 to ${MAX_SESSION_ID} visible ASCII characters`,
  });
}

/** Reads a response that is not a stream. Rejects when the connection breaks before the response is complete. */
async function readResponse(
  context: HttpClientContext,
  reply: HttpReply,
  type: string | undefined,
  pending: PendingResponse,
  signal: AbortSignalLike,
): Promise<void> {
  const { id } = pending;
  if (id === undefined) return readAcknowledgement(context, reply, type, pending);
  if (reply.status === 202 || reply.status === 204 || (type !== undefined && type !== 'application/json')) {
    await drain(reply);
    const got = type === undefined ? `status ${reply.status}` : `status ${reply.status} and ${type}`;
    if (!signal.aborted) context.receiver.onResponseLost(id, createMissingResponseError(context.peer, got));
    return;
  }
  let text = '';
  try {
    text = await reply.text(context.maxMessageSize);
  } catch (error) {
    if (signal.aborted) throw createAbortError(signal, context.peer);
    const isTooLarge = TenonError.is(error) && error.code === 'http/too-large';
    pending.readError = isTooLarge
      ? createTooLargeError(context.peer, 'a response', `${context.maxMessageSize} bytes`)
      : findDecodingError(error, context.peer);
    // If the connection broke, it is unknown if the server executed the request.
    if (pending.readError === undefined)
      throw new TenonError('http/interrupted', 'the connection broke during the response', {
        peer: context.peer,
        received: error instanceof Error ? error.message : undefined,
      });
    context.receiver.onParseError(pending.readError);
  }
  if (signal.aborted) return;
  const isEmpty = text.trim() === '';
  if (!isEmpty) deliverText(context, pending, text);
  if (pending.answered) return;
  context.receiver.onResponseLost(
    id,
    pending.readError ?? createMissingResponseError(context.peer, isEmpty ? 'nothing' : 'other messages'),
  );
}

/**
 * Reads the HTTP response to a message that expects no JSON-RPC response. Valid messages in the body are delivered,
 * because a server may send anything.
 */
async function readAcknowledgement(
  context: HttpClientContext,
  reply: HttpReply,
  type: string | undefined,
  pending: PendingResponse,
): Promise<void> {
  const text = await reply.text(MAX_ACKNOWLEDGEMENT).catch(() => '');
  if (text === '' || type !== 'application/json') return;
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return;
  }
  const all = Array.isArray(value) ? value : [value];
  deliver(
    context,
    pending,
    all.filter(one => classifyMessage(one) !== 'malformed'),
  );
}

/** Reads the stream of one request over as many connections as necessary. [http.sse.client-polls] */
async function followStream(
  context: HttpClientContext,
  first: HttpReply,
  pending: PendingResponse,
  requestSignal: RequestSignal,
  session: string | undefined,
  { stateless, onStreamClosed }: SendOptions,
): Promise<void> {
  const progress = createStreamProgress(context.clock.elapsed());
  const reportLost = (error: TenonError) => {
    if (pending.id !== undefined) context.receiver.onResponseLost(pending.id, error);
  };
  try {
    for (let reply = first; ; ) {
      await readStream(context, reply, progress, pending, requestSignal);
      if (requestSignal.aborted || pending.answered || pending.id === undefined) return;
      if (pending.readError) return reportLost(pending.readError);
      if (stateless || getResumeId(progress) === undefined) {
        return reportLost(createOutcomeUnknownError(context.peer, 'the stream ended before the response'));
      }
      onStreamClosed?.();
      const next = await resumeStream(context, progress, session, requestSignal);
      if (requestSignal.aborted) return;
      if (next instanceof TenonError) return reportLost(next);
      reply = next;
    }
  } finally {
    requestSignal.release();
  }
}

async function resumeStream(
  context: HttpClientContext,
  progress: StreamProgress,
  session: string | undefined,
  signal: AbortSignalLike,
) {
  if (session !== context.session)
    return createOutcomeUnknownError(
      context.peer,
      'the session ended before the response',
      createSessionGoneError(context.peer),
    );
  const next = await reconnect(context, { progress, policy: context.resume, signal, session, hold: true });
  if ('reply' in next) return next.reply;
  const reason =
    next.over === 'refused' ? 'the server refused to resume the stream' : 'the stream could not be resumed';
  return createOutcomeUnknownError(context.peer, `${reason} before the response`, next.error);
}
