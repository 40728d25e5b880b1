import { afterEach, describe, expect, it, vi } from 'vitest';
import { fakeTty, KEYS } from './fixtures/tty.js';

const { enter, down, esc, ctrlC, ctrlD } = KEYS;
const FRUITS = ['apples', 'pears', 'plums'].map(label => ({ value: label.toUpperCase(), label }));

afterEach(() => vi.restoreAllMocks());

describe('prompts on a terminal', () => {
  it('appear one after the other', async () => {
    const { terminal, writeKeys, answer, shown } = fakeTty();
    const both = Promise.all([terminal.askText({ message: 'first?' }), terminal.askText({ message: 'second?' })]);
    await answer('first?');
    expect(shown()).not.toContain('second');
    writeKeys('one', enter);
    await answer('second?', 'two', enter);
    expect(await both).toEqual(['one', 'two']);
  });

  it('let the user change an initial text, and correct an invalid one', async () => {
    const { terminal, writeKeys, answer, shown } = fakeTty();
    const validate = async (text: string) => (text === 'a.txt' ? undefined : `not valid: ${text}`);
    const text = terminal.askText({ message: 'file?', initial: 'a', validate });
    await answer('file?', 'b', enter);
    await vi.waitFor(() => expect(shown()).toContain('not valid: ab'));
    writeKeys('\u007f.txt', enter);
    expect(await text).toBe('a.txt');
  });

  it('return the fallback when the user enters nothing', async () => {
    const { terminal, answer, shown } = fakeTty();
    for (const [keys, expected] of [
      [[enter], 'mcp-server'],
      [[...'notes', enter], 'notes'],
    ] as const) {
      const text = terminal.askText({ message: 'folder?', fallback: 'mcp-server' });
      await answer('folder?', ...keys);
      expect(await text).toBe(expected);
    }
    expect(shown()).toContain('mcp-server');
  });

  it('accept one key for yes or no, and Enter for no unless yes is the initial value', async () => {
    const { terminal, answer } = fakeTty();
    for (const [keys, initial, expected] of [
      ['y', false, true],
      ['n', true, false],
      [enter, undefined, false],
      [enter, true, true],
    ] as const) {
      const confirmed = terminal.confirm({ message: 'sure?', initial });
      await answer('sure?', keys);
      expect(await confirmed).toBe(expected);
    }
  });

  it('select one option or several by arrow keys', async () => {
    const { terminal, answer } = fakeTty();
    const fruit = terminal.select({ message: 'which?', options: FRUITS, initial: 'PEARS' });
    await answer('which?', down, enter);
    expect(await fruit).toBe('PLUMS');
    const fruits = terminal.selectSeveral({ message: 'which ones?', options: FRUITS, initial: ['APPLES'] });
    await answer('which ones?', down, ' ', enter);
    expect(await fruits).toEqual(['APPLES', 'PEARS']);
    const none = terminal.selectSeveral({ message: 'any?', options: FRUITS, allowNone: true });
    await answer('any?', enter);
    expect(await none).toEqual([]);
  });

  it('return no for Enter and letters other than y, and yes for an arrow key and Enter', async () => {
    const { terminal, answer } = fakeTty();
    for (const [keys, expected] of [
      [[enter], false],
      [[...'hjkl', enter], false],
      [[...'abc', enter], false],
      [[down, enter], true],
    ] as const) {
      const trusted = terminal.confirm({ message: 'Run it?' });
      await answer('Run it?', ...keys);
      expect(await trusted).toBe(expected);
    }
  });

  it('hide a secret', async () => {
    const { terminal, answer, shown } = fakeTty();
    const secret = terminal.askSecret({ message: 'key?' });
    await answer('key?', ...'s3cret', enter);
    expect(await secret).toBe('s3cret');
    expect(shown()).toContain('▪▪▪▪▪▪');
    expect(shown()).not.toMatch(/s3|3c|cr|re|et/);
  });

  it('show long details once, and a part of a long list, on a terminal without a size too', async () => {
    const { terminal, writeKeys, answer, shown } = fakeTty(true, 0);
    const details = Array.from({ length: 100 }, (_, index) => `detail ${index}`).join('\n');
    const options = Array.from({ length: 500 }, (_, value) => ({ value, label: `option ${value}` }));
    const selected = terminal.select({ message: 'which?', details, options });
    await answer('which?');
    expect(shown()).toContain('option 0\n');
    expect(shown().split('\n').length).toBeLessThan(100 + 24 + 2);
    writeKeys(down, down, enter);
    expect(await selected).toBe(2);
    expect(shown().split('detail 99\n')).toHaveLength(2);
  });
});

