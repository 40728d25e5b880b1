const INITIAL_CAPACITY = 4096;
const MAX_RETAINED = 256 * 1024;

/** The bytes of an incomplete line in one buffer. Many small chunks cost no more than a few large ones. */
export interface ByteBuffer {
  readonly size: number;
  add(bytes: Uint8Array): void;
  /** Returns the bytes so far. They are valid until the next `add`. */
  view(): Uint8Array;
  clear(): void;
}

export function createByteBuffer(): ByteBuffer {
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
