import {
  type Clock,
  isPromise,
  type JsonObject,
  type MaybePromise,
  runWithTimeout,
  stringifyJson,
  TenonError,
} from '@tenon/base';
import type { CallOptions, ChangeEvent, Client, Prompt, Resource, ResourceTemplate, Tool } from 'tenon';
import type { Cacheable } from 'tenon/host-internals';
import { mergeCacheHints } from './cache-hints.js';
import { NOTIFIABLE_LISTS } from './notifiable-lists.js';
import type { SharedEntries } from './shared-entries.js';

/** Entry type of each list. */
export interface ListEntries {
  tools: Tool;
  prompts: Prompt;
  resources: Resource;
  templates: ResourceTemplate;
}

export type ListKind = keyof ListEntries;

/** All pages of a list. */
export interface EntryList<K extends ListKind> extends Cacheable {
  readonly items: readonly ListEntries[K][];
  /** True if the server sent no list, although it declares one. The list does not show that entries were removed. */
  readonly isMissing?: boolean;
}

interface CachedList {
  readonly list: Promise<EntryList<ListKind>>;
  /** Time of the request, in milliseconds of the clock. */
  readonly requestedAt: number;
  /**
   * Expiry of the list, in milliseconds of the clock. `undefined`: the list is valid until the server announces a
   * change.
   */
  until: number | undefined;
  settled: boolean;
  /** Entries of the list, after they were read. */
  value: EntryList<ListKind> | undefined;
}

/** Maximum number of entries of one list. The rest is ignored. */
const MAX_ENTRIES = 10_000;
/** Maximum total size of the pages after the first one, in characters. */
const MAX_SIZE = 64 * 1024 * 1024;
/** Maximum time for which a call waits for a list that it can do without, in milliseconds. */
export const OPTIONAL_LIST_TIMEOUT = 10_000;
/** Time for which such a list is not requested again after a failure, in milliseconds. */
export const FAILED_LIST_TTL = 30_000;
type ListChangeCallback = (list: 'tools' | 'prompts' | 'resources') => void;

/** Cache of one server's lists on one connection. Lists are read on demand, and cached while they are valid. */
export class ListCache {
  readonly #server: string;
  readonly #connect: (isForCall: boolean) => Promise<Client>;
  readonly #clock: Clock;
  readonly #onError: (error: TenonError) => void;
  /** Called with the error of a list that could not be read, and without one after a response. */
  readonly #onResponse: (error?: unknown) => void;
  readonly #sharedEntries: SharedEntries | undefined;
  readonly #cached = new Map<ListKind, CachedList>();
  /** The last lists that the server returned, also after the connection was lost. */
  readonly #last = new Map<ListKind, EntryList<ListKind>>();
  /** Lists whose last request failed, with the time until which no call requests them for a comparison. */
  readonly #failed = new Map<ListKind, { readonly error: unknown; readonly until: number }>();
  readonly #listeners = new Set<ListChangeCallback>();
  #watching = new AbortController();
  #paused = false;

  constructor(
    server: string,
    connect: (isForCall: boolean) => Promise<Client>,
    clock: Clock,
    onError: (error: TenonError) => void,
    onResponse: (error?: unknown) => void = () => {},
    sharedEntries?: SharedEntries,
  ) {
    this.#server = server;
    this.#connect = connect;
    this.#clock = clock;
    this.#onError = onError;
    this.#onResponse = onResponse;
    this.#sharedEntries = sharedEntries;
  }

