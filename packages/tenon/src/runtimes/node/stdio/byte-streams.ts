import type { Readable, Writable } from 'node:stream';
import type { ByteSink, ByteSource } from '../../../transports/stdio/byte-streams.js';

/** Size from which a chunk filled the buffer that Node reads into, so that the pipe probably has more. */
const FULL_CHUNK_BYTES = 64 * 1024;

/**
 * Wraps a Node stream as a byte source. A broken stream counts as ended. After each full chunk, it lets other work of the
 * event loop run: Node reads up to 32 chunks of a pipe in a row, and a peer that floods would hold up everybody else.
 */
export function createByteSource(stream: Readable): ByteSource {
  let paused = false;
  return {
    read({ push, end }) {
      let ended = false;
      const finishOnce = (error?: unknown) => {
        if (ended) return;
        ended = true;
        end(error);
      };
      stream.on('data', (data: Uint8Array | string) => {
        push(typeof data === 'string' ? Buffer.from(data) : data);
        if (data.length < FULL_CHUNK_BYTES) return;
        stream.pause();
        setImmediate(() => paused || stream.resume());
      });
      stream.on('end', () => finishOnce());
      stream.on('close', () => finishOnce());
      stream.on('error', finishOnce);
    },
    pause() {
      paused = true;
      stream.pause();
    },
    resume() {
      paused = false;
      stream.resume();
    },
  };
}

type StreamWrite = (text: string, encoding: 'utf8', done: (error?: Error | null) => void) => boolean;

/** Wraps a Node stream as a byte sink. Pass `write` if the write function of the stream is replaced. */
export function createByteSink(stream: Writable, write: StreamWrite = stream.write.bind(stream)): ByteSink {
  let streamError: unknown;
  let failPending: ((error: unknown) => void) | undefined;
  const fail = (error: unknown) => {
    streamError ??= error;
    failPending?.(streamError);
  };
  // EPIPE means that the reader has closed the stream. It is reported to the writer and does not end the process.
  stream.on('error', fail);
  stream.on('close', () => fail(new Error('the stream is closed')));
  return {
    write(text, done) {
      if (streamError || stream.destroyed || stream.writableEnded)
        return done(streamError ?? new Error('the stream is closed'));
      let pending = true;
      const settle = (error?: unknown) => {
        if (!pending) return;
        pending = false;
        failPending = undefined;
        done(error ?? undefined);
      };
      failPending = settle;
      write(text, 'utf8', settle);
    },
    end: () => void (stream.destroyed || stream.end()),
    schedule: run => void setImmediate(run),
  };
}
