import { type Client, type Prompt, type Resource, type ResourceTemplate, TenonError, type Tool } from 'tenon';
import { collectAll } from '../collect-all.js';

/** Entries of each list of a server. */
interface ListedEntries {
  readonly tools: readonly Tool[];
  readonly resources: readonly Resource[];
  readonly resourceTemplates: readonly ResourceTemplate[];
  readonly prompts: readonly Prompt[];
}

/** Name of a list of a server. */
export type ServerListName = keyof ListedEntries;

/** List that could not be read. */
export interface ListFailure {
  readonly list: ServerListName;
  readonly error: TenonError;
}

/** Lists of a server. One that failed, or that the server does not declare, is empty. */
export interface ServerLists extends ListedEntries {
  readonly failures: readonly ListFailure[];
  /** Names of the lists that the server has sent. */
  readonly read: readonly ServerListName[];
}

const CAPABILITIES = {
  tools: 'tools',
  resources: 'resources',
  resourceTemplates: 'resources',
  prompts: 'prompts',
} as const satisfies Record<ServerListName, string>;

/**
 * Reads all lists of a server. A list that fails does not hide the others, because many servers declare lists that
 * need a setting or another service.
 */
export async function readServerLists(client: Client, signal?: AbortSignal): Promise<ServerLists> {
  const options = signal ? { signal } : {};
  const { capabilities } = client.server;
  const failures: ListFailure[] = [];
  const read: ServerListName[] = [];
  const collect = async <Entry>(list: ServerListName, open: () => AsyncIterable<Entry>): Promise<readonly Entry[]> => {
    if (!capabilities[CAPABILITIES[list]]) return [];
    try {
      const entries = await collectAll(open());
      read.push(list);
      return entries;
    } catch (error) {
      failures.push({ list, error: TenonError.from(error) });
      return [];
    }
  };
  const [tools, resources, resourceTemplates, prompts] = await Promise.all([
    collect('tools', () => client.listTools(options)),
    collect('resources', () => client.listResources(options)),
    collect('resourceTemplates', () => client.listResourceTemplates(options)),
    collect('prompts', () => client.listPrompts(options)),
  ]);
  return { tools, resources, resourceTemplates, prompts, failures, read };
}
