import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { TenonError } from 'tenon';
import { createPolicy, lintPolicy, type Policy, type Proposal, readPolicy } from 'tenon/host';
import { exit } from '../exit.js';
import { misuse } from '../misuse.js';
import type { World } from '../world.js';
import { command, examples } from './command.js';

interface ExplainOptions {
  readonly principal?: string;
  readonly annotations?: string;
  readonly json?: boolean;
}

export function policyCommand(world: World): Command {
  const explain = command('explain', 'say what a policy decides about a call, and by which rule')
    .argument('<policy>', 'the file of the rules')
    .argument('<server/tool>', 'the tool, by the names of the configuration and of the server')
    .argument('[arguments]', 'the arguments, as JSON', '{}')
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
      const policy = await policyIn(world, file);
      const proposal = proposalOf(tool, args, options);
      if (options.json) world.screen.json(policy.judge(proposal));
      else world.screen.print(policy.explain(proposal));
      world.code = exit.fine;
    });
  const lint = command('lint', 'find rules that can never decide anything')
    .argument('<policy>', 'the file of the rules')
    .option('--json', 'print what was found as JSON')
    .action(async (file: string, { json }: { json?: boolean }) => {
      const policy = await policyIn(world, file);
      const found = lintPolicy(policy);
      if (json) world.screen.json(found);
      else for (const { message } of found) world.screen.print(`${file}: ${message}`);
      if (!json && found.length === 0) world.screen.print(`${file}: ${policy.rules.length} rules, nothing to say`);
      world.code = found.length > 0 ? exit.no : exit.fine;
    });
  return command('policy', 'rules by which calls are allowed, asked about or denied')
    .addCommand(explain)
    .addCommand(lint);
}

async function policyIn({ cwd }: World, file: string): Promise<Policy> {
  let text: string;
  try {
    text = await readFile(resolve(cwd, file), 'utf8');
  } catch (cause) {
    const got = (cause as NodeJS.ErrnoException).code;
    throw new TenonError('cli/unreadable', `${file} can not be read`, { got, cause });
  }
  const { rules, fallback } = readPolicy(text, file);
  return createPolicy(rules, { fallback });
}

function proposalOf(tool: string, args: string, { principal, annotations }: ExplainOptions): Proposal {
  const slash = tool.indexOf('/');
  if (slash < 1 || slash === tool.length - 1) throw misuse(`"${tool}" names no tool`, 'give server/tool');
  return {
    kind: 'tool',
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
