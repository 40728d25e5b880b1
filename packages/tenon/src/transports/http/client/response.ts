import { type AbortSignalLike, TenonError } from '@tenon/base';
import { classifyMessage, parseJson } from '../../../jsonrpc/message.js';
import { deliver, deliverText, type HttpClientContext, type PendingResponse } from './context.js';
import { drain } from './endpoint-client.js';
import { createAbortError, createMissingResponseError, createUnreadableError, findDecodingError } from './errors.js';
import type { HttpReply } from './requester.js';

/** Maximum number of bytes that are read from the response to a notification. */
const MAX_ACKNOWLEDGEMENT = 65_536;

/** Reads a response that is not a stream. Rejects when the connection breaks before the response is complete. */
export async function readResponse(
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
      ? createUnreadableError(context.peer, `a response of more than ${context.maxMessageSize} bytes`)
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
