/** A position in a log: after a number of events in an entry. */
export interface LogPosition {
  readonly entry: number;
  readonly events: number;
}

/** Encodes a position as an event ID. */
export function encodeEventId(log: string, { entry, events }: LogPosition): string {
  return `${log}-${entry.toString(36)}-${events.toString(36)}`;
}

export interface StoredEventId extends LogPosition {
  readonly log: string;
}

export function parseEventId(id: string | undefined): StoredEventId | undefined {
  const [, log, entry, events] = /^([0-9a-z]{1,32})-([0-9a-z]{1,7})-([0-9a-z]{1,5})$/.exec(id ?? '') ?? [];
  if (log === undefined || entry === undefined || events === undefined) return undefined;
  return { log, entry: Number.parseInt(entry, 36), events: Number.parseInt(events, 36) };
}
