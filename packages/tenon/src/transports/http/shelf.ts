import type { Kept } from './replay.js';

interface ShelfBounds {
  readonly replayEvents: number;
  readonly replaySize: number;
}

/** Of each message: its stream, its place, and where its text begins. */
const FIELDS = 3;
const FEW = 16;
const SMALL = 1024;
/** Bytes beyond which room that is hardly used any more is given back. */
const LARGE = 65_536;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * What the streams of one session carried last, as bytes in one piece: to collect many small texts that have lived for a
 * while costs more than to write them down.
 */
export class Shelf {
  readonly #bounds: ShelfBounds;
  /** A ring. */
  #facts = new Float64Array(FEW * FIELDS);
  #first = 0;
  #count = 0;
  #bytes = new Uint8Array(SMALL);
  /** Positions are counted over all that was ever kept: where the bytes begin, and where the last text ends. */
  #base = 0;
  #end = 0;

  constructor(bounds: ShelfBounds) {
    this.#bounds = bounds;
  }

  /** In bytes. */
  get size(): number {
    return this.#end - this.#start;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** Keeps a message. When there are too many or too much, the oldest go. */
  add(stream: number, place: number, text: string): void {
    const start = this.#end;
    this.#write(text);
    this.#note(stream, place, start);
    const { replayEvents, replaySize } = this.#bounds;
    while (this.#count > replayEvents || this.size > replaySize) this.dropOldest();
  }

  dropOldest(): void {
    if (this.#count === 0) return;
    this.#first = (this.#first + 1) % this.#capacity;
    this.#count -= 1;
    if (this.#bytes.length > LARGE && this.size * 8 < this.#bytes.length) this.#move(new Uint8Array(this.size * 2));
  }

  /** What a stream carried after a place. */
  after(stream: number, place: number): Kept[] {
    const found: Kept[] = [];
    for (let n = 0; n < this.#count; n += 1) {
      const own = this.#fact(n, 1);
      if (this.#fact(n, 0) !== stream || own <= place) continue;
      const end = n + 1 < this.#count ? this.#fact(n + 1, 2) : this.#end;
      const bytes = this.#bytes.subarray(this.#fact(n, 2) - this.#base, end - this.#base);
      found.push({ id: eventId(stream, own), text: decoder.decode(bytes) });
    }
    return found;
  }

  get #capacity(): number {
    return this.#facts.length / FIELDS;
  }

  get #start(): number {
    return this.#count === 0 ? this.#end : this.#fact(0, 2);
  }

  #fact(n: number, field: number): number {
    return this.#facts[((this.#first + n) % this.#capacity) * FIELDS + field] as number;
  }

  #note(stream: number, place: number, start: number): void {
    if (this.#count === this.#capacity) this.#widen();
    this.#facts.set([stream, place, start], ((this.#first + this.#count) % this.#capacity) * FIELDS);
    this.#count += 1;
  }

  #widen(): void {
    const wider = new Float64Array(this.#facts.length * 2);
    const cut = this.#first * FIELDS;
    wider.set(this.#facts.subarray(cut));
    wider.set(this.#facts.subarray(0, cut), this.#facts.length - cut);
    this.#facts = wider;
    this.#first = 0;
  }

  #write(text: string): void {
    // Most of it is ASCII; no character takes more than three bytes.
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
    // Twice what is held, so that it is seldom moved; a new piece is larger than that, so that it is the last one.
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

export function eventId(stream: number, place: number): string {
  return `${stream}-${place.toString(36)}`;
}
