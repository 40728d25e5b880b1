import { resolve } from 'node:path';
import { isObject, stringifyJson } from '@tenon/base';
import { writeJson } from '@tenon/base/writers';
import {
  type ActionRequest,
  lintPolicy,
  openLockFile,
  type Policy,
  policySchema,
  readPolicyFile,
  sanitizeName,
  sanitizeText,
  type ToolInventory,
} from '@tenon/host';
import { type Command, Option } from 'commander';
import type { CliContext } from '../cli-context.js';
import { exitCodes } from '../exit-codes.js';
import { approveEntries } from '../host/approve-entries.js';
import { collectInventories } from '../host/collect-inventory.js';
import { POLICY_EXAMPLE } from '../host/policy-example.js';
import { type PolicyUserOptions, parseJsonObject, parsePolicyUser, withPolicyUser } from '../host/policy-user.js';
import { createNoServersError, readConfiguration } from '../host/read-configuration.js';
import { listFailures } from '../host/update-lock.js';
import { createCommand, formatExamples } from '../options/create-command.js';
import { parseCount } from '../options/option-parsers.js';
import type { TrialOptions } from '../recording/report-trial.js';
import { formatCount } from '../screen.js';
import { summaries } from '../summaries.js';
import { createUsageError } from '../usage-error.js';

interface LintCommandOptions {
  /**
   * Path of the lock file. `false` uses no lock file.
   * @default `mcp.lock` if it exists
   */
  readonly lock?: string | boolean;
  readonly trust?: boolean;
  readonly json?: boolean;
}

/** Types of the annotations of a tool. */
const ANNOTATIONS: ReadonlyMap<string, 'boolean' | 'string'> = new Map([
  ['readOnlyHint', 'boolean'],
  ['destructiveHint', 'boolean'],
  ['idempotentHint', 'boolean'],
  ['openWorldHint', 'boolean'],
  ['title', 'string'],
]);

interface ExplainOptions extends PolicyUserOptions {
  readonly kind: ActionRequest['kind'];
  readonly annotations?: string;
  readonly json?: boolean;
}

export function createPolicyCommand(context: CliContext): Command {
  const explaining = createCommand('explain', 'show the decision of a policy about a call, and the rule behind it')
    .argument('<policy>', 'policy file')
    .argument('<server/name>', 'server name, and name of the tool or prompt or URI of the resource')
    .argument('[arguments]', 'arguments as JSON', '{}')
    .addOption(new Option('--kind <kind>', 'kind of action').choices(['tool', 'prompt', 'resource']).default('tool'));
  const explain = withPolicyUser(explaining)
    .option('--annotations <json>', 'annotations of the tool, as from a trusted server')
    .option('--json', 'print the decision as JSON')
    .addHelpText(
      'after',
      formatExamples([
        [`tenon policy explain policy.json notes/remove '{"title":"a"}'`, 'show each rule, and whether it matches'],
        ['tenon policy explain policy.json notes/remove --principal ada --groups admins', 'for a user of a group'],
      ]),
    )
    .action(async (file: string, tool: string, args: string, options: ExplainOptions) => {
      const policy = await readPolicyFile(resolve(context.cwd, file), file);
      const request = parseActionRequest(tool, args, options);
      if (options.json) context.screen.printJson(policy.evaluate(request));
      else context.screen.print(policy.explain(request));
      context.code = exitCodes.success;
    });
  const lint = createCommand('lint', 'find rules without effect, rules that allow too much, and unknown names')
    .argument('<policy>', 'policy file')
    .argument('[config...]', 'configuration files; their servers are started to list their tools')
    .option('--lock [file]', 'lock file to read tools from (default: mcp.lock if it exists)')
    .option('--no-lock', 'do not check names of tools and arguments')
    .option('--trust', 'start the configured commands without asking for approval')
    .option('--json', 'print the findings as JSON')
    .addHelpText(
      'after',
      formatExamples([
        ['tenon policy lint policy.json', 'check names against mcp.lock'],
        ['tenon policy lint policy.json mcp.json', 'check names against the running servers'],
      ]),
    )
    .action(async (file: string, configs: string[], options: LintCommandOptions) => {
      const policy = await readPolicyFile(resolve(context.cwd, file), file);
      const inventory = await readInventory(context, configs, options);
      const findings = lintPolicy(policy, { inventory });
      if (options.json) context.screen.printJson(findings);
      else for (const { message } of findings) context.screen.print(`${file}: ${sanitizeText(message, { max: 2000 })}`);
      if (!options.json && findings.length === 0) context.screen.print(`${file}: ${formatCounts(policy)}, no findings`);
      context.code = findings.length > 0 ? exitCodes.failure : exitCodes.success;
    });
  const trying = createCommand('try', 'show which decisions about recorded calls a changed policy changes')
    .argument('<policy>', 'policy file in force')
    .argument('<changed>', 'policy file to try')
    .argument('<recording>', 'recording of `tenon record`, or of the console')
    .argument('[config...]', 'configuration files of the gateway (default: those in this folder, if there are any)');
  const trial = withPolicyUser(trying)
    .option('--lock [file]', 'lock file with the names of tools (default: mcp.lock if it exists)')
    .option('--no-lock', 'read no lock file')
    .addOption(
      new Option('--prefix <when>', 'prefix of names at the gateway')
        .choices(['auto', 'always', 'never'])
        .default('always'),
    )
    .option('--budget <tokens>', 'token budget of the gateway, whose tools are called through call_tool', parseCount)
    .option('--json', 'print the changed decisions as JSON')
    .addHelpText(
      'after',
      formatExamples([
        ['tenon policy try policy.json changed.json calls.ndjson', 'list the calls with another decision'],
        ['tenon policy try policy.json changed.json calls.ndjson --principal ada', 'for a user'],
      ]),
    )
    .action(async (before: string, after: string, recording: string, configs: string[], options: TrialOptions) => {
      const { reportTrial } = await import('../recording/report-trial.js');
      await reportTrial(context, { before, after, recording, configs }, options);
      context.code = exitCodes.success;
    });
  const schema = createCommand('schema', 'print the JSON Schema of policy files, for editors')
    .option('--json', 'print it in one line')
    .addHelpText(
      'after',
      formatExamples([['tenon policy schema > policy.schema.json', 'name this file in "$schema" of a policy']]),
    )
    .action(({ json }: { readonly json?: boolean }) => {
      if (json) context.screen.printJson(policySchema);
      else context.screen.print(writeJson(policySchema, 2));
      context.code = exitCodes.success;
    });
  return createCommand('policy', summaries.policy)
    .addCommand(explain)
    .addCommand(lint)
    .addCommand(trial)
    .addCommand(schema)
    .addHelpText('after', POLICY_EXAMPLE);
}

