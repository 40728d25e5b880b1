import { describe, expect, it } from 'vitest';
import { createScreen } from './screen.js';

/** Text of a server that clears the screen, hides text, and has a line break and a tab. */
const HOSTILE = 'a\u001b[2J\u009b2K\u202eb\r\n\tc';

function collectOutput() {
  let written = '';
  const stream = { isTTY: true, columns: 40, write: (text: string | Uint8Array) => (written += String(text)) };
  return { stream, screen: createScreen(stream, stream), written: () => written };
}

describe('screen', () => {
  it('removes terminal sequences, and escapes invisible characters, except line breaks and tabs', () => {
    for (const method of ['note', 'print', 'printData'] as const) {
      const { screen, written } = collectOutput();
      screen[method](HOSTILE);
      expect(written()).toBe('a\\u{202E}b\n\tc\n');
    }
  });

  it('writes data unchanged if standard output is no terminal', () => {
    let written = '';
    const stream = { write: (text: string | Uint8Array) => (written += String(text)) };
    const screen = createScreen(stream, stream);
    screen.printData(HOSTILE);
    expect(written).toBe(`${HOSTILE}\n`);
    screen.print(HOSTILE);
    expect(written).toBe(`${HOSTILE}\na\\u{202E}b\n\tc\n`);
  });

  it('shows a status in one line without control characters', () => {
    const { screen, written } = collectOutput();
    screen.showStatus(HOSTILE);
    expect(written()).toBe('\r\u001b[2Ka\\u{202E}b  c');
  });

  it('writes no control character as JSON, and keeps the value', () => {
    const { screen, written } = collectOutput();
    screen.printJson({ text: HOSTILE });
    screen.noteJson({ text: HOSTILE });
    expect(written()).not.toMatch(/[\u001b\u009b\u202e]/);
    const lines = written().trimEnd().split('\n');
    expect(lines.map(line => JSON.parse(line))).toEqual([{ text: HOSTILE }, { text: HOSTILE }]);
  });

  it('keeps its own styles', () => {
    const { screen, written } = collectOutput();
    screen.print(screen.style('bold', `title\u001b[2J`));
    expect(written()).toBe('\u001b[1mtitle\u001b[22m\n');
  });

  it('writes one line with time and level for each message once a server runs', () => {
    let written = '';
    const stream = { write: (text: string | Uint8Array) => (written += String(text)) };
    const screen = createScreen(stream, stream, { now: () => Date.UTC(2026, 0, 2, 3, 4, 5) });
    screen.note('before');
    screen.startLog({ json: false });
    screen.note('warning: first line\n  second line\u001b[2J', 'warning');
    screen.startLog({ json: true });
    screen.note('first line\nsecond line');
    screen.printEvent({ event: 'closed' });
    expect(written.trimEnd().split('\n')).toEqual([
      'before',
      '2026-01-02T03:04:05.000Z warning first line | second line',
      '{"time":"2026-01-02T03:04:05.000Z","level":"info","message":"first line\\nsecond line"}',
      '{"time":"2026-01-02T03:04:05.000Z","level":"info","event":"closed"}',
    ]);
  });
});
