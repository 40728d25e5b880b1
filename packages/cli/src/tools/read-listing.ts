import { createTokenReport } from '@tenon/host';
import type { Client, Prompt, Resource, ResourceTemplate, Tool } from 'tenon';
import { getExitCode } from '../exit-codes.js';
import { createErrorReport, type ErrorReport } from '../report-failure.js';
import { readServerLists, type ServerListName, type ServerLists } from './read-server-lists.js';
import { formatToolSignature } from './signature.js';

/** Tool as `--json` prints it: the definition of the server, its signature, and its number of tokens. */
export interface ListedTool extends Tool {
  readonly signature: string;
  readonly tokens: number;
}

/** List that could not be read, with its error. */
export interface FailedList extends ErrorReport {
  readonly list: ServerListName;
}

/** Inventory of a server. */
export interface ServerListing {
  readonly server: { readonly name: string; readonly version: string; readonly title?: string | undefined } | null;
  readonly protocolVersion: string;
  readonly instructions: string | null;
  /** Estimated number of tokens of all tools in the context of a model. */
  readonly tokens: number;
  readonly tools: readonly ListedTool[];
  readonly resources: readonly Resource[];
  readonly resourceTemplates: readonly ResourceTemplate[];
  readonly prompts: readonly Prompt[];
  /** Lists that could not be read. They are empty above, which does not mean that the server has no entries. */
  readonly failedLists: readonly FailedList[];
}

/** Connection whose server is listed. */
interface ListedConnection {
  readonly client: Client;
  readonly protocolVersion: string;
  readonly signal: AbortSignal;
  /** Called if the server has sent some lists after two seconds, and others not. */
  readonly onPartial?: ((listing: ServerListing) => void) | undefined;
}

/**
 * Reads all lists of a server. A list that the server does not declare is empty.
 *
 * @throws TenonError if no list could be read.
 */
export async function readListing(connection: ListedConnection): Promise<ServerListing> {
  const { client, signal, onPartial } = connection;
  const lists = await readServerLists(client, {
    signal,
    onPartial: onPartial && (part => onPartial(createListing(connection, part))),
  });
  const [first] = lists.failures;
  if (first && (lists.read.length === 0 || signal.aborted)) throw first.error;
  return createListing(connection, lists);
}

function createListing(
  { client, protocolVersion }: ListedConnection,
  { tools, resources, resourceTemplates, prompts, failures }: ServerLists,
): ServerListing {
  const { info, instructions } = client.server;
  const { total, servers } = createTokenReport([{ server: '', tools }]);
  const costs = servers[0]?.tools ?? [];
  return {
    server: info ? { name: info.name, version: info.version, ...(info.title ? { title: info.title } : {}) } : null,
    protocolVersion,
    instructions: instructions ?? null,
    tokens: total,
    tools: tools.map((tool, index) => ({
      ...tool,
      signature: formatToolSignature(tool),
      tokens: costs[index]?.tokens ?? 0,
    })),
    resources,
    resourceTemplates,
    prompts,
    failedLists: failures.map(({ list, error }) => ({ list, ...createErrorReport(error, getExitCode(error)) })),
  };
}
