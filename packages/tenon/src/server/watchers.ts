import { TenonError } from '../jsonrpc/error.js';
import type { JsonObject } from '../jsonrpc/message.js';
import { type Caller, sees, type Visible } from './caller.js';

export type ListName = 'tools' | 'prompts' | 'resources';

/** Someone who wants to hear of changes. */
export interface Watcher {
  readonly caller: Caller;
  /** Which lists it wants to hear of. */
  wants(list: ListName): boolean;
  deliver(method: string, params: JsonObject): void;
}

/** Who wants to hear of what. A change costs what it takes to tell those who asked for it. */
export class Watchers {
  readonly #all = new Set<Watcher>();
  readonly #byUri = new Map<string, Set<Watcher>>();
  readonly #hooks = new Map<string, () => void>();
  readonly #subscribe: (uri: string) => (() => void) | undefined;
  readonly #problem: (error: TenonError) => void;

  /**
   * `subscribe` is called when a URI gets its first watcher; what it returns when it has lost the last. What these throw
   * is reported: it is nothing that a client could mend.
   */
  constructor(subscribe: (uri: string) => (() => void) | undefined, problem: (error: TenonError) => void) {
    this.#subscribe = subscribe;
    this.#problem = problem;
  }

  add(watcher: Watcher): void {
    this.#all.add(watcher);
  }

  remove(watcher: Watcher, uris: Iterable<string>): void {
    this.#all.delete(watcher);
    for (const uri of [...uris]) this.unwatch(watcher, uri);
  }

  watch(watcher: Watcher, uri: string): void {
    const watchers = this.#byUri.get(uri);
    if (watchers) {
      watchers.add(watcher);
      return;
    }
    this.#byUri.set(uri, new Set([watcher]));
    const end = this.#safely(() => this.#subscribe(uri));
    if (end) this.#hooks.set(uri, end);
  }

  unwatch(watcher: Watcher, uri: string): void {
    const watchers = this.#byUri.get(uri);
    watchers?.delete(watcher);
    if (watchers?.size !== 0) return;
    this.#byUri.delete(uri);
    const end = this.#hooks.get(uri);
    this.#hooks.delete(uri);
    if (end) this.#safely(end);
  }

  updated(uri: string): void {
    for (const watcher of this.#byUri.get(uri) ?? []) watcher.deliver('notifications/resources/updated', { uri });
  }

  /** Tells that a list changed, to those who see at least one of the entries that did. */
  listChanged(list: ListName, items: readonly Visible[]): void {
    for (const watcher of this.#all) {
      if (!watcher.wants(list) || !this.#safely(() => items.some(item => sees(watcher.caller, item)))) continue;
      watcher.deliver(`notifications/${list}/list_changed`, {});
    }
  }

  #safely<T>(run: () => T): T | undefined {
    try {
      return run();
    } catch (error) {
      this.#problem(TenonError.from(error, 'handler/threw'));
      return undefined;
    }
  }
}
