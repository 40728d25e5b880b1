import { describe, expect, it } from 'vitest';
import { createStderrTail, MAX_TAIL_CHARACTERS, MAX_TAIL_LINES } from './stderr-tail.js';

const bytes = (text: string) => Buffer.from(text);

describe('StderrTail [stdio.stderr-logging] [stdio.stderr-client-choice]', () => {
  it('keeps the last lines, in any chunking', () => {
    const seen: string[] = [];
    const tail = createStderrTail(line => void seen.push(line));
    const text = Array.from({ length: 30 }, (_, index) => `línea ${index}\r\n`).join('');
    for (const byte of bytes(text)) tail.push(Uint8Array.of(byte));
    expect(seen).toHaveLength(30);
    expect(tail.getLines()).toEqual(seen.slice(-MAX_TAIL_LINES));
    expect(tail.getLines().at(-1)).toBe('línea 29');
  });

  it('stays small for any input', () => {
    const tail = createStderrTail();
    for (let count = 0; count < 1000; count++) tail.push(bytes('x'.repeat(10_000)));
    for (let count = 0; count < 100; count++) tail.push(bytes(`\n${'y'.repeat(10_000)}`));
    tail.end();
    expect(tail.getLines().join('').length).toBeLessThanOrEqual(MAX_TAIL_CHARACTERS);
    expect(tail.getLines().length).toBeGreaterThan(3);
    expect(tail.getLines().every(line => line.length <= 1025 && line.endsWith('…'))).toBe(true);
  });

  it('keeps the message of an error before a long stack', () => {
    const tail = createStderrTail();
    tail.push(bytes('Error: Could not locate the bindings file\n'));
    for (let count = 0; count < 30; count++) tail.push(bytes(`    at load (file.js:${count})\n`));
    expect(tail.getLines().slice(0, 2)).toEqual(['Error: Could not locate the bindings file', '…']);
    expect(tail.getLines()).toHaveLength(MAX_TAIL_LINES + 2);
  });

  it('drops escape sequences that move the cursor, set a title or hide text, and keeps a line without an end', () => {
    const tail = createStderrTail();
    tail.push(bytes('\u001b[1;31mError\u001b[0m:\tbad\u0007\u202e\n\u001b]0;title\u0007after\u001b[2J'));
    tail.end();
    expect(tail.getLines()).toEqual(['Error: bad', 'after']);
  });

  it('hides what looks like a secret, from the listener and from errors', () => {
    const seen: string[] = [];
    const tail = createStderrTail(line => void seen.push(line));
    const lines = [
      'starting with API_KEY=hunter2-hunter2',
      'Authorization: Bearer abcdefgh12345678',
      'token sk-ant-api03-0123456789abcdef',
      'postgres://ada:hunter2@db/notes',
      'listening on port 8080',
    ];
    tail.push(bytes(`${lines.join('\n')}\n`));
    expect(tail.getLines()).toEqual([
      'starting with API_KEY=…',
      expect.stringMatching(/^Authorization: …/),
      'token …',
      'postgres://…@db/notes',
      'listening on port 8080',
    ]);
    expect(seen).toEqual(tail.getLines());
  });
});
