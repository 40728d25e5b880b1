import type { SendOptions } from '../../jsonrpc/channel.js';
import { isSessionLoss, TenonError } from '../../jsonrpc/error.js';
import type { Id, Message, Response } from '../../jsonrpc/message.js';
import type { Signal } from '../../jsonrpc/recall.js';
import { readAnswer } from './client-answer.js';
import { type Course, setOut } from './client-backoff.js';
import { goneError, outcomeUnknown, refusal } from './client-errors.js';
import type { Lease } from './client-leases.js';
import { type Link, type Question, question } from './client-link.js';
import { isEventStream, isSuccess, mediaType } from './client-road.js';
import { readStream, reconnect, resumeId } from './client-stream.js';
import type { HttpReply } from './requester.js';

const MAX_SESSION_ID = 4_096;

/** Sends one message by a POST of its own. [http.post.new-request-per-message] */
export async function post(link: Link, message: Message, options: SendOptions): Promise<void> {
  const { headers, signal, stateless } = options;
  const asked = question(requestId(message), isListening(message));
  const session = stateless ? undefined : link.session;
  const body = write(message, link.peer);
  const lease = link.leases.lend(signal);
  let streaming = false;
  try {
    const reply = await link.road.request({
      method: 'POST',
      headers: postHeaders(session, headers),
      body,
      signal: lease,
    });
    if (!isSuccess(reply)) throw await refused(link, reply, session, asked.id);
    if (!stateless && session === undefined) learnSession(link, reply);
    const type = mediaType(reply);
    streaming = isEventStream(reply, type);
    if (streaming) void follow(link, reply, asked, lease, stateless ? undefined : link.session, options);
    else await readAnswer(link, reply, type, asked, lease);
  } finally {
    if (!streaming) lease.end();
  }
}

export function requestId(message: Message | readonly Response[]): Id | undefined {
  return 'method' in message && 'id' in message ? message.id : undefined;
}

function isListening(message: Message | readonly Response[]): boolean {
  return 'method' in message && message.method === 'subscriptions/listen';
}

function write(message: Message, peer: string): string {
  try {
    return JSON.stringify(message);
  } catch (cause) {
    throw new TenonError('call/unwritable', 'the message can not be written as JSON', { peer, cause });
  }
}

function postHeaders(session: string | undefined, given: Readonly<Record<string, string>> | undefined) {
  const own = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
  const headers: Record<string, string> = Object.assign({}, given, own);
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

async function refused(link: Link, reply: HttpReply, session: string | undefined, id: Id | undefined) {
  const error = await refusal(reply, link.peer, { id, hadSession: session !== undefined });
  if (session !== undefined && isSessionLoss(error)) link.forget(session);
  return error;
}

/** Follows the stream of one request over as many connections as it takes. [http.sse.client-polls] */
async function follow(
  link: Link,
  first: HttpReply,
  asked: Question,
  lease: Lease,
  session: string | undefined,
  { stateless, onHungUp }: SendOptions,
): Promise<void> {
  const course = setOut(link.clock.now());
  const lost = (error: TenonError) => {
    if (asked.id !== undefined) link.receiver.lost(asked.id, error);
  };
  try {
    for (let reply = first; ; ) {
      await readStream(link, reply, course, asked, lease);
      if (lease.aborted || asked.answered || asked.id === undefined) return;
      if (asked.spoiled) return lost(asked.spoiled);
      if (stateless || resumeId(course) === undefined) {
        return lost(outcomeUnknown(link.peer, 'the stream ended before the answer came'));
      }
      onHungUp?.();
      const next = await resume(link, course, session, lease);
      if (lease.aborted) return;
      if (next instanceof TenonError) return lost(next);
      reply = next;
    }
  } finally {
    lease.end();
  }
}

async function resume(link: Link, course: Course, session: string | undefined, signal: Signal) {
  if (session !== link.session)
    return outcomeUnknown(link.peer, 'its session ended before the answer came', goneError(link.peer));
  const next = await reconnect(link, { course, policy: link.resume, signal, session, hold: true });
  if ('reply' in next) return next.reply;
  const why = next.over === 'refused' ? 'the server does not resume the stream' : 'the stream could not be resumed';
  return outcomeUnknown(link.peer, `${why}, and the answer had not come`, next.error);
}
