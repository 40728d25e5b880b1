import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createTerminal } from './terminal.js';

/** Streams that say that they are a terminal, and somebody who types. */
function front(isTTY = true) {
  const input = Object.assign(new PassThrough(), { isTTY, setRawMode: () => input });
  const output = Object.assign(new PassThrough(), { isTTY });
  let shown = '';
  output.on('data', text => (shown += text));
  /** Types a line once a question is shown. */
  const answer = async (question: string, line: string) => {
    while (!shown.includes(question)) await new Promise(resolve => setImmediate(resolve));
    shown = shown.replace(question, '');
    input.write(`${line}\n`);
  };
  return { terminal: createTerminal(input, output), answer, shown: () => shown };
}

describe('the terminal', () => {
  it('asks one question after the other', async () => {
    const { terminal, answer, shown } = front();
    const both = Promise.all([terminal.ask('first? '), terminal.ask('second? ')]);
    await answer('first? ', 'one');
    await answer('second? ', 'two');
    expect(await both).toEqual(['one', 'two']);
    expect(shown()).not.toContain('first');
  });

  it('takes none but the letters that it offers', async () => {
    const { terminal, answer } = front();
    const choice = terminal.choose('yes or no? ', ['y', 'n']);
    await answer('yes or no? ', 'perhaps');
    await answer('yes or no? ', '');
    await answer('yes or no? ', 'No');
    expect(await choice).toBe('n');
  });

  it('does not show what is typed in secret', async () => {
    const { terminal, answer, shown } = front();
    const secret = terminal.ask('key? ', { hidden: true });
    await answer('key? ', 's3cret');
    expect(await secret).toBe('s3cret');
    expect(shown()).not.toContain('s3cret');
  });

  it('withdraws a question, and puts the next one', async () => {
    const { terminal, answer } = front();
    const gone = new AbortController();
    const first = terminal.ask('first? ', { signal: gone.signal });
    const second = terminal.ask('second? ');
    gone.abort();
    expect(await first).toBeUndefined();
    await answer('second? ', 'two');
    expect(await second).toBe('two');
  });

  it('asks nobody where there is nobody, nor once its input is a protocol’s', async () => {
    const without = front(false);
    expect(without.terminal.interactive).toBe(false);
    expect(await without.terminal.ask('who? ')).toBeUndefined();
    const { terminal, shown } = front();
    terminal.yield();
    expect(terminal.interactive).toBe(false);
    expect(await terminal.choose('who? ', ['y'])).toBeUndefined();
    expect(shown()).toBe('');
  });
});
