import { stringifyJson } from '@tenon/base';
import {
  type Approvals,
  createApprovals,
  type PendingApproval,
  type StoredApproval,
  sanitizeName,
  sanitizeText,
} from '@tenon/host';
import { type Command, Option } from 'commander';
import { findId, shortenIds } from '../approval-ids.js';
import type { CliContext } from '../cli-context.js';
import { exitCodes } from '../exit-codes.js';
import { createCommand, formatExamples } from '../options/create-command.js';
import { parseDurationOption } from '../options/option-parsers.js';
import { withStore } from '../options/serving-options.js';
import { formatColumns, formatCount } from '../screen.js';
import { openGatewayStores, type StoreOptions } from '../stores/open-stores.js';
import { summaries } from '../summaries.js';
import { createUsageError } from '../usage-error.js';
import { getUserName } from '../user-name.js';

interface ApprovalStoreOptions extends StoreOptions {
  readonly json?: boolean;
}

interface AllowOptions extends ApprovalStoreOptions {
  readonly remember?: 'always' | 'exact';
  readonly for?: number;
}

interface RevokeOptions extends ApprovalStoreOptions {
  readonly all?: boolean;
}

export function createApprovalsCommand(context: CliContext): Command {
  const list = createStoreCommand('list', 'list pending questions and remembered approvals').action(
    (options: ApprovalStoreOptions) =>
      withApprovals(context, options, approvals => printAll(context, approvals, options)),
  );
  const allow = createStoreCommand('allow', 'approve a pending call')
    .argument('<id>', ID_HELP)
    .addOption(
      new Option('--remember <what>', 'approve later calls too: of this tool, or with exactly these arguments').choices(
        ['always', 'exact'],
      ),
    )
    .option('--for <time>', 'time for which the approval is remembered (default: 30d)', parseDurationOption)
    .action((id: string, { remember, for: ttl, ...options }: AllowOptions) => {
      if (ttl !== undefined && remember === undefined)
        throw createUsageError('--for without --remember', 'pass --remember always or --remember exact');
      return withApprovals(context, options, async approvals => {
        const pending = await findPending(approvals, id);
        const more = { ...(remember ? { remember } : {}), ...(ttl === undefined ? {} : { ttl }) };
        await approvals.answer(pending.id, 'allow', { by: getUserName(), ...more });
        reportDecision(context, pending.shortId, 'allow', options);
      });
    });
  const deny = createStoreCommand('deny', 'deny a pending call')
    .argument('<id>', ID_HELP)
    .action((id: string, options: ApprovalStoreOptions) =>
      withApprovals(context, options, async approvals => {
        const pending = await findPending(approvals, id);
        await approvals.answer(pending.id, 'deny', { by: getUserName() });
        reportDecision(context, pending.shortId, 'deny', options);
      }),
    );
  const revoke = createStoreCommand('revoke', 'revoke a remembered approval')
    .argument('[id]', ID_HELP)
    .option('--all', 'revoke all approvals')
    .action((id: string | undefined, { all = false, ...options }: RevokeOptions) => {
      if (id !== undefined && all) throw createUsageError('revoke: both an ID and --all', 'pass one of them');
      if (id === undefined && !all)
        throw createUsageError('revoke: no ID', 'pass an ID from `tenon approvals list`, or --all');
      return withApprovals(context, options, async approvals => {
        const ids = (await readAll(approvals.listStored)).map(each => each.id);
        const chosen = id === undefined ? ids : [findId(ids, id, 'approval')];
        for (const each of chosen) await approvals.forget(each);
        const shortIds = shortenIds(ids);
        if (options.json) context.screen.printJson({ revoked: chosen.map(each => shortIds.get(each) ?? each) });
        else context.screen.print(`Revoked ${formatCount(chosen.length, 'approval')}.`);
      });
    });
  const command = createCommand('approvals', summaries.approvals);
  for (const each of [list, allow, deny, revoke]) command.addCommand(each);
  return command.addHelpText(
    'after',
    formatExamples([
      [
        'tenon gateway --policy policy.json --approve store --store state.sqlite',
        'start a gateway that waits for approvals here',
      ],
      ['tenon approvals list --store state.sqlite', 'list pending questions and remembered approvals'],
      [
        'tenon approvals list --store redis://127.0.0.1 --keys-env KEYS',
        'list those of several gateways with one Redis',
      ],
      ['tenon approvals revoke 7f3a --store state.sqlite', 'ask again about the calls that 7f3a approved'],
    ]),
  );
}

