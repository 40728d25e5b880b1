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
  it('removes control characters from messages, except line breaks and tabs', () => {
    const { screen, written } = collectOutput();
    screen.note(HOSTILE);
    expect(written()).toBe('a[2J2Kb\n\tc\n');
  });

  it('shows a status in one line without control characters', () => {
    const { screen, written } = collectOutput();
    screen.showStatus(HOSTILE);
    expect(written()).toBe('\r\u001b[2Ka[2J2Kb  c');
  });

  it('writes no control character as JSON, and keeps the value', () => {
    const { screen, written } = collectOutput();
    screen.printJson({ text: HOSTILE });
    screen.noteJson({ text: HOSTILE });
    expect(written()).not.toMatch(/\u001b|\u009b/);
    const lines = written().trimEnd().split('\n');
    expect(lines.map(line => JSON.parse(line))).toEqual([{ text: HOSTILE }, { text: HOSTILE }]);
  });

  it('keeps its own styles', () => {
    const { screen, written } = collectOutput();
    screen.print(screen.style('bold', 'title'));
    expect(written()).toBe('\u001b[1mtitle\u001b[22m\n');
  });
});
