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

/** An event log in memory. When it is full the oldest messages go, first of the session, then of the quietest one. */
export function createMemoryLog(bounds: LogBounds): EventLog {
  // In the order of their last message.
  const shelves = new Map<string, Shelf>();
  let latest: string | undefined;
  let place = 0;
  let total = 0;

  const shelfOf = (session: string): Shelf => {
    const known = shelves.get(session);
    if (known !== undefined && latest === session) return known;
    const shelf = known ?? new Shelf(bounds);
    shelves.delete(session);
    shelves.set(session, shelf);
    latest = session;
    return shelf;
  };
  const change = (session: string, shelf: Shelf, work: () => void): void => {
    const before = shelf.size;
    work();
    total += shelf.size - before;
    if (shelf.isEmpty) shelves.delete(session);
  };
  const makeRoom = (): void => {
    while (total > bounds.replayTotal) {
      const quietest = shelves.entries().next().value;
      if (quietest === undefined) return;
      const [session, shelf] = quietest;
      change(session, shelf, () => shelf.dropOldest());
    }
  };

  return {
    append(session, stream, text) {
      const shelf = shelfOf(session);
      place += 1;
      change(session, shelf, () => shelf.add(stream, place, text));
      makeRoom();
      return eventId(stream, place);
    },
    mark: stream => eventId(stream, ++place),
    after(session, id) {
      const [, stream, after] = /^(\d{1,15})-([0-9a-z]{1,11})$/.exec(id) ?? [];
      if (stream === undefined || after === undefined) return undefined;
      const number = Number(stream);
      const last = Number.parseInt(after, 36);
      if (last > place) return undefined;
      return { stream: number, events: shelves.get(session)?.after(number, last) ?? [] };
    },
    drop(session) {
      total -= shelves.get(session)?.size ?? 0;
      shelves.delete(session);
    },
  };
}
