import type { Readable } from 'node:stream';

/** Number of bytes of one stream that are handled before other work of the event loop. */
const TURN_BYTES = 64 * 1024;

/**
 * Creates a listener for `data` that lets other work of the event loop run after each 64 KiB. Node reads up to 32 chunks
 * of a pipe or a socket in a row, and a peer that floods would hold up everybody else.
 *
 * @param isPaused Tells if the reader itself has paused the stream.
 */
export function readInTurns<Chunk extends { readonly length: number }>(
  stream: Readable,
  onChunk: (chunk: Chunk) => void,
  isPaused: () => boolean = () => false,
): (chunk: Chunk) => void {
  let size = 0;
  return chunk => {
    onChunk(chunk);
    size += chunk.length;
    if (size < TURN_BYTES) return;
    size = 0;
    stream.pause();
    setImmediate(() => isPaused() || stream.resume());
  };
}