  /** Calls a listener for each list that has changed. Returns a function that removes the listener. */
  onChange(listener: ListChangeCallback): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Subscribes to the list changes that the server announces. */
  observeClient(client: Client): void {
    this.#watching.abort();
    this.#watching = new AbortController();
    client.on('change', change => this.#handleChange(change));
    if (this.#paused) void this.#resume();
    const { capabilities } = client.server;
    const lists = NOTIFIABLE_LISTS.filter(list => capabilities[list]?.listChanged);
    if (lists.length === 0) return;
    const filter = Object.fromEntries(lists.map(list => [list, true]));
    void this.#watch(client, filter, this.#watching.signal);
  }

  /**
   * Returns the cached list, or reads it.
   *
   * @param isForCall True for the lookup of a call, which waits during a short delay after a failure.
   */
  get<K extends ListKind>(kind: K, isForCall = false): Promise<EntryList<K>> {
    const cached = this.#cached.get(kind);
    if (cached && (!cached.settled || cached.until === undefined || cached.until > this.#clock.now()))
      return cached.list as Promise<EntryList<K>>;
    const list = this.#read(kind, isForCall);
    const requestedAt = this.#clock.elapsed();
    const entry: CachedList = { list, requestedAt, until: undefined, settled: false, value: undefined };
    this.#cached.set(kind, entry);
    list.then(
      read => {
        const { announcesChanges, ttlMs = 0 } = read;
        entry.settled = true;
        entry.value = read;
        this.#failed.delete(kind);
        if (this.#cached.get(kind) === entry) this.#last.set(kind, read);
        this.#onResponse();
        if (!announcesChanges || ttlMs > 0) entry.until = this.#clock.now() + ttlMs;
      },
      error => {
        if (this.#cached.get(kind) === entry) {
          this.#cached.delete(kind);
          this.#failed.set(kind, { error, until: this.#clock.elapsed() + FAILED_LIST_TTL });
        }
        this.#onResponse(error);
      },
    );
    return list;
  }

  /** Returns the cached list if it is still valid. */
  getFresh<K extends ListKind>(kind: K): EntryList<K> | undefined {
    const cached = this.#cached.get(kind);
    if (cached?.value === undefined) return undefined;
    const isFresh = cached.until === undefined || cached.until > this.#clock.now();
    return isFresh ? (cached.value as EntryList<K>) : undefined;
  }

  /** Returns the cached list, even if it has expired. Reads nothing. */
  getKnown<K extends ListKind>(kind: K): EntryList<K> | undefined {
    return this.#cached.get(kind)?.value as EntryList<K> | undefined;
  }

  /** Reports that all lists may have changed, because callers got them without the server. */
  announceAll(): void {
    for (const list of NOTIFIABLE_LISTS) for (const listener of [...this.#listeners]) listener(list);
  }

  /** Returns the cached list, even if it has expired, else reads it. Used for lookups that occur with every call. */
  getCached<K extends ListKind>(kind: K): MaybePromise<EntryList<K>> {
    const cached = this.#cached.get(kind);
    return ((cached?.value ?? cached?.list) as MaybePromise<EntryList<K>> | undefined) ?? this.get(kind, true);
  }

  /**
   * Returns the list as `getCached` for a call that can do without it. It waits for a limited time, and does not request a
   * list again soon after a failure: such a list would delay each call.
   */
  getOptional<K extends ListKind>(kind: K): MaybePromise<EntryList<K>> {
    const failed = this.#failed.get(kind);
    if (!this.#cached.has(kind) && failed !== undefined && failed.until > this.#clock.elapsed()) throw failed.error;
    const list = this.getCached(kind);
    if (!isPromise(list)) return list;
    const { requestedAt = this.#clock.elapsed() } = this.#cached.get(kind) ?? {};
    return runWithTimeout(() => list, {
      clock: this.#clock,
      timeout: Math.max(0, requestedAt + OPTIONAL_LIST_TIMEOUT - this.#clock.elapsed()),
      onTimeout: () => {
        throw this.#createListError('call/timeout', `has not listed its ${kind} within ${OPTIONAL_LIST_TIMEOUT} ms`);
      },
    });
  }

  /** Returns the last list that the server returned, if there is one. It may be outdated. */
  getLast<K extends ListKind>(kind: K): EntryList<K> | undefined {
    return this.#last.get(kind) as EntryList<K> | undefined;
  }

  /** True while a list is being read. */
  get isReading(): boolean {
    for (const { settled } of this.#cached.values()) if (!settled) return true;
    return false;
  }

  /** Keeps all lists valid while the process of the server is stopped, because they cannot change. */
  pause(): void {
    this.#watching.abort();
    this.#paused = true;
    for (const entry of this.#cached.values()) entry.until = undefined;
  }

  /** Reads the lists again on demand, because another process or session may have others. */
  expire(): void {
    this.#cached.clear();
    this.#failed.clear();
  }

  /** Drops the lists, because their caller may no longer see them. */
  clear(): void {
    this.#cached.clear();
    this.#failed.clear();
    this.#last.clear();
  }

  close(): void {
    this.#watching.abort();
    this.#listeners.clear();
  }

  async #watch(client: Client, filter: JsonObject, signal: AbortSignal): Promise<void> {
    try {
      for await (const _ of client.watch(filter, { signal })) {
        // The client has already emitted the change as an event.
      }
    } catch (error) {
      if (!signal.aborted) this.#onError(TenonError.from(error));
    }
  }

  /** Reads the lists of the previous process again, and reports those that have changed. */
  async #resume(): Promise<void> {
    this.#paused = false;
    const before = [...this.#cached];
    this.#cached.clear();
    await Promise.all(
      before.map(async ([kind, { list }]) => {
        const isSame = await Promise.all([list, this.get(kind)])
          .then(([stored, current]) => stringifyJson(stored.items) === stringifyJson(current.items))
          .catch(() => false);
        if (!isSame) for (const listener of [...this.#listeners]) listener(getCapabilityName(kind));
      }),
    );
  }

  #handleChange(change: ChangeEvent): void {
    if (!('list' in change)) return;
    for (const kind of change.list === 'resources' ? (['resources', 'templates'] as const) : [change.list]) {
      this.#cached.delete(kind);
      this.#failed.delete(kind);
    }
    for (const listener of [...this.#listeners]) listener(change.list);
  }

  async #read<K extends ListKind>(
    kind: K,
    isForCall: boolean,
  ): Promise<EntryList<K> & { readonly announcesChanges: boolean }> {
    const client = await this.#connect(isForCall);
    const { capabilities } = client.server;
    const offered = getCapabilityName(kind);
    if (capabilities[offered] === undefined) return { items: [], announcesChanges: true };
    let hints: Cacheable | undefined;
    let size = 0;
    let hasNextPage = false;
    const onPage = (page: JsonObject) => {
      // The first page is limited by the maximum message size.
      if (hints) size += JSON.stringify(page).length;
      if (size > MAX_SIZE)
        throw this.#createListError('host/too-large', `lists more than ${MAX_SIZE} characters of ${kind}`);
      hints = mergeCacheHints(hints ?? {}, page);
      hasNextPage = typeof page.nextCursor === 'string';
    };
    const items = new Map<string, ListEntries[K]>();
    let duplicate: string | undefined;
    let isMissing = false;
    const onListMissing = () => {
      isMissing = true;
    };
    for await (const entry of LISTS[kind](client, { onPage, onListMissing })) {
      const key = getEntryKey(entry);
      if (items.has(key)) duplicate ??= key;
      else if (items.size < MAX_ENTRIES) items.set(key, entry);
      // The last page may end with the last entry that is taken.
      if (items.size < MAX_ENTRIES || (items.has(key) && !hasNextPage)) continue;
      this.#onError(
        this.#createListError('host/too-many', `lists more than ${MAX_ENTRIES} ${kind}, and the others are ignored`),
      );
      break;
    }
    if (duplicate !== undefined) {
      const what = `lists ${JSON.stringify(duplicate.slice(0, 128))} more than once, and only the first of these ${kind} is used`;
      this.#onError(this.#createListError('host/listed-twice', what));
    }
    const announcesChanges = capabilities[offered]?.listChanged === true;
    const own = [...items.values()];
    return { items: this.#sharedEntries?.share(kind, own) ?? own, announcesChanges, isMissing, ...hints };
  }

  #createListError(code: string, what: string): TenonError {
    return new TenonError(code, `the server "${this.#server}" ${what}`);
  }
}

/** Returns the key that identifies an entry. */
export function getEntryKey(entry: ListEntries[ListKind]): string {
  if ('uri' in entry) return entry.uri;
  return 'uriTemplate' in entry ? entry.uriTemplate : entry.name;
}

/** Returns the capability that a server declares for a list. */
export function getCapabilityName(kind: ListKind): 'tools' | 'prompts' | 'resources' {
  return kind === 'templates' ? 'resources' : kind;
}

const LISTS: {
  readonly [K in ListKind]: (client: Client, options: CallOptions) => AsyncIterable<ListEntries[K]>;
} = {
  tools: (client, options) => client.listTools(options),
  prompts: (client, options) => client.listPrompts(options),
  resources: (client, options) => client.listResources(options),
  templates: (client, options) => client.listResourceTemplates(options),
};
