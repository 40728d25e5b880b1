import type { Readable, Writable } from 'node:stream';
import type { ByteSink, ByteSource } from '../../../transports/stdio/byte-streams.js';
import { readInTurns } from '../read-in-turns.js';

/** Wraps a Node stream as a byte source. A broken stream counts as ended. */
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
      const onChunk = (data: Uint8Array | string) => push(typeof data === 'string' ? Buffer.from(data) : data);
      stream.on(
        'data',
        readInTurns(stream, onChunk, () => paused),
      );
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
