/** A position in a log: after a number of events in an entry. */
export interface LogPosition {
  readonly entry: number;
  readonly events: number;
  /** Tag of the entry. It differs if the store has lost the entry and another one has its number. */
  readonly tag: string;
}

/** Encodes a position as an event ID. */
export function encodeEventId(log: string, { entry, events, tag }: LogPosition): string {
  return `${log}-${entry.toString(36)}-${events.toString(36)}-${tag}`;
}

export interface StoredEventId extends LogPosition {
  readonly log: string;
}

const EVENT_ID = /^([0-9a-z]{1,32})-([0-9a-z]{1,7})-([0-9a-z]{1,5})-([0-9a-v]{5})$/;

export function parseEventId(id: string | undefined): StoredEventId | undefined {
  const [, log, entry = '', events = '', tag = ''] = EVENT_ID.exec(id ?? '') ?? [];
  return log === undefined
    ? undefined
    : { log, entry: Number.parseInt(entry, 36), events: Number.parseInt(events, 36), tag };
}
