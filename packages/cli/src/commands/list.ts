import { stringifyJson } from '@tenon/base';
import { sanitizeText } from '@tenon/host';
import type { Command } from 'commander';
import { type JsonObject, TenonError } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { storeKnownNames } from '../completion/known-names.js';
import { exitCodes } from '../exit-codes.js';
import { formatExamples } from '../options/create-command.js';
import type { Screen } from '../screen.js';
import { summaries } from '../summaries.js';
import { runWithClient } from '../target/run-with-client.js';
import { createTargetCommand, type TargetOptions, withKeep, withTargetOptions } from '../target/target-options.js';
import { takeOnlyTarget } from '../target/target-reference.js';
import { readListing, type ServerListing } from '../tools/read-listing.js';
import type { ServerListName } from '../tools/read-server-lists.js';
import { formatPromptSignature } from '../tools/signature.js';

interface ListOptions extends TargetOptions {
  readonly schema?: boolean;
}

/** Maximum length of a description in the list, in characters. `--json` prints the complete description. */
const MAX_DESCRIPTION = 400;
const MAX_LINE = 4000;

export function createListCommand(context: CliContext): Command {
  const command = createTargetCommand('list', summaries.list, '').option(
    '--schema',
    'print the JSON Schemas of the tools, too',
  );
  return withTargetOptions(withKeep(command))
    .addHelpText(
      'after',
      formatExamples([
        ['tenon list https://example.com/mcp', 'the server at a URL'],
        ['tenon list', 'the servers of ./mcp.json, each with its state, tools and last error'],
        ['tenon list notes', 'the server "notes" of ./mcp.json'],
        ['tenon list server.ts', 'the server in a file'],
        ['tenon list --json -- node server.js', 'the server that a command starts, as JSON'],
      ]),
    )
    .action(async (words: string[], options: ListOptions) => {
      if (words.length === 0 && context.serverCommand === undefined && (await listServers(context, options))) return;
      const reference = takeOnlyTarget(context, words);
      await runWithClient(context, reference, options, async connection => {
        const listing = await readListing(connection);
        const { tools, prompts, resources, resourceTemplates: templates, failedLists } = listing;
        const isRead = (list: ServerListName) => failedLists.every(failed => failed.list !== list);
        await storeKnownNames(context, reference, {
          ...(isRead('tools') && { tools }),
          ...(isRead('prompts') && { prompts }),
          ...(isRead('resources') && { resources }),
          ...(isRead('resourceTemplates') && { templates }),
        });
        if (options.json) context.screen.printJson(listing);
        else context.screen.print(formatListing(listing, options, context.screen));
        for (const { list, cause, fix } of options.json ? [] : failedLists)
          context.screen.note(
            `tenon: the ${LIST_NAMES[list]} could not be read: ${sanitizeLine(cause)}. ${fix.charAt(0).toUpperCase()}${fix.slice(1)}`,
            'error',
          );
        const { capabilities } = connection.client.server;
        if (!capabilities.tools && !capabilities.prompts && !capabilities.resources) {
          const { UNDECLARED } = await import('../gateway/gateway-status.js');
          context.screen.note(`the server ${UNDECLARED}, pass --assume tools`, 'warning');
        }
        // A script must not take an incomplete list for a complete one.
        context.code = failedLists[0]?.exit ?? exitCodes.success;
      });
    });
}

const LIST_NAMES: Readonly<Record<ServerListName, string>> = {
  tools: 'tools',
  prompts: 'prompts',
  resources: 'resources',
  resourceTemplates: 'resource templates',
};

/** Lists the configured servers. Returns false if there is no configuration. */
async function listServers(context: CliContext, { config = [], trust = false, json }: ListOptions): Promise<boolean> {
  const { listConfiguredServers } = await import('../host/list-configured-servers.js');
  const { formatServerStates } = await import('../gateway/gateway-status.js');
  const listing = await listConfiguredServers(context, config, trust).catch(error => {
    if (TenonError.is(error) && error.code === 'cli/no-config') return undefined;
    throw error;
  });
  if (listing === undefined) return false;
  const { files, servers, gateway } = listing;
  const place = gateway === undefined ? '' : `, as the gateway with the process ${gateway} runs them`;
  if (json) context.screen.printJson({ servers });
  else if (servers.length === 0) context.screen.print(`${files.join(', ')}: no servers`);
  else
    context.screen.print(
      `Servers of ${files.join(', ')}${place}\n\n${formatServerStates(servers, text => sanitizeLine(text, 1000))}`,
    );
  context.code = servers.some(({ state }) => state === 'failed') ? exitCodes.failure : exitCodes.success;
  return true;
}

function formatListing(listing: ServerListing, { schema = false }: ListOptions, screen: Screen): string {
  const { server, protocolVersion, tools, resources, resourceTemplates, prompts, tokens } = listing;
  const title = server ? `${sanitizeLine(server.name)} ${sanitizeLine(server.version)}` : 'unnamed server';
  const sections = [
    formatSection(
      screen,
      `Tools (${tools.length}, about ${tokens} tokens)`,
      tools.map(tool => [
        tool.signature,
        `${tool.tokens} tokens`,
        tool.description,
        ...(schema ? [stringifyJson(tool.inputSchema), formatOutputSchema(tool.outputSchema)] : []),
      ]),
    ),
    formatSection(
      screen,
      `Resources (${resources.length})`,
      resources.map(({ uri, name, description }) => [uri, name, description]),
    ),
    formatSection(
      screen,
      `Resource templates (${resourceTemplates.length})`,
      resourceTemplates.map(({ uriTemplate, name, description }) => [uriTemplate, name, description]),
    ),
    formatSection(
      screen,
      `Prompts (${prompts.length})`,
      prompts.map(each => [formatPromptSignature(each), undefined, each.description]),
    ),
  ];
  return [`${screen.style('bold', title)}  protocol ${protocolVersion}`, ...sections.filter(Boolean)].join('\n\n');
}

const formatOutputSchema = (schema: JsonObject | undefined): string | undefined =>
  schema && `output: ${stringifyJson(schema)}`;

/** Entry of the list: a head, a note next to it, and lines below. */
type Entry = readonly [head: string, note: string | undefined, ...lines: (string | undefined)[]];

function formatSection(screen: Screen, title: string, entries: readonly Entry[]): string {
  if (entries.length === 0) return '';
  const lines = entries.flatMap(([head, note, ...below]) => [
    `  ${sanitizeLine(head)}${note === undefined ? '' : screen.style('dim', `  · ${sanitizeLine(note)}`)}`,
    ...below.flatMap((text, index) =>
      text === undefined
        ? []
        : [`    ${screen.style('dim', sanitizeLine(text, index === 0 ? MAX_DESCRIPTION : MAX_LINE))}`],
    ),
  ]);
  return [screen.style('bold', title), ...lines].join('\n');
}

const sanitizeLine = (text: string, max: number = MAX_LINE): string => sanitizeText(text, { max });
