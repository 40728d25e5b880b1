import { redactSecrets, stripInvisible } from '@tenon/base';

export interface StderrTail {
  push(bytes: Uint8Array): void;
  /** Ends an incomplete line. */
  end(): void;
  /** Returns the last lines, the oldest first. Begins with the last error message if later lines have displaced it. */
  getLines(): string[];
}

export const MAX_TAIL_LINES = 20;
export const MAX_TAIL_CHARACTERS = 8192;
const MAX_LINE_LENGTH = 1024;
/** First line of an error, which a long stack or dump follows. */
const ERROR_MESSAGE = /^\s*(?:Uncaught )?(?:[A-Z]\w*(?:Error|Exception)\b.*:|error:|fatal:|panic:)/i;

/**
 * Creates a store of the last lines that a server wrote to standard error: 20 lines and 8 Ki characters. Each line is
 * cut at 1,024 characters, without control characters and probable secrets. `onLine` is called for every line.
 */
export function createStderrTail(onLine?: (line: string) => void): StderrTail {
  const decoder = new TextDecoder();
  const tail: string[] = [];
  let size = 0;
  let errorMessage: string | undefined;
  let partial = '';

  function add(raw: string): void {
    const line = stripInvisible(raw.length > MAX_LINE_LENGTH ? `${raw.slice(0, MAX_LINE_LENGTH)}…` : raw).trimEnd();
    if (line === '') return;
    if (ERROR_MESSAGE.test(line)) errorMessage = line;
    tail.push(line);
    size += line.length;
    while (tail.length > MAX_TAIL_LINES || size > MAX_TAIL_CHARACTERS) size -= tail.shift()?.length ?? 0;
    onLine?.(redactSecrets(line));
  }

  function addText(piece: string): void {
    const lines = (partial + piece).split('\n');
    // Only the beginning of a line without an end is kept, with one more character to detect that it was cut.
    partial = (lines.pop() ?? '').slice(0, MAX_LINE_LENGTH + 1);
    for (const line of lines) add(line);
  }

  return {
    push: bytes => addText(decoder.decode(bytes, { stream: true })),
    end() {
      addText(decoder.decode());
      add(partial);
      partial = '';
    },
    getLines() {
      const lines = errorMessage === undefined || tail.includes(errorMessage) ? tail : [errorMessage, '…', ...tail];
      return lines.map(redactSecrets);
    },
  };
}
