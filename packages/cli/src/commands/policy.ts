import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import {
  lintPolicy,
  lockFile,
  type Proposal,
  readPolicyFile,
  safeName,
  safeText,
  type ToolInventory,
} from 'tenon/host';
import { readConfiguration } from '../configuration.js';
import { exit } from '../exit.js';
import { misuse } from '../misuse.js';
import { askAll } from '../offering.js';
import { judge } from '../trusting.js';
import type { World } from '../world.js';
import { command, examples } from './command.js';

interface LintCommandOptions {
  /** A path; `false`: tools are not looked up. Absent: `mcp.lock` where there is one. */
  readonly lock?: string | boolean;
  readonly trust?: boolean;
  readonly json?: boolean;
}

interface ExplainOptions {
  readonly kind: Proposal['kind'];
  readonly principal?: string;
  readonly annotations?: string;
  readonly json?: boolean;
}

export function policyCommand(world: World): Command {
  const explain = command('explain', 'say what a policy decides about a call, and by which rule')
    .argument('<policy>', 'the file of the rules')
    .argument('<server/name>', 'the tool, prompt or URI, by the names of the configuration and of the server')
    .argument('[arguments]', 'the arguments, as JSON', '{}')
    .addOption(
      new Option('--kind <kind>', 'what the name is of').choices(['tool', 'prompt', 'resource']).default('tool'),
    )
    .option('--principal <name>', 'who calls (default: nobody that is known)')
    .option('--annotations <json>', 'what a server that is trusted says of the tool')
    .option('--json', 'print the verdict as JSON')
    .addHelpText(
      'after',
      examples([
        [`tenon policy explain policy.json notes/remove '{"title":"a"}'`, 'each rule, and why it fits or not'],
      ]),
    )
    .action(async (file: string, tool: string, args: string, options: ExplainOptions) => {
      const policy = await readPolicyFile(resolve(world.cwd, file), file);
      const proposal = proposalOf(tool, args, options);
      if (options.json) world.screen.json(policy.judge(proposal));
      else world.screen.print(policy.explain(proposal));
      world.code = exit.fine;
    });
  const lint = command('lint', 'find rules that decide nothing, let pass more than they say, or name what is not there')
    .argument('<policy>', 'the file of the rules')
    .argument('[config...]', 'configurations whose servers are started and asked for their tools')
    .option('--lock [file]', 'take the tools from this lock (default: mcp.lock where there is one)')
    .option('--no-lock', 'check no names of tools and arguments')
    .option('--trust', 'run what the configurations name without asking: they are your own')
    .option('--json', 'print what was found as JSON')
    .addHelpText(
      'after',
      examples([
        ['tenon policy lint policy.json', 'checks the names of tools and arguments against mcp.lock'],
        ['tenon policy lint policy.json mcp.json', 'the same against the servers themselves'],
      ]),
    )
    .action(async (file: string, configs: string[], options: LintCommandOptions) => {
      const policy = await readPolicyFile(resolve(world.cwd, file), file);
      const inventory = await readInventory(world, configs, options);
      const found = lintPolicy(policy, { inventory });
      if (options.json) world.screen.json(found);
      else for (const { message } of found) world.screen.print(`${file}: ${safeText(message, { max: 2000 })}`);
      if (!options.json && found.length === 0)
        world.screen.print(`${file}: ${policy.rules.length} rules, nothing to say`);
      world.code = found.length > 0 ? exit.no : exit.fine;
    });
  return command('policy', 'rules by which calls are allowed, asked about or denied')
    .addCommand(explain)
    .addCommand(lint);
}

/** The tools that servers have: by the servers themselves, else by the lock. */
async function readInventory(
  world: World,
  configs: readonly string[],
  { lock, trust = false }: LintCommandOptions,
): Promise<readonly ToolInventory[] | undefined> {
  if (configs.length > 0) {
    const { entries } = await readConfiguration(world, configs);
    const { approved } = await judge(world, entries, trust);
    const { offered, absent } = await askAll(world, approved);
    for (const { server, why } of absent) world.screen.note(`${safeName(server)} can not be asked: ${safeText(why)}`);
    return offered;
  }
  if (lock === false) return undefined;
  const path = resolve(world.cwd, typeof lock === 'string' ? lock : 'mcp.lock');
  const read = await lockFile(path).read();
  if (read === undefined && lock !== undefined) throw misuse(`there is no lock ${path}`, 'write it first: tenon lock');
  return read && [...read.servers].map(([server, { tools }]) => ({ server, tools: [...tools].map(lockedTool) }));
}

/** A schema that was too long for the lock is not known. */
function lockedTool([name, { definition }]: [string, { readonly definition: Record<string, unknown> }]) {
  const { inputSchema } = definition;
  const isSchema = typeof inputSchema === 'object' && inputSchema !== null && !Array.isArray(inputSchema);
  return { name, inputSchema: isSchema ? (inputSchema as Record<string, unknown>) : undefined };
}

function proposalOf(tool: string, args: string, { kind, principal, annotations }: ExplainOptions): Proposal {
  const slash = tool.indexOf('/');
  if (slash < 1 || slash === tool.length - 1) throw misuse(`"${tool}" names no server`, 'give server/name');
  return {
    kind,
    server: tool.slice(0, slash),
    name: tool.slice(slash + 1),
    arguments: objectIn(args, 'the arguments'),
    ...(annotations === undefined ? {} : { annotations: objectIn(annotations, '--annotations') }),
    trusted: annotations !== undefined,
    principal,
  };
}

function objectIn(text: string, what: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // It is said below.
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw misuse(`${what} are no JSON object`, `write them like '{"title":"a"}'`);
}
