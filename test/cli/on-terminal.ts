import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { commandLine } from './command.js';

const SCRIPT = '/usr/bin/script';

/** True where a program can give a command a terminal of its own. */
export const hasTerminal = existsSync(SCRIPT) && process.platform === 'linux';

/** Text that the command shows, and the keys to press then. A function gets everything that was shown. */
export type Answer = readonly [text: string, keys: string | ((shown: string) => string | Promise<string>)];

/** Returns the text that an open prompt shows. */
export const prompt = (message: string) => `◆  ${message}`;

/**
 * Runs the command on a terminal of its own, and presses the keys of each answer once its text is shown.
 *
 * @param redirect Redirection of the shell, such as `>result.json`.
 */
export async function runOnTerminal(
  folder: string,
  args: readonly string[],
  answers: readonly Answer[],
  redirect = '',
) {
  const { command, args: before, env, cwd } = commandLine(folder);
  const line = [command, ...before, ...args].map(word => `'${word}'`).join(' ');
  const child = spawn(SCRIPT, ['-qec', `stty cols 120 rows 40; exec ${line} ${redirect}`, '/dev/null'], {
    cwd,
    env: { ...process.env, ...env, NO_COLOR: '1' },
  });
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
    child.stdin.write(typeof keys === 'string' ? keys : await keys(shown));
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
