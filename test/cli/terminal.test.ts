import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildCommand, commandLine, projectWith } from './command.js';
import { serveKitchen } from './fixtures/kitchen.js';

const SCRIPT = '/usr/bin/script';

let clear = async () => {};
let project: Awaited<ReturnType<typeof projectWith>>;
let kitchen: Awaited<ReturnType<typeof serveKitchen>>;
beforeAll(async () => {
  clear = await buildCommand();
  project = await projectWith({});
  kitchen = await serveKitchen();
});
afterAll(() => Promise.all([project.remove(), kitchen.close(), clear()]));

/** Runs the command on a terminal of its own, and types each answer once its prompt is shown. */
async function typed(args: readonly string[], answers: readonly (readonly [prompt: string, answer: string])[]) {
  const { command, args: before, env, cwd } = commandLine(project.folder);
  const line = [command, ...before, ...args].map(word => `'${word}'`).join(' ');
  const child = spawn(SCRIPT, ['-qec', line, '/dev/null'], { cwd, env: { ...process.env, ...env, NO_COLOR: '1' } });
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

it.skipIf(!existsSync(SCRIPT) || process.platform !== 'linux')(
  'asks on a terminal for the fields of a form one by one, again after a wrong value [cli.tty, cli.call]',
  async () => {
    const { code, shown } = await typed(
      ['call', kitchen.url, 'order', 'item=apples'],
      [
        ['Answer? [y/n] ', 'y'],
        ['count: ', '99'],
        ['count: ', '3'],
      ],
    );
    expect({ code, shown }).toMatchObject({ code: 0, shown: expect.stringContaining('ordered 3 apples') });
    expect(shown).toContain('asks: How many apples?');
    expect(shown).toContain('Not valid: at /count: expected a number of at most 10');
    const declined = await typed(['call', kitchen.url, 'order', 'item=apples'], [['Answer? [y/n] ', 'n']]);
    expect(declined.shown).toContain('not ordered: decline');
  },
);
