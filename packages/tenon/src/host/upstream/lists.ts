import type { Change, Client } from '../../client/client.js';
import type { CallOptions } from '../../client/options.js';
import type { Clock } from '../../jsonrpc/clock.js';
import { METHOD_NOT_FOUND } from '../../jsonrpc/codes.js';
import { TenonError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { Prompt, Resource, ResourceTemplate, Tool } from '../../model/content.js';
import type { Cacheable } from '../../model/shapes.js';

/** The lists of a server, and what their entries are. */
export interface Kinds {
  tools: Tool;
  prompts: Prompt;
  resources: Resource;
  templates: ResourceTemplate;
}

export type Kind = keyof Kinds;

/** One list, over all its pages. */
export interface List<K extends Kind> extends Cacheable {
  readonly items: readonly Kinds[K][];
}

interface Kept {
  readonly list: Promise<List<Kind>>;
  /** Until when it is good; undefined: until the server says that it has changed. */
  until: number | undefined;
  settled: boolean;
}

/** How many entries of one list are read at the most. */
const MOST = 10_000;
/** How large the pages of one list may be together after its first one, in characters. */
const MAX_SIZE = 64 * 1024 * 1024;
type Changed = (list: 'tools' | 'prompts' | 'resources') => void;

/** What one server offers on one line: read when it is asked for, and kept for as long as it is known to be true. */
export class Lists {
  readonly #server: string;
  readonly #connect: () => Promise<Client>;
  readonly #clock: Clock;
  readonly #problem: (error: TenonError) => void;
  readonly #kept = new Map<Kind, Kept>();
  readonly #listeners = new Set<Changed>();
  #watching = new AbortController();
  #paused = false;

  constructor(server: string, connect: () => Promise<Client>, clock: Clock, problem: (error: TenonError) => void) {
    this.#server = server;
    this.#connect = connect;
    this.#clock = clock;
    this.#problem = problem;
  }

  /** Told of each list that has changed. Returns what ends that. */
  onChange(listener: Changed): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Listens to what the server says of its lists. */
  follow(client: Client): void {
    this.#watching.abort();
    this.#watching = new AbortController();
    client.on('change', change => this.#changed(change));
    if (this.#paused) void this.#resume();
    const { capabilities } = client.server;
    const lists = (['tools', 'prompts', 'resources'] as const).filter(list => capabilities[list]?.listChanged);
    if (lists.length === 0) return;
    const wishes = Object.fromEntries(lists.map(list => [list, true]));
    void this.#watch(client, wishes, this.#watching.signal);
  }

  get<K extends Kind>(kind: K): Promise<List<K>> {
    const kept = this.#kept.get(kind);
    if (kept && (!kept.settled || kept.until === undefined || kept.until > this.#clock.now()))
      return kept.list as Promise<List<K>>;
    const list = this.#read(kind);
    const entry: Kept = { list, until: undefined, settled: false };
    this.#kept.set(kind, entry);
    list.then(
      ({ told, ttlMs = 0 }) => {
        entry.settled = true;
        if (!told || ttlMs > 0) entry.until = this.#clock.now() + ttlMs;
      },
      () => this.#kept.get(kind) === entry && this.#kept.delete(kind),
    );
    return list as unknown as Promise<List<K>>;
  }

  /** The list as it was last read, however long ago; read now if it never was. For what is looked up with every call. */
  known<K extends Kind>(kind: K): Promise<List<K>> {
    return (this.#kept.get(kind)?.list as Promise<List<K>> | undefined) ?? this.get(kind);
  }

  /** Whether a list is being read now. */
  get reading(): boolean {
    for (const { settled } of this.#kept.values()) if (!settled) return true;
    return false;
  }

  /** The process of the server was stopped: no list changes before it runs again, also where changes are not announced. */
  pause(): void {
    this.#watching.abort();
    this.#paused = true;
    for (const entry of this.#kept.values()) entry.until = undefined;
  }

  /** What was read is of another process, or of another session. */
  forget(): void {
    this.#kept.clear();
  }

  close(): void {
    this.#watching.abort();
    this.#listeners.clear();
  }

  async #watch(client: Client, wishes: JsonObject, signal: AbortSignal): Promise<void> {
    try {
      for await (const _ of client.watch(wishes, { signal })) {
        // What it tells of came as a change already.
      }
    } catch (error) {
      if (!signal.aborted) this.#problem(TenonError.from(error));
    }
  }

  /** Reads again what was read of the former process, and reports the lists that are not the same. */
  async #resume(): Promise<void> {
    this.#paused = false;
    const before = [...this.#kept];
    this.#kept.clear();
    await Promise.all(
      before.map(async ([kind, { list }]) => {
        const isSame = await Promise.all([list, this.get(kind)])
          .then(([stored, current]) => JSON.stringify(stored.items) === JSON.stringify(current.items))
          .catch(() => false);
        const name = kind === 'templates' ? 'resources' : kind;
        if (!isSame) for (const listener of [...this.#listeners]) listener(name);
      }),
    );
  }

  #changed(change: Change): void {
    if (!('list' in change)) return;
    this.#kept.delete(change.list);
    if (change.list === 'resources') this.#kept.delete('templates');
    for (const listener of [...this.#listeners]) listener(change.list);
  }

  async #read(kind: Kind): Promise<List<Kind> & { readonly told: boolean }> {
    const client = await this.#connect();
    const { capabilities } = client.server;
    const offered = kind === 'templates' ? 'resources' : kind;
    if (capabilities[offered] === undefined) return { items: [], told: true };
    let hints: Cacheable | undefined;
    let size = 0;
    const onPage = (page: JsonObject) => {
      // One page alone is as large as a message may be.
      if (hints) size += JSON.stringify(page).length;
      if (size > MAX_SIZE) throw this.#tooMuch('host/too-large', `lists more than ${MAX_SIZE} characters of ${kind}`);
      hints = strictest(hints ?? {}, page);
    };
    const items = new Map<string, Kinds[Kind]>();
    let twice: string | undefined;
    for await (const entry of withoutUnknownMethod(entriesOf(client, kind, { onPage }))) {
      const key = keyOf(entry);
      if (items.has(key)) twice ??= key;
      else items.set(key, entry);
      if (items.size < MOST) continue;
      this.#problem(this.#tooMuch('host/too-many', `lists more than ${MOST} ${kind}: the rest is left out`));
      break;
    }
    if (twice !== undefined) {
      const what = `lists ${JSON.stringify(twice.slice(0, 128))} more than once: the first of these ${kind} is taken`;
      this.#problem(this.#tooMuch('host/listed-twice', what));
    }
    return { items: [...items.values()], told: capabilities[offered]?.listChanged === true, ...hints };
  }

  #tooMuch(code: string, what: string): TenonError {
    return new TenonError(code, `the server "${this.#server}" ${what}`);
  }
}

/**
 * Treats -32601 on a list as an empty list: many servers declare `resources` and answer no `resources/templates/list`,
 * and a capability is declared for all lists of its kind.
 */
async function* withoutUnknownMethod<T>(entries: AsyncIterable<T>): AsyncIterable<T> {
  try {
    yield* entries;
  } catch (error) {
    if (!(TenonError.is(error) && error.rpc === METHOD_NOT_FOUND)) throw error;
  }
}

/** What an entry is known by. */
export function keyOf(entry: Kinds[Kind]): string {
  if ('uri' in entry) return entry.uri;
  return 'uriTemplate' in entry ? entry.uriTemplate : entry.name;
}

function entriesOf(client: Client, kind: Kind, options: CallOptions): AsyncIterable<Kinds[Kind]> {
  switch (kind) {
    case 'tools':
      return client.listTools(options);
    case 'prompts':
      return client.listPrompts(options);
    case 'resources':
      return client.listResources(options);
    case 'templates':
      return client.listResourceTemplates(options);
  }
}

/** How long all pages stay good: as long as the one that does so for the shortest time. */
export function strictest(before: Cacheable, { ttlMs, cacheScope }: Cacheable): Cacheable {
  const times = [before.ttlMs, ttlMs].filter(time => time !== undefined);
  const scopes = [before.cacheScope, cacheScope];
  return {
    ...(times.length > 0 ? { ttlMs: Math.min(...times) } : {}),
    ...(scopes.includes('private') ? { cacheScope: 'private' as const } : cacheScope ? { cacheScope } : {}),
  };
}
