import type { ByteReader } from './bytes.js';
import { createHeld } from './held.js';

export interface LineTaker {
  /** Complete lines: the text between two newlines, in which there may be more of them. */
  text(text: string): void;
  /** A line is longer than the limit. Called as soon as that is known, with how it begins. */
  flood(head: string): void;
  /** That line has ended: how it began, and how it ended. */
  flooded(head: string, tail: string): void;
}

const NEWLINE = 10;
const EDGE = 512;
/** Keeps byte order marks, because a chunk may begin anywhere: only the reader of lines knows where a message begins. */
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Splits bytes in any chunking into lines. A newline byte is never part of another UTF-8 character, so bytes are split
 * first and decoded by whole lines, as many at once as a chunk completes. Bytes that are not UTF-8 become U+FFFD.
 */
export class LineSplitter implements ByteReader {
  readonly #taker: LineTaker;
  readonly #maxLineBytes: number;
  readonly #held = createHeld();
  #flood: { readonly head: string; tail: Uint8Array } | undefined;

  constructor(taker: LineTaker, maxLineBytes: number) {
    this.#taker = taker;
    this.#maxLineBytes = maxLineBytes;
  }

  chunk(bytes: Uint8Array): void {
    const start = this.#flood ? this.#flow(bytes) : 0;
    if (start === bytes.length) return;
    if (this.#held.size + bytes.length - start > this.#maxLineBytes) this.#lineByLine(bytes, start);
    else this.#wholeLines(bytes, start);
  }

  end(): void {
    if (this.#held.size > 0) this.#taker.text(this.#complete(new Uint8Array(0)));
    this.#endFlood();
  }

  /** The quick way: what a chunk completes is decoded at once. */
  #wholeLines(bytes: Uint8Array, start: number): void {
    const last = bytes.lastIndexOf(NEWLINE);
    const text = last < start ? undefined : this.#complete(bytes.subarray(start, last));
    const rest = last < start ? start : last + 1;
    if (rest < bytes.length) this.#held.add(bytes.subarray(rest));
    if (text !== undefined) this.#taker.text(text);
  }

  /** The careful way, taken when a line might be longer than the limit. */
  #lineByLine(bytes: Uint8Array, from: number): void {
    let start = from;
    for (let newline = bytes.indexOf(NEWLINE, start); newline !== -1; newline = bytes.indexOf(NEWLINE, start)) {
      const rest = bytes.subarray(start, newline);
      start = newline + 1;
      if (this.#fits(rest)) this.#taker.text(this.#complete(rest));
      else {
        this.#beginFlood(rest);
        this.#endFlood();
      }
    }
    const rest = bytes.subarray(start);
    if (this.#fits(rest)) this.#held.add(rest);
    else this.#beginFlood(rest);
  }

  #fits(rest: Uint8Array): boolean {
    return this.#held.size + rest.length <= this.#maxLineBytes;
  }

  #complete(rest: Uint8Array): string {
    if (this.#held.size === 0) return UTF8.decode(rest);
    this.#held.add(rest);
    const text = UTF8.decode(this.#held.view());
    this.#held.clear();
    return text;
  }

  /** From here on only the two ends of the line are kept. */
  #beginFlood(rest: Uint8Array): void {
    const head = UTF8.decode(joined(this.#held.view().subarray(0, EDGE), rest.subarray(0, EDGE)).subarray(0, EDGE));
    this.#held.clear();
    this.#flood = { head, tail: rest.slice(-EDGE) };
    this.#taker.flood(head);
  }

  /** Returns where the line after the long one begins. */
  #flow(bytes: Uint8Array): number {
    const newline = bytes.indexOf(NEWLINE);
    const rest = newline === -1 ? bytes : bytes.subarray(0, newline);
    if (this.#flood) this.#flood.tail = joined(this.#flood.tail, rest.subarray(-EDGE)).slice(-EDGE);
    if (newline === -1) return bytes.length;
    this.#endFlood();
    return newline + 1;
  }

  #endFlood(): void {
    const flood = this.#flood;
    this.#flood = undefined;
    if (flood) this.#taker.flooded(flood.head, UTF8.decode(flood.tail));
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
