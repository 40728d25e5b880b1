import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { TenonError } from 'tenon';
import { type Approvals, createApprovals, type Question, type Remembered, safeName, safeText } from 'tenon/host';
import { sqliteStores } from 'tenon/sqlite';
import { findId, shortenIds } from '../approval-ids.js';
import { exit } from '../exit.js';
import { duration } from '../given.js';
import { misuse } from '../misuse.js';
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

interface RevokeOptions extends StoreOptions {
  readonly all?: boolean;
}

export function approvalsCommand(world: World): Command {
  const list = inStore('list', 'show the questions that wait for an answer, and the approvals that are remembered')
    .option('--json', 'print them as JSON, a line for each')
    .action((options: StoreOptions) => within(world, options, approvals => listAll(world, approvals, options)));
  const allow = inStore('allow', 'let a call be made')
    .argument('<id>', ID)
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
        await approvals.answer(await findQuestion(approvals, id), 'allow', { by: userInfo().username, ...more });
      }),
    );
  const deny = inStore('deny', 'let a call not be made')
    .argument('<id>', ID)
    .action((id: string, options: StoreOptions) =>
      within(world, options, async approvals => {
        await approvals.answer(await findQuestion(approvals, id), 'deny', { by: userInfo().username });
      }),
    );
  const revoke = inStore('revoke', 'remove an approval that is remembered: its calls are asked about again')
    .argument('[id]', ID)
    .option('--all', 'remove every one')
    .action((id: string | undefined, { all = false, ...options }: RevokeOptions) => {
      if ((id === undefined) !== all) throw misuse('revoke: an id or --all is needed', 'see `tenon approvals list`');
      return within(world, options, async approvals => {
        const ids = (await readAll(approvals.remembered)).map(each => each.id);
        const chosen = id === undefined ? ids : [findId(ids, id, 'approval')];
        for (const each of chosen) await approvals.forget(each);
        world.screen.print(`Revoked ${chosen.length} ${chosen.length === 1 ? 'approval' : 'approvals'}.`);
      });
    });
  const own = command('approvals', 'answer what a gateway asks its operator, and revoke what it remembers');
  for (const each of [list, allow, deny, revoke]) own.addCommand(each);
  return own.addHelpText(
    'after',
    examples([
      ['tenon gateway --policy policy.json --approve store --store state.sqlite', 'a gateway that asks here'],
      ['tenon approvals list --store state.sqlite', 'its questions, and what it remembers'],
      ['tenon approvals revoke 7f3a --store state.sqlite', 'asks again about what was allowed by 7f3a'],
    ]),
  );
}

const ID = 'as `tenon approvals list` shows it; its first characters are enough';

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
  const [questions, remembered] = [await readAll(approvals.pending), await readAll(approvals.remembered)];
  const ids = shortenIds([...questions, ...remembered].map(({ id }) => id));
  const shorten = <T extends { readonly id: string }>(each: T): T => ({ ...each, id: ids.get(each.id) ?? each.id });
  if (json) {
    for (const each of questions) screen.json({ status: 'waiting', ...shorten(each) });
    for (const each of remembered) screen.json({ status: 'remembered', ...shorten(each) });
    return;
  }
  const waiting = questions.map(each => describeQuestion(shorten(each)));
  const kept = remembered.map(each => describeRemembered(shorten(each)));
  screen.print(['Waiting for an answer:', ...(waiting.length > 0 ? waiting : ['none'])].join('\n\n'));
  screen.print(['\nRemembered approvals:', ...(kept.length > 0 ? kept : ['none'])].join('\n\n'));
}

/** Reads a list to its end, a page at a time. */
async function readAll<T extends { readonly id: string }>(read: (options: { after?: string }) => Promise<T[]>) {
  const all: T[] = [];
  for (;;) {
    const last = all.at(-1);
    const page = await read(last === undefined ? {} : { after: last.id });
    if (page.length === 0) return all;
    all.push(...page);
  }
}

/** A question without its secrets, which are not in the store. */
function describeQuestion(question: Question): string {
  const { id, kind, server, name, arguments: args, reason, expiresAt } = question;
  const left = Math.max(0, Math.round((expiresAt - Date.now()) / 1000));
  const facts = [
    ['arguments', safeText(JSON.stringify(args), { max: 2000 })],
    ['caller', describeCaller(question)],
    ...(reason === undefined ? [] : [['why', safeText(reason, { max: 700 })]]),
    ['id', id],
    ['left', `${left} s`],
  ];
  return `${kind} ${safeName(name)} of ${safeName(server)}\n${columns(facts)}`;
}

function describeRemembered(approval: Remembered): string {
  const { id, kind, server, name, digest, match, rememberedAt, expiresAt } = approval;
  const facts = [
    ['allows', digest === undefined ? 'any arguments' : 'the arguments that were approved'],
    ...(match === undefined ? [] : [['match', safeText(JSON.stringify(match), { max: 2000 })]]),
    ['caller', describeCaller(approval)],
    ['since', new Date(rememberedAt).toISOString()],
    ['until', expiresAt === undefined ? 'revoked' : new Date(expiresAt).toISOString()],
    ['id', id],
  ];
  const subject = name === undefined ? `${kind}s` : `${kind} ${safeName(name)}`;
  return `${subject} of ${safeName(server)}\n${columns(match === undefined ? facts : facts.slice(1))}`;
}

function describeCaller({ principal, clientId }: Pick<Question, 'principal' | 'clientId'>): string {
  if (principal === undefined) return 'not known';
  return clientId === undefined ? safeName(principal) : `${safeName(principal)}, by the client ${safeName(clientId)}`;
}

const findQuestion = async (approvals: Approvals, start: string): Promise<string> =>
  findId(
    (await readAll(approvals.pending)).map(({ id }) => id),
    start,
    'question',
  );
