import { TenonError } from '@tenon/base';
import type { CallerInfo } from '../handler/context.js';

/** An item that some callers may not see. */
export interface HasVisibility {
  readonly visible?: ((caller: CallerInfo) => boolean) | undefined;
}

/** An item that requires scopes. */
export interface HasScopes {
  readonly scopes?: readonly string[] | undefined;
}

/** An item that all callers may see. */
const VISIBLE: HasVisibility = {};

/** Items with their names, in the order in which they were added. */
type NamedItems<D> = readonly (readonly [name: string, item: D])[];

/** Items of one kind that a server offers, by name. Connected clients are notified of changes. */
export class Registry<D extends HasVisibility> {
  readonly #perCaller: ((caller: CallerInfo) => { readonly [name: string]: D }) | undefined;
  readonly #items: Map<string, D>;
  /** Functions that are called with the changed entries of each change. @internal */
  readonly listeners: Set<(items: readonly HasVisibility[]) => void>;
  readonly #hasSource: boolean;
  readonly #check: (name: string, item: D) => void;
  #version = 0;
  #isShared: boolean | undefined;
  /** Cached results of `pick`, until the registry changes. */
  #pickCache: Map<(name: string) => boolean, NamedItems<D>> | undefined;

  constructor(
    source: { readonly [name: string]: D } | ((caller: CallerInfo) => { readonly [name: string]: D }) | undefined,
    check: (name: string, item: D) => void,
    onChange: (items: readonly HasVisibility[]) => void,
  ) {
    this.#perCaller = typeof source === 'function' ? source : undefined;
    this.#items = new Map(typeof source === 'function' ? [] : Object.entries(source ?? {}));
    this.#hasSource = source !== undefined;
    this.#check = check;
    this.listeners = new Set([onChange]);
    for (const [name, item] of this.#items) check(name, item);
  }

  /** Number that increases with every change. */
  get version(): number {
    return this.#version;
  }

  /** Number of entries. */
  get size(): number {
    return this.#items.size;
  }

  /**
   * True if the server offers this kind of item. An empty registry counts, because items may be added while clients are
   * connected.
   */
  get isOffered(): boolean {
    return this.#hasSource || this.#version > 0;
  }

  /** True if all callers see the same items. */
  get isShared(): boolean {
    this.#isShared ??= this.#perCaller === undefined && ![...this.#items.values()].some(item => item.visible);
    return this.#isShared;
  }

  /**
   * Adds or replaces an item.
   * @throws TenonError `server/catalog-function` if the registry is a function of the caller.
   */
  set(name: string, item: D): void {
    this.#requireItems(name);
    this.#check(name, item);
    const previous = this.#items.get(name);
    this.#items.set(name, item);
    this.#handleChange(previous ? [previous, item] : [item]);
  }

  /**
   * Removes an item. Returns false if it did not exist.
   * @throws TenonError `server/catalog-function` if the registry is a function of the caller.
   */
  delete(name: string): boolean {
    this.#requireItems(name);
    const item = this.#items.get(name);
    if (item === undefined) return false;
    this.#items.delete(name);
    this.#handleChange([item]);
    return true;
  }

  /**
   * Notifies clients that the visible entries have changed without a call of `set` or `delete`. For example,
   * permissions may have changed.
   */
  notifyChanged(): void {
    // Without entries of its own, as with a function of the caller, the registry does not know who is concerned.
    this.#handleChange(this.#items.size === 0 ? [VISIBLE] : [...this.#items.values()]);
  }

  /** Tells if an entry with this name exists. */
  has(name: string): boolean {
    return this.#items.has(name);
  }

  /** Lists the names of all entries. */
  listNames(): string[] {
    return [...this.#items.keys()];
  }

  /** Returns the item of this name, if the caller may see it. */
  find(name: string, caller: CallerInfo): D | undefined {
    const callerItems = this.#createForCaller(caller);
    const item = callerItems
      ? Object.hasOwn(callerItems, name)
        ? callerItems[name]
        : undefined
      : this.#items.get(name);
    return item && canSee(caller, item) ? item : undefined;
  }

  /** Lists all items that the caller may see, in the order in which they were added. */
  listFor(caller: CallerInfo): [name: string, item: D][] {
    const callerItems = this.#createForCaller(caller);
    const entries = callerItems ? Object.entries(callerItems) : [...this.#items];
    return this.isShared ? entries : entries.filter(([, item]) => canSee(caller, item));
  }

  /**
   * Lists the matching items that the caller may see. Pass the same function each time: the result is cached by it.
   * @param select Selects some of the matching items. It gets the same list until the registry changes.
   */
  pick(
    matches: (name: string) => boolean,
    caller: CallerInfo,
    select: (entries: NamedItems<D>) => NamedItems<D> = entries => entries,
  ): NamedItems<D> {
    const callerItems = this.#createForCaller(caller);
    const entries = select(
      callerItems ? Object.entries(callerItems).filter(([name]) => matches(name)) : this.#pick(matches),
    );
    return this.isShared ? entries : entries.filter(([, item]) => canSee(caller, item));
  }

  #pick(matches: (name: string) => boolean): NamedItems<D> {
    this.#pickCache ??= new Map();
    const cached = this.#pickCache.get(matches);
    if (cached) return cached;
    const picked = [...this.#items].filter(([name]) => matches(name));
    this.#pickCache.set(matches, picked);
    return picked;
  }

  #createForCaller(caller: CallerInfo): { readonly [name: string]: D } | undefined {
    if (this.#perCaller === undefined) return undefined;
    const callerItems = this.#perCaller(caller);
    for (const [name, item] of Object.entries(callerItems)) this.#check(name, item);
    return callerItems;
  }

  #requireItems(name: string): void {
    if (this.#perCaller === undefined) return;
    throw new TenonError(
      'server/catalog-function',
      `cannot set or delete "${name}" because the catalog is a function`,
      {
        hint: 'change the result of the function, then call notifyChanged() on the registry',
      },
    );
  }

  #handleChange(items: readonly HasVisibility[]): void {
    this.#version += 1;
    this.#isShared = undefined;
    this.#pickCache = undefined;
    for (const listener of this.listeners) listener(items);
  }
}

/** Tells if a caller sees an entry. A promise, or another value than `true`, hides it: an async `visible` grants nothing. */
export function canSee(caller: CallerInfo, item: HasVisibility): boolean {
  return item.visible === undefined || item.visible(caller) === true;
}

/** Caches the compiled form of a definition for each of its names. The cache does not keep the definition alive. */
export function memoizeCompile<D extends object, C>(
  compile: (name: string, definition: D) => C,
): (name: string, definition: D) => C {
  const cache = new WeakMap<D, Map<string, C>>();
  return (name, definition) => {
    const byName = cache.get(definition) ?? new Map<string, C>();
    const cached = byName.get(name);
    if (cached !== undefined) return cached;
    const compiled = compile(name, definition);
    cache.set(definition, byName.set(name, compiled));
    return compiled;
  };
}