function reportDecision(
  { screen }: CliContext,
  id: string,
  decision: 'allow' | 'deny',
  { json }: ApprovalStoreOptions,
): void {
  if (json) screen.printJson({ id, decision });
  else screen.print(`${decision === 'allow' ? 'Allowed' : 'Denied'} ${id}.`);
}

const ID_HELP = 'ID from `tenon approvals list`, or its first characters';

const createStoreCommand = (name: string, summary: string): Command =>
  withStore(
    createCommand(name, summary),
    'store of the gateway: redis://…, postgres://…, sqlite:PATH or a path',
  ).option('--json', name === 'list' ? 'print one JSON object per line' : 'print one JSON object');

async function withApprovals(
  context: CliContext,
  options: ApprovalStoreOptions,
  work: (approvals: Approvals) => Promise<void>,
): Promise<void> {
  const stores = await openGatewayStores(context, options);
  try {
    await work(createApprovals(stores));
    context.code = exitCodes.success;
  } finally {
    await stores.close();
  }
}

async function printAll({ screen }: CliContext, approvals: Approvals, { json }: ApprovalStoreOptions): Promise<void> {
  const [questions, remembered] = [await readAll(approvals.listPending), await readAll(approvals.listStored)];
  const ids = shortenIds([...questions, ...remembered].map(({ id }) => id));
  const shorten = <T extends { readonly id: string }>(each: T): T => ({ ...each, id: ids.get(each.id) ?? each.id });
  if (json) {
    for (const each of questions) screen.printJson({ status: 'waiting', ...shorten(each) });
    for (const each of remembered) screen.printJson({ status: 'remembered', ...shorten(each) });
    return;
  }
  const waiting = questions.map(each => describeQuestion(shorten(each)));
  const rememberedRows = remembered.map(each => describeRemembered(shorten(each)));
  screen.print(['Waiting for an answer:', ...(waiting.length > 0 ? waiting : ['none'])].join('\n\n'));
  screen.print(['\nRemembered approvals:', ...(rememberedRows.length > 0 ? rememberedRows : ['none'])].join('\n\n'));
}

/** Reads all pages of a list. */
async function readAll<T extends { readonly id: string }>(read: (options: { after?: string }) => Promise<T[]>) {
  const all: T[] = [];
  for (;;) {
    const last = all.at(-1);
    const page = await read(last === undefined ? {} : { after: last.id });
    if (page.length === 0) return all;
    all.push(...page);
  }
}

/** Describes a pending approval. Its secrets are masked, because the store does not contain them. */
function describeQuestion(question: PendingApproval): string {
  const { id, kind, server, name, arguments: args, reason, expiresAt } = question;
  const left = Math.max(0, Math.round((expiresAt - Date.now()) / 1000));
  const rows = [
    ['arguments', sanitizeText(stringifyJson(args), { max: 2000 })],
    ['caller', describeCaller(question)],
    ...(reason === undefined ? [] : [['why', sanitizeText(reason, { max: 700 })]]),
    ['id', id],
    ['left', `${left} s`],
  ];
  return `${kind} ${sanitizeName(name)} of ${sanitizeName(server)}\n${formatColumns(rows)}`;
}

function describeRemembered(approval: StoredApproval): string {
  const { id, kind, server, name, digest, match, rememberedAt, expiresAt } = approval;
  const rows = [
    ['allows', digest === undefined ? 'any arguments' : 'the arguments that were approved'],
    ...(match === undefined ? [] : [['match', sanitizeText(stringifyJson(match), { max: 2000 })]]),
    ['caller', describeCaller(approval)],
    ['since', new Date(rememberedAt).toISOString()],
    ['until', expiresAt === undefined ? 'revoked' : new Date(expiresAt).toISOString()],
    ['id', id],
  ];
  const subject = name === undefined ? `${kind}s` : `${kind} ${sanitizeName(name)}`;
  return `${subject} of ${sanitizeName(server)}\n${formatColumns(match === undefined ? rows : rows.slice(1))}`;
}

function describeCaller({ principal, clientId }: Pick<PendingApproval, 'principal' | 'clientId'>): string {
  if (principal === undefined) return 'not known';
  return clientId === undefined
    ? sanitizeName(principal)
    : `${sanitizeName(principal)}, by the client ${sanitizeName(clientId)}`;
}

async function findPending(approvals: Approvals, start: string) {
  const ids = (await readAll(approvals.listPending)).map(each => each.id);
  const id = findId(ids, start, 'question');
  return { id, shortId: shortenIds(ids).get(id) ?? id };
}
