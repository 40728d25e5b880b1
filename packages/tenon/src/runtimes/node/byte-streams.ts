import type { Readable, Writable } from 'node:stream';
import type { ByteSink, ByteSource } from '../../transports/stdio/bytes.js';

/** A Node stream as a source of bytes. A stream that breaks ends. */
export function byteSource(stream: Readable): ByteSource {
  return {
    read({ chunk, end }) {
      let ended = false;
      const once = (error?: unknown) => {
        if (ended) return;
        ended = true;
        end(error);
      };
      stream.on('data', (data: Uint8Array | string) => chunk(typeof data === 'string' ? Buffer.from(data) : data));
      stream.on('end', () => once());
      stream.on('close', () => once());
      stream.on('error', once);
    },
    pause: () => void stream.pause(),
    resume: () => void stream.resume(),
  };
}

type Write = (text: string, encoding: 'utf8', done: (error?: Error | null) => void) => boolean;

/** A Node stream as a sink. `write` stands in where the stream's own is taken. */
export function byteSink(stream: Writable, write: Write = stream.write.bind(stream)): ByteSink {
  let broken: unknown;
  let failing: ((error: unknown) => void) | undefined;
  const fail = (error: unknown) => {
    broken ??= error;
    failing?.(broken);
  };
  // EPIPE is how a stream says that nobody reads it: it is told to who writes, and kills nobody.
  stream.on('error', fail);
  stream.on('close', () => fail(new Error('the stream is closed')));
  return {
    write(text, done) {
      if (broken || stream.destroyed || stream.writableEnded) return done(broken ?? new Error('the stream is closed'));
      let pending = true;
      const settle = (error?: unknown) => {
        if (!pending) return;
        pending = false;
        failing = undefined;
        done(error ?? undefined);
      };
      failing = settle;
      write(text, 'utf8', settle);
    },
    end: () => void (stream.destroyed || stream.end()),
    soon: run => void setImmediate(run),
  };
}
