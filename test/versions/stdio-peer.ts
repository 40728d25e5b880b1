import type { ByteReader, ByteSink, ByteSource } from '../../packages/tenon/src/transports/stdio/byte-streams.js';

/** The client's end of a stdio server without a process: `receive` gets the JSON value of each line. */
export function createStdioPeer(receive: (value: unknown) => void): {
  readonly source: ByteSource;
  readonly sink: ByteSink;
  write(line: string): void;
} {
  let reader: ByteReader | undefined;
  let rest = '';
  return {
    source: {
      read: given => {
        reader = given;
      },
      pause: () => {},
      resume: () => {},
    },
    sink: {
      write(text, done) {
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        queueMicrotask(() => {
          done();
          for (const line of lines) receive(JSON.parse(line));
        });
      },
      end: () => {},
      schedule: run => queueMicrotask(run),
    },
    write: line => reader?.push(new TextEncoder().encode(`${line}\n`)),
  };
}
