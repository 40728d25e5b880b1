import { TenonError } from '../jsonrpc/error.js';
import type { Caller, Visible } from './caller.js';
import { sees } from './caller.js';

/** What a server offers of one kind, by name. It may change while the server runs: clients are told. */
export class Catalog<D extends Visible> {
  readonly #perCaller: ((caller: Caller) => { readonly [name: string]: D }) | undefined;
  readonly #items: Map<string, D>;
  readonly #onChange: (items: readonly D[]) => void;
  readonly #given: boolean;
  readonly #check: (name: string, item: D) => void;
  #version = 0;
  #same: boolean | undefined;
  /** What was picked out by name, until something changes. */
  #picked: Map<(name: string) => boolean, readonly [name: string, item: D][]> | undefined;

  constructor(
    source: { readonly [name: string]: D } | ((caller: Caller) => { readonly [name: string]: D }) | undefined,
    check: (name: string, item: D) => void,
    onChange: (items: readonly D[]) => void,
  ) {
    this.#perCaller = typeof source === 'function' ? source : undefined;
    this.#items = new Map(typeof source === 'function' ? [] : Object.entries(source ?? {}));
    this.#given = source !== undefined;
    this.#check = check;
    this.#onChange = onChange;
    for (const [name, item] of this.#items) check(name, item);
  }

  /** Grows with every change. */
  get version(): number {
    return this.#version;
  }

  get size(): number {
    return this.#items.size;
  }

  /** Whether the server offers this kind: an empty catalog counts, because items may be added while clients are connected. */
  get offered(): boolean {
    return this.#given || this.#version > 0;
  }

  /** Whether all callers see the same. */
  get same(): boolean {
    this.#same ??= this.#perCaller === undefined && ![...this.#items.values()].some(item => item.visible);
    return this.#same;
  }

  /** Adds or replaces one. Throws `server/catalog-function` where the catalog is a function of the caller. */
  set(name: string, item: D): void {
    this.#requireItems(name);
    this.#check(name, item);
    const before = this.#items.get(name);
    this.#items.set(name, item);
    this.#changed(before ? [before, item] : [item]);
  }

  /** Takes one away. False when it was not there. Throws `server/catalog-function` where the catalog is a function of the caller. */
  delete(name: string): boolean {
    this.#requireItems(name);
    const item = this.#items.get(name);
    if (item === undefined) return false;
    this.#items.delete(name);
    this.#changed([item]);
    return true;
  }

  /** Says that what callers see has changed, though no `set` or `delete` did it: their rights, say. */
  changed(): void {
    this.#changed([...this.#items.values()]);
  }

  has(name: string): boolean {
    return this.#items.has(name);
  }

  names(): string[] {
    return [...this.#items.keys()];
  }

  /** The one of this name, when the caller may see it. */
  find(name: string, caller: Caller): D | undefined {
    const own = this.#own(caller);
    const item = own ? (Object.hasOwn(own, name) ? own[name] : undefined) : this.#items.get(name);
    return item && sees(caller, item) ? item : undefined;
  }

  /** All that the caller may see, in the order in which they were added. */
  all(caller: Caller): [name: string, item: D][] {
    const own = this.#own(caller);
    const entries = own ? Object.entries(own) : [...this.#items];
    return this.same ? entries : entries.filter(([, item]) => sees(caller, item));
  }

  /** Those with such names that the caller may see: the others cost nothing. Give the same function each time. */
  pick(isOne: (name: string) => boolean, caller: Caller): readonly [name: string, item: D][] {
    const own = this.#own(caller);
    const entries = own ? Object.entries(own).filter(([name]) => isOne(name)) : this.#pick(isOne);
    return this.same ? entries : entries.filter(([, item]) => sees(caller, item));
  }

  #pick(isOne: (name: string) => boolean): readonly [name: string, item: D][] {
    this.#picked ??= new Map();
    const known = this.#picked.get(isOne);
    if (known) return known;
    const picked = [...this.#items].filter(([name]) => isOne(name));
    this.#picked.set(isOne, picked);
    return picked;
  }

  #own(caller: Caller): { readonly [name: string]: D } | undefined {
    if (this.#perCaller === undefined) return undefined;
    const own = this.#perCaller(caller);
    for (const [name, item] of Object.entries(own)) this.#check(name, item);
    return own;
  }

  #requireItems(name: string): void {
    if (this.#perCaller === undefined) return;
    throw new TenonError('server/catalog-function', `"${name}" cannot be set or deleted: the catalog is a function`, {
      next: 'change what the function returns, then call changed() on the catalog',
    });
  }

  #changed(items: readonly D[]): void {
    this.#version += 1;
    this.#same = undefined;
    this.#picked = undefined;
    this.#onChange(items);
  }
}
