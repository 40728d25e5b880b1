import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { TenonError } from 'tenon';
import { type Approvals, createApprovals, type Question, safeName, safeText } from 'tenon/host';
import { sqliteStores } from 'tenon/sqlite';
import { exit } from '../exit.js';
import { duration } from '../given.js';
import { columns } from '../screen.js';
import type { World } from '../world.js';
import { command, examples } from './command.js';

interface StoreOptions {
  readonly store: string;
  readonly json?: boolean;
}

interface AllowOptions extends StoreOptions {
  readonly remember?: 'always' | 'exact';
  readonly for?: number;
}

export function approvalsCommand(world: World): Command {
  const list = inStore('list', 'the questions that wait for an answer')
    .option('--json', 'print them as JSON, a line for each')
    .action((options: StoreOptions) => within(world, options, approvals => listAll(world, approvals, options)));
  const allow = inStore('allow', 'let a call be made')
    .argument('<id>', 'the question, or as much of it as tells it from others')
    .addOption(
      new Option('--remember <what>', 'let it from now on: this tool always, or exactly these arguments').choices([
        'always',
        'exact',
      ]),
    )
    .option('--for <time>', 'for how long that is remembered (default: 30d)', duration)
    .action((id: string, { remember, for: life, ...options }: AllowOptions) =>
      within(world, options, async approvals => {
        const more = { ...(remember ? { remember } : {}), ...(life === undefined ? {} : { for: life }) };
        await approvals.answer(await wholeId(approvals, id), 'allow', { by: userInfo().username, ...more });
      }),
    );
  const deny = inStore('deny', 'let a call not be made')
    .argument('<id>', 'the question, or as much of it as tells it from others')
    .action((id: string, options: StoreOptions) =>
      within(world, options, async approvals => {
        await approvals.answer(await wholeId(approvals, id), 'deny', { by: userInfo().username });
      }),
    );
  return command('approvals', 'answer what a gateway asks its operator')
    .addCommand(list)
    .addCommand(allow)
    .addCommand(deny)
    .addHelpText(
      'after',
      examples([
        ['tenon gateway --policy policy.json --approve store --store state.sqlite', 'a gateway that asks here'],
        ['tenon approvals list --store state.sqlite', 'what it asks'],
      ]),
    );
}

const inStore = (name: string, summary: string): Command =>
  command(name, summary).requiredOption('--store <file>', 'the SQLite file that the gateway was given');

async function within(
  world: World,
  { store }: StoreOptions,
  work: (approvals: Approvals) => Promise<void>,
): Promise<void> {
  const path = resolve(world.cwd, store);
  if (!existsSync(path)) {
    throw new TenonError('cli/no-store', `there is no store ${path}`, {
      next: 'give the file that the gateway was given',
    });
  }
  const stores = sqliteStores(path);
  try {
    await work(createApprovals({ values: stores.values, bus: stores.bus }));
    world.code = exit.fine;
  } finally {
    await stores.close();
  }
}

async function listAll({ screen }: World, approvals: Approvals, { json }: StoreOptions): Promise<void> {
  const questions = await approvals.pending();
  if (json) for (const question of questions) screen.json(question);
  else screen.print(questions.length === 0 ? 'nothing waits' : questions.map(shown).join('\n\n'));
}

/** A question without its secrets, which are not in the store. */
function shown({ id, kind, server, name, arguments: args, principal, reason, expiresAt }: Question): string {
  const left = Math.max(0, Math.round((expiresAt - Date.now()) / 1000));
  const facts = [
    ['arguments', safeText(JSON.stringify(args), { max: 2000 })],
    ['for', principal === undefined ? 'nobody that is known' : safeName(principal)],
    ...(reason === undefined ? [] : [['why', safeText(reason, { max: 700 })]]),
    ['id', id],
    ['left', `${left} s`],
  ];
  return `${kind} ${safeName(name)} of ${safeName(server)}\n${columns(facts)}`;
}

async function wholeId(approvals: Approvals, start: string): Promise<string> {
  const found = (await approvals.pending()).filter(({ id }) => id.startsWith(start));
  const [only] = found;
  if (only && found.length === 1) return only.id;
  const problem = found.length === 0 ? 'no question that waits has this id' : `${found.length} questions begin so`;
  throw new TenonError('cli/no-question', `${problem}: ${start.slice(0, 100)}`, { next: 'see `tenon approvals list`' });
}
