import { TenonError } from '../../jsonrpc/error.js';
import { type Id, kindOf, type Message } from '../../jsonrpc/message.js';
import { newCourse } from './client-backoff.js';
import { abortError, goneError, noAnswer, outcomeUnknown, refusal, unreadableError } from './client-errors.js';
import type { Lease } from './client-leases.js';
import { deliver, deliverText, type Link, type Question, question } from './client-link.js';
import { drain, isEventStream, isSuccess, lowerCase, mediaType } from './client-road.js';
import { readStream, reconnect, resumeId } from './client-stream.js';
import type { HttpReply } from './requester.js';

/** How much of the answer to a message that asks nothing is read, in bytes. */
const MAX_ACKNOWLEDGEMENT = 65_536;
const MAX_SESSION_ID = 4_096;

export interface Posting {
  readonly message: Message;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly stateless: boolean;
}

/** Sends one message by a POST of its own. [http.post.new-request-per-message] */
export async function post(link: Link, { message, headers, signal, stateless }: Posting): Promise<void> {
  const asked = question(requestId(message));
  const session = stateless ? undefined : link.session;
  const body = write(message, link.peer);
  const lease = link.leases.lend(signal);
  let streaming = false;
  try {
    const reply = await link.road.request({
      method: 'POST',
      headers: postHeaders(session, headers),
      body,
      signal: lease.signal,
    });
    if (!isSuccess(reply)) throw await refused(link, reply, session);
    if (!stateless && session === undefined) learnSession(link, reply);
    streaming = isEventStream(reply);
    if (streaming) void follow(link, reply, asked, lease, { session: stateless ? undefined : link.session, stateless });
    else await readAnswer(link, reply, asked, lease.signal);
  } finally {
    if (!streaming) lease.end();
  }
}

function requestId(message: Message): Id | undefined {
  return 'method' in message && 'id' in message ? message.id : undefined;
}

function write(message: Message, peer: string): string {
  try {
    return JSON.stringify(message);
  } catch (cause) {
    throw new TenonError('call/unwritable', 'the message can not be written as JSON', { peer, cause });
  }
}

function postHeaders(session: string | undefined, given: Readonly<Record<string, string>> | undefined) {
  const headers = lowerCase(given);
  headers.accept = 'application/json, text/event-stream';
  headers['content-type'] = 'application/json';
  if (session !== undefined) headers['mcp-session-id'] = session;
  return headers;
}

function learnSession(link: Link, reply: HttpReply): void {
  const id = reply.header('mcp-session-id');
  if (id === undefined) return;
  if (id.length <= MAX_SESSION_ID && /^[\x21-\x7e]+$/.test(id)) {
    link.learn(id);
    return;
  }
  reply.cancel();
  throw new TenonError('peer/invalid-session-id', 'the server opened a session under an id that is none', {
    peer: link.peer,
    expected: `1 to ${MAX_SESSION_ID} visible ASCII characters`,
  });
}

async function refused(link: Link, reply: HttpReply, session: string | undefined): Promise<TenonError> {
  const error = await refusal(reply, link.peer, session !== undefined);
  if (error.code === 'session/gone' && session !== undefined) link.forget(session);
  return error;
}

/** An answer that is no stream. Rejects when the connection breaks before the answer is whole. */
async function readAnswer(link: Link, reply: HttpReply, asked: Question, signal: AbortSignal): Promise<void> {
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

/** Follows the stream of one request over as many connections as it takes. [http.sse.client-polls] */
async function follow(
  link: Link,
  first: HttpReply,
  asked: Question,
  lease: Lease,
  { session, stateless }: { session: string | undefined; stateless: boolean },
): Promise<void> {
  const { signal } = lease;
  const course = newCourse(link.clock.now());
  const lost = (error: TenonError) => {
    if (asked.id !== undefined) link.receiver.lost(asked.id, error);
  };
  try {
    for (let reply = first; ; ) {
      await readStream(link, reply, course, asked, signal);
      if (signal.aborted || asked.answered || asked.id === undefined) return;
      if (asked.spoiled) return lost(asked.spoiled);
      if (stateless || resumeId(course) === undefined) {
        return lost(outcomeUnknown(link.peer, 'the stream ended before the answer came'));
      }
      const next = await resume(link, course, session, signal);
      if (signal.aborted) return;
      if (next instanceof TenonError) return lost(next);
      reply = next;
    }
  } finally {
    lease.end();
  }
}

async function resume(
  link: Link,
  course: ReturnType<typeof newCourse>,
  session: string | undefined,
  signal: AbortSignal,
) {
  if (session !== link.session)
    return outcomeUnknown(link.peer, 'its session ended before the answer came', goneError(link.peer));
  const next = await reconnect(link, { course, policy: link.resume, signal, session, hold: true });
  if ('reply' in next) return next.reply;
  const why = next.over === 'refused' ? 'the server does not resume the stream' : 'the stream could not be resumed';
  return outcomeUnknown(link.peer, `${why}, and the answer had not come`, next.error);
}
