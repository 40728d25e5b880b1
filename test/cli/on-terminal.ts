import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { commandLine } from './command.js';

const SCRIPT = '/usr/bin/script';

/** True where a program can give a command a terminal of its own. */
export const hasTerminal = existsSync(SCRIPT) && process.platform === 'linux';

/** A prompt of the command, and the answer to type. A function gets all that is shown. */
export type Answer = readonly [prompt: string, answer: string | ((shown: string) => Promise<string>)];

export interface TerminalOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** File that standard output is redirected to. Then only standard error is a terminal. */
  readonly stdout?: string;
}

/** Runs the command on a terminal of its own, and types each answer once its prompt is shown. */
export async function runOnTerminal(
  folder: string,
  args: readonly string[],
  answers: readonly Answer[],
  { env: more = { NO_COLOR: '1' }, stdout }: TerminalOptions = {},
) {
  const { command, args: before, env, cwd } = commandLine(folder);
  const words = [command, ...before, ...args].map(word => `'${word}'`);
  const line = [...words, ...(stdout === undefined ? [] : [`> '${stdout}'`])].join(' ');
  const child = spawn(SCRIPT, ['-qec', line, '/dev/null'], { cwd, env: { ...process.env, ...env, ...more } });
  const waiting = [...answers];
  let shown = '';
  let from = 0;
  child.stdout.setEncoding('utf8').on('data', text => {
    shown += text;
    const [next] = waiting;
    const at = next ? shown.indexOf(next[0], from) : -1;
    if (!next || at < 0) return;
    from = at + next[0].length;
    waiting.shift();
    const [, answer] = next;
    const type = (text: string) => child.stdin.write(`${text}\r`);
    // Without an answer, the command waits, and the test fails.
    if (typeof answer === 'string') type(answer);
    else answer(shown).then(type, () => child.kill());
  });
  const [code] = await once(child, 'close');
  return { code, shown };
}
