import { TenonError } from '../../jsonrpc/error.js';
import { kindOf } from '../../jsonrpc/message.js';
import { abortError, noAnswer, unreadableError } from './client-errors.js';
import { deliver, deliverText, type Link, type Question } from './client-link.js';
import { drain, mediaType } from './client-road.js';
import type { HttpReply } from './requester.js';

/** How much of the answer to a message that asks nothing is read, in bytes. */
const MAX_ACKNOWLEDGEMENT = 65_536;

/** An answer that is no stream. Rejects when the connection breaks before the answer is whole. */
export async function readAnswer(link: Link, reply: HttpReply, asked: Question, signal: AbortSignal): Promise<void> {
  if (asked.id === undefined) return readAcknowledgement(link, reply, asked);
  const type = mediaType(reply);
  if (reply.status !== 202 && reply.status !== 204 && (type === undefined || type === 'application/json')) {
    const text = await readText(link, reply, asked, signal);
    if (signal.aborted) return;
    if (text !== undefined && text.trim() !== '') deliverText(link, asked, text);
    if (!asked.answered) link.receiver.lost(asked.id, asked.spoiled ?? noAnswer(link.peer, describe(text)));
    return;
  }
  await drain(reply);
  if (signal.aborted) return;
  const got = type === undefined ? `status ${reply.status}` : `status ${reply.status} and ${type}`;
  link.receiver.lost(asked.id, noAnswer(link.peer, got));
}

function describe(text: string | undefined): string {
  return text === undefined || text.trim() === '' ? 'nothing' : 'other messages';
}

async function readText(
  link: Link,
  reply: HttpReply,
  asked: Question,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return await reply.text(link.maxMessage);
  } catch (error) {
    if (signal.aborted) throw abortError(signal, link.peer);
    if (!TenonError.is(error) || error.code !== 'http/too-large') throw outcomeLost(link, error);
    asked.spoiled = unreadableError(link.peer, `an answer of more than ${link.maxMessage} bytes`);
    link.receiver.unreadable(asked.spoiled);
    return undefined;
  }
}

function outcomeLost(link: Link, error: unknown): TenonError {
  const got = error instanceof Error ? error.message : undefined;
  const next = 'the server may have acted on it; look before sending it again';
  return new TenonError('http/interrupted', 'the connection broke amid the answer', { peer: link.peer, got, next });
}

/** A server may say anything to a message that asks nothing; what are messages is handed on. */
async function readAcknowledgement(link: Link, reply: HttpReply, asked: Question): Promise<void> {
  const text = await reply.text(MAX_ACKNOWLEDGEMENT).catch(() => '');
  if (text === '' || mediaType(reply) !== 'application/json') return;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return;
  }
  const all = Array.isArray(value) ? value : [value];
  deliver(
    link,
    asked,
    all.filter(one => kindOf(one) !== 'malformed'),
  );
}
