import { SharedLimit } from '../../jsonrpc/shared-limit.js';
import type { Bounds } from './options.js';
import { eventId, Shelf } from './shelf.js';

/** Keeps what streams carried, so that a broken one can be resumed. Replace it to keep it elsewhere. */
export interface EventLog {
  /** Keeps one message of a stream. Returns its event id, which is unique in its session and names the stream. */
  append(session: string, stream: number, text: string): string;
  /** An event id that stands for the place before the next message of a stream. */
  mark(stream: number): string;
  /** What a stream carried after an event, or `undefined` when there was no such event. */
  after(session: string, eventId: string): Replay | undefined;
  /** Forgets a session. */
  drop(session: string): void;
}

export interface Replay {
  readonly stream: number;
  readonly events: readonly Kept[];
}

export interface Kept {
  readonly id: string;
  readonly text: string;
}

/** The event id before everything on a stream. */
export function beginning(stream: number): string {
  return `${stream}-0`;
}

type LogBounds = Pick<Bounds, 'replayEvents' | 'replaySize' | 'replayTotal'>;

/** The messages of one session, and the caller whose share they use up. */
interface SessionMessages {
  readonly shelf: Shelf;
  readonly caller: string;
}

/**
 * An event log in memory. When it is full the oldest messages go, first of the session, then of the quietest session of
 * the caller that holds most. `getCaller` names the caller of a session.
 */
export function createMemoryLog(bounds: LogBounds, getCaller: (session: string) => string = () => ''): EventLog {
  // In the order of their last message.
  const shelves = new Map<string, SessionMessages>();
  const bytes = new SharedLimit(bounds.replayTotal);
  let latest: string | undefined;
  let place = 0;

  const findMessages = (session: string): SessionMessages => {
    const known = shelves.get(session);
    if (known !== undefined && latest === session) return known;
    const messages = known ?? { shelf: new Shelf(bounds), caller: getCaller(session) };
    shelves.delete(session);
    shelves.set(session, messages);
    latest = session;
    return messages;
  };
  const change = (session: string, { shelf, caller }: SessionMessages, work: () => void): void => {
    const before = shelf.size;
    work();
    if (shelf.size > before) bytes.add(caller, shelf.size - before);
    else if (shelf.size < before) bytes.release(caller, before - shelf.size);
    if (shelf.isEmpty) shelves.delete(session);
  };
  const findQuietest = (caller: string): [string, SessionMessages] | undefined => {
    for (const entry of shelves) if (entry[1].caller === caller) return entry;
    return undefined;
  };
  const makeRoom = (appending: string): void => {
    while (bytes.total > bounds.replayTotal) {
      const largest = bytes.findLargest(appending);
      const quietest = findQuietest(largest);
      if (quietest === undefined) return;
      const [session, messages] = quietest;
      change(session, messages, () => messages.shelf.dropOldest());
    }
  };

  return {
    append(session, stream, text) {
      const messages = findMessages(session);
      place += 1;
      change(session, messages, () => messages.shelf.add(stream, place, text));
      makeRoom(messages.caller);
      return eventId(stream, place);
    },
    mark: stream => eventId(stream, ++place),
    after(session, id) {
      const [, stream, after] = /^(\d{1,15})-([0-9a-z]{1,11})$/.exec(id) ?? [];
      if (stream === undefined || after === undefined) return undefined;
      const number = Number(stream);
      const last = Number.parseInt(after, 36);
      if (last > place) return undefined;
      return { stream: number, events: shelves.get(session)?.shelf.after(number, last) ?? [] };
    },
    drop(session) {
      const messages = shelves.get(session);
      if (messages === undefined) return;
      bytes.release(messages.caller, messages.shelf.size);
      shelves.delete(session);
    },
  };
}
