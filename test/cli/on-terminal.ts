import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { commandLine } from './command.js';

const SCRIPT = '/usr/bin/script';

/** True where a program can give a command a terminal of its own. */
export const hasTerminal = existsSync(SCRIPT) && process.platform === 'linux';

/** A prompt of the command, and the answer to type. */
export type Answer = readonly [prompt: string, answer: string];

/** Runs the command on a terminal of its own, and types each answer once its prompt is shown. */
export async function runOnTerminal(
  folder: string,
  args: readonly string[],
  answers: readonly Answer[],
  more: Readonly<Record<string, string>> = {},
) {
  const { command, args: before, env, cwd } = commandLine(folder);
  const line = [command, ...before, ...args].map(word => `'${word}'`).join(' ');
  const child = spawn(SCRIPT, ['-qec', line, '/dev/null'], {
    cwd,
    env: { ...process.env, ...env, ...more, NO_COLOR: '1' },
  });
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
    child.stdin.write(`${next[1]}\r`);
  });
  const [code] = await once(child, 'close');
  return { code, shown };
}
