import { hideSecrets } from '../../redaction/secrets.js';
import { plain } from './excerpt.js';

export interface StderrTail {
  chunk(bytes: Uint8Array): void;
  /** Ends the line that is not complete. */
  end(): void;
  /** The last lines, oldest first. */
  lines(): string[];
}

export const TAIL_LINES = 20;
export const TAIL_CHARACTERS = 8192;
const LONGEST_LINE = 1024;

/**
 * Keeps the last lines that a server wrote to stderr: 20 lines, 8 Ki characters, each line cut at 1,024, control
 * characters left out, and so is what looks like a secret. `each` is told of every line as it comes.
 */
export function createStderrTail(each?: (line: string) => void): StderrTail {
  const decoder = new TextDecoder();
  const kept: string[] = [];
  let size = 0;
  let partial = '';

  function add(raw: string): void {
    const line = plain(raw.length > LONGEST_LINE ? `${raw.slice(0, LONGEST_LINE)}…` : raw).trimEnd();
    if (line === '') return;
    kept.push(line);
    size += line.length;
    while (kept.length > TAIL_LINES || size > TAIL_CHARACTERS) size -= kept.shift()?.length ?? 0;
    each?.(hideSecrets(line));
  }

  function text(piece: string): void {
    const lines = (partial + piece).split('\n');
    // Of a line without an end only the beginning is kept, and one character more to know that it was cut.
    partial = (lines.pop() ?? '').slice(0, LONGEST_LINE + 1);
    for (const line of lines) add(line);
  }

  return {
    chunk: bytes => text(decoder.decode(bytes, { stream: true })),
    end() {
      text(decoder.decode());
      add(partial);
      partial = '';
    },
    lines: () => kept.map(hideSecrets),
  };
}
