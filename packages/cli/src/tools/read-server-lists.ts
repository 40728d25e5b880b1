import { type Clock, systemClock } from '@tenon/base';
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

/** Connection whose lists are read. */
export type ListedClient = Pick<
  Client,
  'server' | 'listTools' | 'listResources' | 'listResourceTemplates' | 'listPrompts'
>;

/** Options for reading the lists of a server. */
export interface ReadListsOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * Called once if the server has sent some lists after two seconds, and others not. A missing list counts as failed
   * until it comes.
   */
  readonly onPartial?: ((lists: ServerLists) => void) | undefined;
  /** Clock for the two seconds. */
  readonly clock?: Clock | undefined;
}

/** Time after which `onPartial` is called, in milliseconds. */
const PARTIAL_DELAY = 2000;

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
export async function readServerLists(
  client: ListedClient,
  { signal, onPartial, clock = systemClock }: ReadListsOptions = {},
): Promise<ServerLists> {
  const options = signal ? { signal } : {};
  const { capabilities } = client.server;
  const missing = new Set<ServerListName>();
  let lists: ServerLists = { tools: [], resources: [], resourceTemplates: [], prompts: [], failures: [], read: [] };
  const collect = async <Entry>(
    list: ServerListName,
    open: () => AsyncIterable<Entry>,
    toPart: (entries: readonly Entry[]) => Partial<ListedEntries>,
  ): Promise<void> => {
    if (!capabilities[CAPABILITIES[list]]) return;
    missing.add(list);
    try {
      const part = toPart(await collectAll(open()));
      lists = { ...lists, ...part, read: [...lists.read, list] };
    } catch (error) {
      lists = { ...lists, failures: [...lists.failures, { list, error: TenonError.from(error) }] };
    }
    missing.delete(list);
  };
  const showPart = () => {
    if (lists.read.length === 0 || signal?.aborted) return;
    const failures = [...missing].map(list => ({ list, error: createMissingError() }));
    onPartial?.({ ...lists, failures: [...lists.failures, ...failures] });
  };
  const cancel = onPartial && clock.after(PARTIAL_DELAY, showPart);
  await Promise.all([
    collect(
      'tools',
      () => client.listTools(options),
      tools => ({ tools }),
    ),
    collect(
      'resources',
      () => client.listResources(options),
      resources => ({ resources }),
    ),
    collect(
      'resourceTemplates',
      () => client.listResourceTemplates(options),
      resourceTemplates => ({ resourceTemplates }),
    ),
    collect(
      'prompts',
      () => client.listPrompts(options),
      prompts => ({ prompts }),
    ),
  ]);
  cancel?.();
  return lists;
}

const createMissingError = () =>
  new TenonError('call/timeout', `no response after ${PARTIAL_DELAY / 1000} s, still waiting`, {
    hint: 'check the log of the server if it does not come',
  });
