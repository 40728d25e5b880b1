import { sanitizeText } from '@tenon/host';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context.js';
import { exitCodes } from '../exit-codes.js';
import { createCommand, formatExamples } from '../options/create-command.js';
import { parseCount } from '../options/option-parsers.js';
import { searchRegistry, selectRegistry } from '../registry/registry-client.js';
import type { RegistryEntry } from '../registry/registry-document.js';
import { formatColumns } from '../screen.js';
import { summaries } from '../summaries.js';
import { createUsageError } from '../usage-error.js';

interface SearchOptions {
  readonly registry?: string;
  readonly limit: number;
  readonly cursor?: string;
  readonly json?: boolean;
}

/** Server of a registry. */
export interface FoundServer {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description: string;
  readonly version: string;
  readonly status?: string | undefined;
  readonly packages?:
    | readonly {
        readonly registryType: string;
        readonly identifier: string;
        readonly version?: string | undefined;
        readonly transport: string;
      }[]
    | undefined;
  readonly remotes?: readonly { readonly type: string; readonly url: string }[] | undefined;
}

const MAX_LIMIT = 100;
const MAX_DESCRIPTION = 80;

export function createSearchCommand(context: CliContext): Command {
  return createCommand('search', summaries.search)
    .argument('<text>', 'part of the name of a server')
    .option('--registry <url>', 'registry (default: TENON_REGISTRY_URL, or the official one)')
    .option('--limit <number>', `number of servers, at most ${MAX_LIMIT}`, parseCount, 20)
    .option('--cursor <text>', 'continue after the page with this cursor')
    .option('--json', 'print JSON on standard output, and errors as one line of JSON on standard error')
    .addHelpText(
      'after',
      formatExamples([
        ['tenon search filesystem', 'names, versions and descriptions'],
        ['tenon list io.github.example/notes', 'review a server of the registry, and list its tools'],
        ['tenon add notes io.github.example/notes --all --dry-run', 'show how hosts would start it'],
      ]),
    )
    .action(async (text: string, options: SearchOptions) => {
      if (options.limit > MAX_LIMIT) throw createUsageError(`--limit: at most ${MAX_LIMIT}`, 'continue with --cursor');
      const registry = selectRegistry(context.env, options.registry);
      const { limit, cursor } = options;
      const { entries, invalid, nextCursor } = await searchRegistry(registry, { text, limit, cursor });
      for (const { name = 'an entry without a name', issue } of invalid)
        context.screen.note(
          `${sanitizeText(name, { max: 200 })}: left out, because its entry in the registry is invalid: ${sanitizeText(issue, { max: 300 })}`,
          'warning',
        );
      if (options.json) context.screen.printJson({ servers: entries.map(toReport), nextCursor });
      else reportServers(context, entries, nextCursor);
      context.code = exitCodes.success;
    });
}

const toReport = ({ server, status }: RegistryEntry): FoundServer => ({
  name: server.name,
  title: server.title,
  description: server.description,
  version: server.version,
  status,
  packages: server.packages?.map(({ registryType, identifier, version, transport }) => ({
    registryType,
    identifier,
    version,
    transport: transport.type,
  })),
  remotes: server.remotes?.map(({ type, url }) => ({ type, url })),
});

function reportServers(
  { screen }: CliContext,
  entries: readonly RegistryEntry[],
  nextCursor: string | undefined,
): void {
  if (entries.length === 0) screen.note('no server found');
  const shorten = (text: string, max = MAX_DESCRIPTION) => sanitizeText(text, { max });
  const rows = entries.map(({ server, status }) => [
    shorten(server.name),
    shorten(server.version, 20),
    `${status === 'deprecated' ? '(deprecated) ' : ''}${shorten(server.description)}`,
  ]);
  if (rows.length > 0) screen.print(formatColumns(rows, ''));
  if (nextCursor !== undefined) screen.note(`more: --cursor ${nextCursor}`);
}
