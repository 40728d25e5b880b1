import { joinBytes } from '@tenon/base';
import type { ByteReader } from './byte-streams.js';

export interface LineHandler {
  /** Called with complete lines, which are separated by newlines. */
  text(text: string): void;
  /** Called with the beginning of a line, as soon as it is longer than the limit. */
  onOversizedLine(head: string): void;
  /** Called at the end of an oversized line with its first and last characters. */
  onOversizedLineEnd(head: string, tail: string): void;
}

const NEWLINE = 10;
const EDGE_LENGTH = 512;
const INITIAL_CAPACITY = 4096;
const MAX_RETAINED = 256 * 1024;
/**
 * A decoder that keeps byte order marks, because a chunk may begin anywhere. Only the line reader knows where a message
 * begins.
 */
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Splits byte chunks into lines. A newline byte is never part of another UTF-8 character.
 *
 * So the bytes are split first and then decoded, with all complete lines of a chunk at once. Bytes that are not UTF-8
 * become U+FFFD.
 */
export class LineSplitter implements ByteReader {
  readonly #handler: LineHandler;
  readonly #maxLineBytes: number;
  readonly #buffer = createByteBuffer();
  #oversized: { readonly head: string; tail: Uint8Array } | undefined;

  constructor(handler: LineHandler, maxLineBytes: number) {
    this.#handler = handler;
    this.#maxLineBytes = maxLineBytes;
  }

  push(bytes: Uint8Array): void {
    const start = this.#oversized ? this.#skipOversized(bytes) : 0;
    if (start === bytes.length) return;
    if (this.#buffer.size + bytes.length - start > this.#maxLineBytes) this.#splitLineByLine(bytes, start);
    else this.#splitChunk(bytes, start);
  }

  end(): void {
    if (this.#buffer.size > 0) this.#handler.text(this.#takeText(new Uint8Array(0)));
    this.#endOversized();
  }

  /** Splits a chunk fast: all its complete lines are decoded at once. */
  #splitChunk(bytes: Uint8Array, start: number): void {
    const last = bytes.lastIndexOf(NEWLINE);
    const text = last < start ? undefined : this.#takeText(bytes.subarray(start, last));
    const rest = last < start ? start : last + 1;
    if (rest < bytes.length) this.#buffer.add(bytes.subarray(rest));
    if (text !== undefined) this.#handler.text(text);
  }

  /** Splits a chunk line by line, because a line may be longer than the limit. */
  #splitLineByLine(bytes: Uint8Array, from: number): void {
    let start = from;
    for (let newline = bytes.indexOf(NEWLINE, start); newline !== -1; newline = bytes.indexOf(NEWLINE, start)) {
      const rest = bytes.subarray(start, newline);
      start = newline + 1;
      if (this.#fits(rest)) this.#handler.text(this.#takeText(rest));
      else {
        this.#beginOversized(rest);
        this.#endOversized();
      }
    }
    const rest = bytes.subarray(start);
    if (this.#fits(rest)) this.#buffer.add(rest);
    else this.#beginOversized(rest);
  }

  #fits(rest: Uint8Array): boolean {
    return this.#buffer.size + rest.length <= this.#maxLineBytes;
  }

  #takeText(rest: Uint8Array): string {
    if (this.#buffer.size === 0) return UTF8.decode(rest);
    this.#buffer.add(rest);
    const text = UTF8.decode(this.#buffer.view());
    this.#buffer.clear();
    return text;
  }

  /** Starts an oversized line. Only its two ends are kept. */
  #beginOversized(rest: Uint8Array): void {
    const head = UTF8.decode(
      joinBytes(this.#buffer.view().subarray(0, EDGE_LENGTH), rest.subarray(0, EDGE_LENGTH)).subarray(0, EDGE_LENGTH),
    );
    this.#buffer.clear();
    this.#oversized = { head, tail: rest.slice(-EDGE_LENGTH) };
    this.#handler.onOversizedLine(head);
  }

  /** Skips the rest of an oversized line. Returns the start of the next line. */
  #skipOversized(bytes: Uint8Array): number {
    const newline = bytes.indexOf(NEWLINE);
    const rest = newline === -1 ? bytes : bytes.subarray(0, newline);
    if (this.#oversized)
      this.#oversized.tail = joinBytes(this.#oversized.tail, rest.subarray(-EDGE_LENGTH)).slice(-EDGE_LENGTH);
    if (newline === -1) return bytes.length;
    this.#endOversized();
    return newline + 1;
  }

  #endOversized(): void {
    const oversized = this.#oversized;
    this.#oversized = undefined;
    if (oversized) this.#handler.onOversizedLineEnd(oversized.head, UTF8.decode(oversized.tail));
  }
}

/** The bytes of an incomplete line in one buffer. Many small chunks cost no more than a few large ones. */
interface ByteBuffer {
  readonly size: number;
  add(bytes: Uint8Array): void;
  /** Returns the bytes so far. They are valid until the next `add`. */
  view(): Uint8Array;
  clear(): void;
}

function createByteBuffer(): ByteBuffer {
  let buffer = new Uint8Array(0);
  let size = 0;
  return {
    get size() {
      return size;
    },
    add(bytes) {
      if (size + bytes.length > buffer.length) {
        const grown = new Uint8Array(Math.max(INITIAL_CAPACITY, buffer.length * 2, size + bytes.length));
        grown.set(buffer.subarray(0, size));
        buffer = grown;
      }
      buffer.set(bytes, size);
      size += bytes.length;
    },
    view: () => buffer.subarray(0, size),
    clear() {
      size = 0;
      // The buffer shrinks after one large line, so that it does not keep the memory.
      if (buffer.length > MAX_RETAINED) buffer = new Uint8Array(0);
    },
  };
}
