import { describe, expect, it } from 'vitest';
import { fakeTty } from './fixtures/tty.js';
import { createTerminal, YES_OR_NO } from './terminal.js';

function front(isTTY = true) {
  const { input, output, ...rest } = fakeTty(isTTY);
  return { terminal: createTerminal(input, output), ...rest };
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

  it('accepts whole words only, in upper or lower case, and names them when it asks again', async () => {
    const { terminal, answer, shown } = front();
    const choice = terminal.choose('yes or no? ', YES_OR_NO);
    for (const line of ['perhaps', '', 'yellow', 'nothing']) await answer('yes or no? ', line);
    await answer('Type yes, no.\nyes or no? ', ' No ');
    expect(await choice).toBe('no');
    expect(shown()).not.toContain('yes or no?');
  });

  it('denies after five answers that are none', async () => {
    const { terminal, answer } = front();
    const choice = terminal.choose('yes or no? ', YES_OR_NO);
    for (let tries = 0; tries < 5; tries += 1) await answer('yes or no? ', 'maybe');
    expect(await choice).toBeUndefined();
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
    terminal.releaseStdin();
    expect(terminal.interactive).toBe(false);
    expect(await terminal.choose('who? ', YES_OR_NO)).toBeUndefined();
    expect(shown()).toBe('');
  });
});
