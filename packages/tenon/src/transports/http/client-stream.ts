import { isSessionLoss, TenonError } from '../../jsonrpc/error.js';
import type { Signal } from '../../jsonrpc/recall.js';
import { type Course, isExhausted, noteConnection, noteFailure, pause, waitBefore } from './client-backoff.js';
import { goneError, refusal, silentError, unreadableError } from './client-errors.js';
import { deliverText, type Link, type Question } from './client-link.js';
import type { ReconnectPolicy } from './client-options.js';
import { isEventStream } from './client-road.js';
import type { HttpReply } from './requester.js';
import { readSse } from './sse-read.js';

/** How long a stream may stay open when it has answered what it was for, in milliseconds. */
const LINGER = 1_000;
/** Longer ids do not fit a header everywhere. */
const MAX_EVENT_ID = 4_096;
const MAX_RETRY_AFTER = 300_000;

/**
 * Reads one connection of a stream to its end, however that comes. Nothing is delivered once `signal` is aborted. Never
 * rejects: what a broken connection means depends on what came before, which `course` and `question` know.
 */
export async function readStream(
  link: Link,
  reply: HttpReply,
  course: Course,
  question: Question,
  signal: Signal,
): Promise<void> {
  const { clock, peer } = link;
  const opened = clock.now();
  const { lastEventId } = course;
  let message = false;
  let callOff: (() => void) | undefined;

  const event = ({ type, data }: { type: string; data: string }) => {
    if (signal.aborted || type !== 'message' || data === '') return;
    message = true;
    deliverText(link, question, data);
    if (question.answered) callOff ??= clock.after(LINGER, () => reply.cancel());
  };
  const tooLong = () => {
    question.spoiled = unreadableError(peer, `an event of more than ${link.maxMessage} characters`);
    link.receiver.unreadable(question.spoiled);
  };
  let isHeartbeat = false;
  const comment = () => {
    isHeartbeat = true;
  };
  const reader = readSse({ event, tooLong, comment }, link.maxMessage, lastEventId);
  const endSilent = () => {
    if (reader.lastEventId === undefined) loseSilent(link, question);
    reply.cancel();
  };
  const watched = question.watched ? link.silent.watch(() => reader.lastEventId !== undefined, endSilent) : undefined;

  try {
    await reply.read(chunk => {
      if (signal.aborted) return;
      reader.feed(chunk);
      watched?.noteBytes(isHeartbeat);
      isHeartbeat = false;
    });
  } catch {
    // A connection that breaks is one that ends: what had come of the last event is dropped either way.
  } finally {
    callOff?.();
    watched?.stop();
    reply.cancel();
  }
  const sign = reader.retry !== undefined || reader.lastEventId !== lastEventId;
  course.retry = reader.retry ?? course.retry;
  course.lastEventId = reader.lastEventId;
  noteConnection(course, { message, sign, stood: clock.now() - opened }, clock.now());
}

/** Tells that a stream ended that cannot be resumed: some of its messages may be lost. */
function loseSilent({ peer, receiver }: Link, question: Question): void {
  question.spoiled = silentError(peer);
  if (question.id === undefined) receiver.unreadable(question.spoiled);
}

export type Reconnected =
  | { readonly reply: HttpReply }
  /** The server has no such stream, every attempt failed, or nobody wants it any more. */
  | { readonly over: 'refused' | 'exhausted' | 'aborted'; readonly error: TenonError };

export interface Reconnect {
  readonly course: Course;
  readonly policy: ReconnectPolicy;
  readonly signal: Signal;
  /** The session that the stream belongs to. */
  readonly session: string | undefined;
  /** Whether somebody waits for what the stream brings, so that the process must stay. */
  readonly hold: boolean;
}

/** Waits and asks for a stream by GET until there is one or no hope. [http.resume.always-get] */
export async function reconnect(link: Link, asked: Reconnect): Promise<Reconnected> {
  const { course, policy, signal } = asked;
  let error = new TenonError('http/interrupted', 'the stream ended', { peer: link.peer });
  let atLeast = 0;
  for (;;) {
    if (isExhausted(course, policy, link.clock.now())) return { over: 'exhausted', error };
    const wait = Math.max(atLeast, waitBefore(course, policy, link.random));
    await pause(link.clock, wait, signal, asked.hold, link.sessionSignal);
    if (signal.aborted) return { over: 'aborted', error };
    if (asked.session !== link.session) return { over: 'refused', error: goneError(link.peer) };
    try {
      const reply = await openStream(link, course, asked.session, signal);
      if (isEventStream(reply)) return { reply };
      atLeast = retryAfter(reply);
      error = await refuseStream(link, reply, asked.session);
      if (!isPassing(reply.status)) return { over: 'refused', error };
    } catch (thrown) {
      error = TenonError.from(thrown);
      if (signal.aborted) return { over: 'aborted', error };
      if (error.code !== 'http/unreachable' && error.code !== 'http/interrupted') return { over: 'refused', error };
    }
    noteFailure(course);
  }
}

/** Reads why there is no stream. Only a GET can tell that the session is lost while nobody sends anything. */
export async function refuseStream(
  link: Link,
  reply: HttpReply,
  session: string | undefined,
  needsWords = false,
): Promise<TenonError> {
  const error = await refusal(reply, link.peer, { hadSession: session !== undefined, needsWords });
  if (session !== undefined && session === link.session && isSessionLoss(error)) {
    link.forget(session);
    link.receiver.onSessionLost?.(error);
  }
  return error;
}

/** Asks for a stream: a new one, or the one that `course` has begun to read. [http.get.accept-sse] */
export function openStream(link: Link, course: Course, session: string | undefined, signal: Signal) {
  const id = resumeId(course);
  const headers = link.headers(session, { accept: 'text/event-stream' });
  if (id !== undefined) headers['last-event-id'] = id;
  return link.road.request({ method: 'GET', headers, signal });
}

/** The last event id in the form of a header, if it has one. */
export function resumeId({ lastEventId }: Course): string | undefined {
  if (lastEventId === undefined || lastEventId.length > MAX_EVENT_ID) return undefined;
  if (/[\x00-\x08\x0a-\x1f\x7f]/.test(lastEventId)) return undefined;
  // A header is bytes; both kinds of runtime take each character for one.
  return /[^\x20-\x7e]/.test(lastEventId)
    ? Array.from(new TextEncoder().encode(lastEventId), byte => String.fromCharCode(byte)).join('')
    : lastEventId;
}

/** 409: the server has not noticed yet that the stream before has ended. */
function isPassing(status: number): boolean {
  return status >= 500 || status === 408 || status === 409 || status === 425 || status === 429;
}

function retryAfter(reply: HttpReply): number {
  const seconds = Number(reply.header('retry-after') ?? 0);
  return seconds > 0 ? Math.min(seconds * 1_000, MAX_RETRY_AFTER) : 0;
}
