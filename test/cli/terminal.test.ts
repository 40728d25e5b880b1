import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildCommand, projectWith } from './command.js';
import { serveKitchen } from './fixtures/kitchen.js';
import { type Answer, hasTerminal, runOnTerminal } from './on-terminal.js';

let clear = async () => {};
let project: Awaited<ReturnType<typeof projectWith>>;
let kitchen: Awaited<ReturnType<typeof serveKitchen>>;
beforeAll(async () => {
  clear = await buildCommand();
  project = await projectWith({});
  kitchen = await serveKitchen();
});
afterAll(() => Promise.all([project.remove(), kitchen.close(), clear()]));

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
