import { SharedLimit } from '@tenon/base';
import type { Limits } from '../server/options.js';
import { EventBuffer, formatEventId } from './event-buffer.js';

/** Stores the messages of streams, so that a broken stream can be resumed. Implement it to store them elsewhere. */
export interface EventStore {
  /** Stores one message of a stream. Returns its event ID, which is unique in its session and names the stream. */
  append(session: string, stream: number, text: string): string;
  /** Creates an event ID for the position before the next message of a stream. */
  createEventId(stream: number): string;
  /** Returns the messages of a stream after an event, or `undefined` if the event does not exist. */
  replayAfter(session: string, eventId: string): Replay | undefined;
  /** Deletes all messages of a session. */
  deleteSession(session: string): void;
}

/** Events to send again on a resumed stream. */
export interface Replay {
  /** Number of the stream in its session. */
  readonly stream: number;
  /** Events after the one that the client named, in order. */
  readonly events: readonly StoredEvent[];
}

/** An event in an event store, with its ID. */
export interface StoredEvent {
  /** Event ID that clients send as `Last-Event-ID`. */
  readonly id: string;
  /** Text of the event, as sent. */
  readonly text: string;
}

type EventStoreLimits = Pick<Limits, 'maxReplayEvents' | 'maxReplayBytes' | 'maxTotalReplayBytes'>;

/** The messages of one session, with the key of the caller whose limit they use. */
interface SessionEvents {
  readonly buffer: EventBuffer;
  readonly caller: string;
}

/**
 * Creates an event store in memory. Beyond its limits, it first removes the oldest messages of the same session.
 *
 * Then it removes those of the least recently used session of the caller that stores most. `getCaller` returns the
 * caller of a session.
 */
export function createMemoryEventStore(
  limits: EventStoreLimits,
  getCaller: (session: string) => string = () => '',
): EventStore {
  // The sessions are in the order of their last message.
  const buffers = new Map<string, SessionEvents>();
  const bytes = new SharedLimit(limits.maxTotalReplayBytes);
  let latest: string | undefined;
  let position = 0;

  const findSessionEvents = (session: string): SessionEvents => {
    const known = buffers.get(session);
    if (known !== undefined && latest === session) return known;
    const messages = known ?? { buffer: new EventBuffer(limits), caller: getCaller(session) };
    buffers.delete(session);
    buffers.set(session, messages);
    latest = session;
    return messages;
  };
  const updateBuffer = (session: string, { buffer, caller }: SessionEvents, work: () => void): void => {
    const before = buffer.size;
    work();
    if (buffer.size > before) bytes.add(caller, buffer.size - before);
    else if (buffer.size < before) bytes.release(caller, before - buffer.size);
    if (buffer.isEmpty) buffers.delete(session);
  };
  const findQuietest = (caller: string): [string, SessionEvents] | undefined => {
    for (const entry of buffers) if (entry[1].caller === caller) return entry;
    return undefined;
  };
  const makeRoom = (appending: string): void => {
    while (bytes.total > limits.maxTotalReplayBytes) {
      const largest = bytes.findLargest(appending);
      const quietest = findQuietest(largest);
      if (quietest === undefined) return;
      const [session, messages] = quietest;
      updateBuffer(session, messages, () => messages.buffer.dropOldest());
    }
  };

  return {
    append(session, stream, text) {
      const messages = findSessionEvents(session);
      position += 1;
      updateBuffer(session, messages, () => messages.buffer.add(stream, position, text));
      makeRoom(messages.caller);
      return formatEventId(stream, position);
    },
    createEventId: stream => formatEventId(stream, ++position),
    replayAfter(session, id) {
      const [, stream, after] = /^(\d{1,15})-([0-9a-z]{1,11})$/.exec(id) ?? [];
      if (stream === undefined || after === undefined) return undefined;
      const number = Number(stream);
      const last = Number.parseInt(after, 36);
      if (last > position) return undefined;
      return { stream: number, events: buffers.get(session)?.buffer.listAfter(number, last) ?? [] };
    },
    deleteSession(session) {
      const messages = buffers.get(session);
      if (messages === undefined) return;
      bytes.release(messages.caller, messages.buffer.size);
      buffers.delete(session);
    },
  };
}
