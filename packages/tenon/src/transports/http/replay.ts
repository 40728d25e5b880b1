import type { Bounds } from './options.js';

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

interface Entry extends Kept {
  readonly stream: number;
  readonly place: number;
}

interface Shelf {
  readonly entries: Entry[];
  size: number;
}

type LogBounds = Pick<Bounds, 'replayEvents' | 'replaySize' | 'replayTotal'>;

/** An event log in memory. When it is full the oldest messages go, first of the session, then of the quietest one. */
export function createMemoryLog({ replayEvents, replaySize, replayTotal }: LogBounds): EventLog {
  // In the order of their last message.
  const shelves = new Map<string, Shelf>();
  let latest: string | undefined;
  let place = 0;
  let total = 0;

  const dropOldest = (session: string, shelf: Shelf): void => {
    const size = shelf.entries.shift()?.text.length ?? 0;
    shelf.size -= size;
    total -= size;
    if (shelf.entries.length === 0) shelves.delete(session);
  };
  const makeRoom = (): void => {
    while (total > replayTotal) {
      const quietest = shelves.entries().next().value;
      if (quietest === undefined) return;
      dropOldest(...quietest);
    }
  };

  return {
    append(session, stream, text) {
      const shelf = shelves.get(session) ?? { entries: [], size: 0 };
      if (latest !== session || shelf.entries.length === 0) {
        shelves.delete(session);
        shelves.set(session, shelf);
        latest = session;
      }
      const id = `${stream}-${(++place).toString(36)}`;
      shelf.entries.push({ id, stream, place, text });
      shelf.size += text.length;
      total += text.length;
      while (shelf.entries.length > replayEvents || shelf.size > replaySize) dropOldest(session, shelf);
      makeRoom();
      return id;
    },
    mark: stream => `${stream}-${(++place).toString(36)}`,
    after(session, eventId) {
      const [, stream, after] = /^(\d{1,15})-([0-9a-z]{1,11})$/.exec(eventId) ?? [];
      if (stream === undefined || after === undefined) return undefined;
      const number = Number(stream);
      const last = Number.parseInt(after, 36);
      if (last > place) return undefined;
      const entries = shelves.get(session)?.entries ?? [];
      return { stream: number, events: entries.filter(entry => entry.stream === number && entry.place > last) };
    },
    drop(session) {
      total -= shelves.get(session)?.size ?? 0;
      shelves.delete(session);
    },
  };
}
