import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { getProgram, hasPrograms } from '../../scripts/optional-programs.mjs';
import { commandLine } from './command.js';

/** True where a program can give a command a terminal of its own. */
export const hasTerminal = hasPrograms('script', 'stty') && process.platform === 'linux';

/** Text that the command shows, and the keys to press then. A function gets everything that was shown. */
export type Answer = readonly [text: string, keys: string | ((shown: string) => string | Promise<string>)];

export interface TerminalOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** File that standard output is redirected to. Then only standard error is a terminal. */
  readonly stdout?: string;
}

/** Returns the text that an open prompt shows. */
export const prompt = (message: string) => `◆  ${message}`;

/** Runs the command on a terminal of its own, and presses the keys of each answer once its text is shown. */
export async function runOnTerminal(
  folder: string,
  args: readonly string[],
  answers: readonly Answer[],
  { env: more = { NO_COLOR: '1' }, stdout }: TerminalOptions = {},
) {
  const { command, args: before, env, cwd } = commandLine(folder);
  const words = [command, ...before, ...args].map(word => `'${word}'`);
  const line = [...words, ...(stdout === undefined ? [] : [`> '${stdout}'`])].join(' ');
  const child = spawn(
    getProgram('script'),
    ['-qec', `${getProgram('stty')} cols 120 rows 40; exec ${line}`, '/dev/null'],
    {
      cwd,
      env: { ...process.env, ...env, ...more },
    },
  );
  const waiting = [...answers];
  let shown = '';
  let from = 0;
  let isAnswering = false;
  const answerNext = async (): Promise<void> => {
    const [next] = waiting;
    const at = next ? shown.indexOf(next[0], from) : -1;
    if (!next || at < 0 || isAnswering) return;
    from = at + next[0].length;
    waiting.shift();
    isAnswering = true;
    const [, keys] = next;
    try {
      child.stdin.write(typeof keys === 'string' ? keys : await keys(shown));
    } catch {
      // Without an answer, the command waits, and the test fails.
      child.kill();
    }
    isAnswering = false;
    // The text of the next answer may be shown already.
    return answerNext();
  };
  child.stdout.setEncoding('utf8').on('data', text => {
    shown += text;
    void answerNext();
  });
  const [code] = await once(child, 'close');
  return { code, shown, unasked: waiting.map(([text]) => text) };
}
