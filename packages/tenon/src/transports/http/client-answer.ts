import { TenonError } from '../../jsonrpc/error.js';
import { kindOf } from '../../jsonrpc/message.js';
import type { Signal } from '../../jsonrpc/recall.js';
import { abortError, noAnswer, OUTCOME_ADVICE, unreadableError } from './client-errors.js';
import { deliver, deliverText, type Link, type Question } from './client-link.js';
import { drain } from './client-road.js';
import type { HttpReply } from './requester.js';

/** How much of the answer to a message that asks nothing is read, in bytes. */
const MAX_ACKNOWLEDGEMENT = 65_536;

/** An answer that is no stream. Rejects when the connection breaks before the answer is whole. */
export async function readAnswer(
  link: Link,
  reply: HttpReply,
  type: string | undefined,
  asked: Question,
  signal: Signal,
): Promise<void> {
  const { id } = asked;
  if (id === undefined) return readAcknowledgement(link, reply, type, asked);
  if (reply.status === 202 || reply.status === 204 || (type !== undefined && type !== 'application/json')) {
    await drain(reply);
    const got = type === undefined ? `status ${reply.status}` : `status ${reply.status} and ${type}`;
    if (!signal.aborted) link.receiver.lost(id, noAnswer(link.peer, got));
    return;
  }
  let text = '';
  try {
    text = await reply.text(link.maxMessage);
  } catch (error) {
    unread(link, asked, signal, error);
  }
  if (signal.aborted) return;
  const isEmpty = text.trim() === '';
  if (!isEmpty) deliverText(link, asked, text);
  if (asked.answered) return;
  link.receiver.lost(id, asked.spoiled ?? noAnswer(link.peer, isEmpty ? 'nothing' : 'other messages'));
}

/** An answer that could not be read: one that is too large spoils the question, with any other the outcome is lost. */
function unread(link: Link, asked: Question, signal: Signal, error: unknown): void {
  if (signal.aborted) throw abortError(signal, link.peer);
  if (!TenonError.is(error) || error.code !== 'http/too-large') throw outcomeLost(link, error);
  asked.spoiled = unreadableError(link.peer, `an answer of more than ${link.maxMessage} bytes`);
  link.receiver.unreadable(asked.spoiled);
}

function outcomeLost(link: Link, error: unknown): TenonError {
  const got = error instanceof Error ? error.message : undefined;
  const facts = { peer: link.peer, got, next: OUTCOME_ADVICE };
  return new TenonError('http/interrupted', 'the connection broke amid the answer', facts);
}

/** A server may say anything to a message that asks nothing; what are messages is handed on. */
async function readAcknowledgement(
  link: Link,
  reply: HttpReply,
  type: string | undefined,
  asked: Question,
): Promise<void> {
  const text = await reply.text(MAX_ACKNOWLEDGEMENT).catch(() => '');
  if (text === '' || type !== 'application/json') return;
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
