import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer, tool } from 'tenon';
import { type HttpServer, serveHttp } from 'tenon/node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildCommand, projectWith, shopEntry, tenon } from './command.js';
import { serveKitchen } from './fixtures/kitchen.js';
import { type Answer, hasTerminal, runOnTerminal } from './on-terminal.js';

let clear = async () => {};
let project: Awaited<ReturnType<typeof projectWith>>;
let kitchen: Awaited<ReturnType<typeof serveKitchen>>;
let counter: HttpServer;
beforeAll(async () => {
  clear = await buildCommand();
  project = await projectWith({ shop: shopEntry() });
  kitchen = await serveKitchen();
  const count = tool({
    async run(_, ctx) {
      ctx.progress(1, 2, 'half');
      await sleep(200);
      return 'counted';
    },
  });
  counter = await serveHttp(createServer({ name: 'counter', version: '1', tools: { count } }), { port: 0 });
});
afterAll(() => Promise.all([project.remove(), kitchen.close(), counter.close(), clear()]));

const typed = (args: readonly string[], answers: readonly Answer[]) => runOnTerminal(project.folder, args, answers);

it.skipIf(!hasTerminal)(
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

it.skipIf(!hasTerminal)('has colours on a terminal only, and none with NO_COLOR [cli.tty]', async () => {
  const list = ['list', kitchen.url];
  const colours = { NO_COLOR: '' };
  const { code, shown } = await runOnTerminal(project.folder, list, [], { env: colours });
  expect([code, shown]).toEqual([0, expect.stringContaining('\u001b[1mkitchen 1.0.0\u001b[22m')]);
  expect((await typed(list, [])).shown).not.toContain('\u001b[1m');
  expect((await tenon(project.folder, list, colours)).out).not.toContain('\u001b');
});

it.skipIf(!hasTerminal)('asks nothing on a terminal with --no-input [cli.tty]', async () => {
  const parked = await typed(['call', kitchen.url, 'order', 'item=apples', '--no-input'], []);
  expect([parked.code, parked.shown]).toEqual([9, expect.stringContaining('tenon answer')]);
  for (const name of ['list shop', 'lock']) {
    const { code, shown } = await typed([...name.split(' '), '--no-input'], []);
    expect([name, code, shown]).toEqual([name, 6, expect.not.stringContaining('[y/n]')]);
  }
  const asked = await typed(['list', 'shop'], [['Run it? [y/n] ', 'n']]);
  expect(asked.code).toBe(6);
});

it.skipIf(!hasTerminal)('shows the progress of a call on standard error, if it is a terminal [cli.call]', async () => {
  const call = ['call', counter.url, 'count'];
  const { code, shown } = await runOnTerminal(project.folder, call, [], { stdout: 'out.txt' });
  expect([code, shown]).toEqual([0, expect.stringContaining('50 %  half')]);
  expect(await readFile(project.path('out.txt'), 'utf8')).toBe('counted\n');
  expect(await tenon(project.folder, call)).toEqual({ code: 0, out: 'counted\n', err: '' });
});