function formatCounts({ rules, quotas }: Policy): string {
  const counted = formatCount(rules.length, 'rule');
  return quotas.length === 0 ? counted : `${counted}, ${formatCount(quotas.length, 'quota')}`;
}

/** Reads the tools of servers: from the servers themselves, else from the lock. */
async function readInventory(
  context: CliContext,
  configs: readonly string[],
  { lock, trust = false }: LintCommandOptions,
): Promise<readonly ToolInventory[] | undefined> {
  if (configs.length > 0) {
    const { entries, files } = await readConfiguration(context, configs);
    const { approved, failed } = await approveEntries(context, entries, trust);
    if (approved.length === 0) throw createNoServersError({ files, entries }, failed);
    const { inventories, unavailable } = await collectInventories(context, approved);
    for (const { server, reason } of unavailable)
      context.screen.note(`${sanitizeName(server)} is unavailable: ${sanitizeText(reason)}`);
    const failures = listFailures(inventories).filter(({ list }) => list === 'tools');
    for (const { server, reason } of failures)
      context.screen.note(`${sanitizeName(server)} cannot send its tools: ${sanitizeText(reason)}`);
    // A rule for a tool of such a server would look like one that matches nothing.
    return inventories.filter(({ server }) => failures.every(failed => failed.server !== server));
  }
  if (lock === false) return undefined;
  const path = resolve(context.cwd, typeof lock === 'string' ? lock : 'mcp.lock');
  const read = await openLockFile(path).read();
  if (read === undefined && lock !== undefined)
    throw createUsageError(`lock not found: ${path}`, 'run `tenon lock` first');
  return read && [...read.servers].map(([server, { tools }]) => ({ server, tools: [...tools].map(toToolEntry) }));
}

/** Converts a locked tool to a tool. The lock omits a schema that is too long. */
function toToolEntry([name, { definition }]: [string, { readonly definition: Record<string, unknown> }]) {
  const { inputSchema } = definition;
  return { name, inputSchema: isObject(inputSchema) ? inputSchema : undefined };
}

/** Parses annotations. A wrong type or name would count as the default of the specification, and the decision mislead. */
function parseAnnotations(text: string): ActionRequest['annotations'] {
  const annotations = parseJsonObject(text, '--annotations');
  for (const [name, value] of Object.entries(annotations)) {
    const type = ANNOTATIONS.get(name);
    if (type === undefined)
      throw createUsageError(
        `--annotations: unknown annotation ${JSON.stringify(name)}`,
        `use ${[...ANNOTATIONS.keys()].join(', ')}`,
      );
    if (typeof value !== type)
      throw createUsageError(
        `--annotations: ${name} is ${stringifyJson(value)}`,
        type === 'boolean'
          ? `write {"${name}":true} or {"${name}":false}`
          : `write a text, such as {"${name}":"Search"}`,
      );
  }
  return annotations;
}

function parseActionRequest(tool: string, args: string, { kind, annotations, ...user }: ExplainOptions): ActionRequest {
  const slash = tool.indexOf('/');
  if (slash < 1 || slash === tool.length - 1)
    throw createUsageError(`"${tool}" has no server name`, 'write server/name');
  return {
    kind,
    server: tool.slice(0, slash),
    name: tool.slice(slash + 1),
    arguments: parseJsonObject(args, 'the arguments'),
    ...(annotations === undefined ? {} : { annotations: parseAnnotations(annotations) }),
    trusted: annotations !== undefined,
    ...parsePolicyUser(user),
  };
}
