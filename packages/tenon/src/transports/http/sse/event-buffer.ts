import type { StoredEvent } from './event-store.js';

interface EventBufferLimits {
  readonly maxReplayEvents: number;
  readonly maxReplayBytes: number;
}

/** Number of fields of each message: its stream, its position, and the offset of its text. */
const FIELDS_PER_EVENT = 3;
const INITIAL_EVENTS = 16;
const INITIAL_BYTES = 1024;
/** Minimum capacity of a buffer that shrinks when it is nearly empty, in bytes. */
const SHRINK_ABOVE = 65_536;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * The last messages of the streams of one session, as bytes in one buffer. Garbage collection of many small strings
 * would cost more than copying them.
 */
export class EventBuffer {
  readonly #limits: EventBufferLimits;
  /** Ring buffer of the fields. */
  #fields = new Float64Array(INITIAL_EVENTS * FIELDS_PER_EVENT);
  #first = 0;
  #count = 0;
  #bytes = new Uint8Array(INITIAL_BYTES);
  /** Positions count all bytes that were ever stored. `#base` is the position of the first byte in the buffer. */
  #base = 0;
  #end = 0;

  constructor(limits: EventBufferLimits) {
    this.#limits = limits;
  }

  /** Size in bytes. */
  get size(): number {
    return this.#end - this.#start;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** Adds a message. Removes the oldest messages beyond the limits. */
  add(stream: number, position: number, text: string): void {
    const start = this.#end;
    this.#write(text);
    this.#record(stream, position, start);
    const { maxReplayEvents, maxReplayBytes } = this.#limits;
    while (this.#count > maxReplayEvents || this.size > maxReplayBytes) this.dropOldest();
  }

  dropOldest(): void {
    if (this.#count === 0) return;
    this.#first = (this.#first + 1) % this.#capacity;
    this.#count -= 1;
    if (this.#bytes.length > SHRINK_ABOVE && this.size * 8 < this.#bytes.length)
      this.#move(new Uint8Array(this.size * 2));
  }

  /** Lists the messages of a stream after a position. */
  listAfter(stream: number, position: number): StoredEvent[] {
    const events: StoredEvent[] = [];
    for (let n = 0; n < this.#count; n += 1) {
      const eventPosition = this.#getField(n, 1);
      if (this.#getField(n, 0) !== stream || eventPosition <= position) continue;
      const end = n + 1 < this.#count ? this.#getField(n + 1, 2) : this.#end;
      const bytes = this.#bytes.subarray(this.#getField(n, 2) - this.#base, end - this.#base);
      events.push({ id: formatEventId(stream, eventPosition), text: decoder.decode(bytes) });
    }
    return events;
  }

  get #capacity(): number {
    return this.#fields.length / FIELDS_PER_EVENT;
  }

  get #start(): number {
    return this.#count === 0 ? this.#end : this.#getField(0, 2);
  }

  #getField(n: number, field: number): number {
    return this.#fields[((this.#first + n) % this.#capacity) * FIELDS_PER_EVENT + field] as number;
  }

  #record(stream: number, position: number, start: number): void {
    if (this.#count === this.#capacity) this.#grow();
    this.#fields.set([stream, position, start], ((this.#first + this.#count) % this.#capacity) * FIELDS_PER_EVENT);
    this.#count += 1;
  }

  #grow(): void {
    const wider = new Float64Array(this.#fields.length * 2);
    const cut = this.#first * FIELDS_PER_EVENT;
    wider.set(this.#fields.subarray(cut));
    wider.set(this.#fields.subarray(0, cut), this.#fields.length - cut);
    this.#fields = wider;
    this.#first = 0;
  }

  #write(text: string): void {
    // Most text is ASCII. No UTF-16 code unit needs more than three bytes.
    for (let room = text.length; ; room = text.length * 3) {
      const { read, written } = encoder.encodeInto(text, this.#bytes.subarray(this.#end - this.#base));
      if (read === text.length) {
        this.#end += written;
        return;
      }
      this.#makeRoom(room);
    }
  }

  #makeRoom(room: number): void {
    // The new buffer has twice the size of its content, so that it rarely grows.
    const least = this.size * 2 + room;
    this.#move(least <= this.#bytes.length ? this.#bytes : new Uint8Array(least + this.size));
  }

  #move(to: Uint8Array<ArrayBuffer>): void {
    const start = this.#start;
    to.set(this.#bytes.subarray(start - this.#base, this.#end - this.#base));
    this.#bytes = to;
    this.#base = start;
  }
}

export function formatEventId(stream: number, position: number): string {
  return `${stream}-${position.toString(36)}`;
}