describe('prompts without input', () => {
  it('are withdrawn when their signal aborts, and the next one appears', async () => {
    const { terminal, answer } = fakeTty();
    const controller = new AbortController();
    const first = terminal.askText({ message: 'first?', signal: controller.signal });
    const second = terminal.askText({ message: 'second?' });
    await answer('first?');
    controller.abort();
    expect(await first).toBeUndefined();
    await answer('second?', 'two', enter);
    expect(await second).toBe('two');
  });

  it.each([
    ['Escape', esc],
    ['Ctrl-D', ctrlD],
  ])('are cancelled by %s for each kind, and the next one appears', async (_, key) => {
    const { terminal, answer } = fakeTty();
    const end = vi.spyOn(process, 'kill').mockReturnValue(true);
    const questions = [
      () => terminal.askText({ message: 'q?', initial: 'text' }),
      () => terminal.askSecret({ message: 'q?' }),
      () => terminal.confirm({ message: 'q?' }),
      () => terminal.select({ message: 'q?', options: FRUITS }),
      () => terminal.selectSeveral({ message: 'q?', options: FRUITS, initial: ['PLUMS'] }),
    ];
    for (const ask of questions) {
      const result = ask();
      await answer('q?', key);
      expect(await result).toBeUndefined();
    }
    expect(end).not.toHaveBeenCalled();
  });

  it('end the program by Ctrl-C, before they resolve', async () => {
    const { terminal, answer } = fakeTty();
    const end = vi.spyOn(process, 'kill').mockReturnValue(true);
    vi.spyOn(process, 'listenerCount').mockReturnValue(0);
    const result = terminal.select({ message: 'q?', options: FRUITS });
    await answer('q?', ctrlC);
    expect(await result).toBeUndefined();
    expect(end).toHaveBeenCalledExactlyOnceWith(process.pid, 'SIGINT');

    vi.mocked(process.listenerCount).mockRestore();
    const events: string[] = [];
    process.once('SIGINT', () => events.push('interrupted'));
    const second = terminal.confirm({ message: 'r?' }).then(() => events.push('resolved'));
    await answer('r?', ctrlC);
    await second;
    expect(events).toEqual(['interrupted', 'resolved']);
    expect(end).toHaveBeenCalledOnce();
  });

  it('end at the end of the input', async () => {
    const { terminal, input, answer } = fakeTty();
    const both = Promise.all([terminal.askText({ message: 'first?' }), terminal.confirm({ message: 'second?' })]);
    await answer('first?');
    input.end();
    expect(await both).toEqual([undefined, undefined]);
    expect(terminal.interactive).toBe(false);
  });

  it('do not appear without a terminal, nor when a protocol uses standard input', async () => {
    const without = fakeTty(false);
    expect(without.terminal.interactive).toBe(false);
    expect(await without.terminal.askText({ message: 'who?', details: 'long' })).toBeUndefined();
    const { terminal, answer, shown } = fakeTty();
    const open = terminal.askText({ message: 'open?' });
    await answer('open?');
    await terminal.releaseStdin();
    expect(await open).toBeUndefined();
    expect(terminal.interactive).toBe(false);
    expect(await terminal.confirm({ message: 'who?' })).toBeUndefined();
    expect(without.shown() + shown()).not.toContain('who?');
  });
});

it('delays messages while a prompt is open', async () => {
  const { terminal, screen, writeKeys, answer, shown } = fakeTty();
  const both = Promise.all([terminal.confirm({ message: 'first?' }), terminal.confirm({ message: 'second?' })]);
  await answer('first?');
  screen.showStatus('busy');
  screen.note('server a: connected');
  screen.print('result');
  writeKeys(down);
  await vi.waitFor(() => expect(shown()).toContain('● Yes'));
  expect(shown()).not.toMatch(/busy|server a|result/);
  writeKeys(enter);
  await answer('second?', 'n');
  expect(await both).toEqual([true, false]);
  expect(shown()).toMatch(/first\?[^◆]*Yes[^◆]*server a: connected\nresult\n[^◇]*◆ {2}second\?/);
  screen.note('server b: connected');
  expect(shown()).toMatch(/server b: connected\n$/);
});
