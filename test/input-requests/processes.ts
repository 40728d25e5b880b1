import { type FakeClock, fakeClock } from '@tenon/testing';
import type { Stores, Values } from '../../packages/base/src/stores/stores.js';
import { createDurableStores, createStateStore } from '../../packages/tenon/src/execution/fixtures/playing.js';
import type { RequestStateStore } from '../../packages/tenon/src/execution/request-state-store.js';

/** One process of a server, which can be made to die when it has passed so many places. */
export class Process {
  readonly states: RequestStateStore;
  /** Resolves when it is dead. */
  readonly died: Promise<'died'>;
  #left = Number.POSITIVE_INFINITY;
  #die: () => void = () => {};

  constructor(stores: Stores, clock: FakeClock, maxSuspended: number) {
    this.died = new Promise(resolve => {
      this.#die = () => resolve('died');
    });
    const { get, put, delete: remove, list } = stores.values;
    const values: Values = {
      get: key => this.#through(() => get(key)),
      put: (key, value, options) => this.#through(() => put(key, value, options)),
      delete: (key, version) => this.#through(() => remove(key, version)),
      list: (prefix, options) => this.#through(() => list(prefix, options)),
    };
    const mortal = { ...clock, after: (ms: number, run: () => void) => clock.after(ms, () => this.alive && run()) };
    this.states = createStateStore({
      clock: mortal,
      stores: { ...stores, values },
      options: { maxSuspended, maxRounds: 1000 },
    });
  }

  get alive(): boolean {
    return this.#left > 0;
  }

  dieAfter(places: number): void {
    this.#left = places;
  }

  /** Nothing of a process that is dead goes on. */
  advance(): Promise<void> {
    if (this.#left > 0) this.#left--;
    if (this.alive) return Promise.resolve();
    this.#die();
    return new Promise(() => {});
  }

  async #through<T>(work: () => Promise<T>): Promise<T> {
    await this.advance();
    const done = await work();
    await this.advance();
    return done;
  }
}

/** A store that outlives its processes, and what it was told of steps. */
export function createSite(): {
  clock: FakeClock;
  stores: Stores;
  recorded: Set<string>;
  answered(): Promise<boolean>;
} {
  const clock = fakeClock(1_000_000);
  const stores = createDurableStores(clock);
  const recorded = new Set<string>();
  const values: Values = {
    ...stores.values,
    async put(key, value, options) {
      const written = await stores.values.put(key, value, options);
      const steps = (value.entries ?? []) as { step: string; n?: number }[];
      if (written !== undefined) for (const { step, n = 0 } of steps) recorded.add(`${step}/${n}`);
      return written;
    },
  };
  const answered = async () => {
    const retries = await stores.values.list('retry/');
    const rounds = retries.map(({ key }) => Number(key.split('.').at(-1)));
    return retries[rounds.indexOf(Math.max(...rounds))]?.value.over === true;
  };
  return { clock, stores: { ...stores, values }, recorded, answered };
}
