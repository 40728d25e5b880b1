import { durable, states } from '../../packages/tenon/src/conversation/asking/fixtures/playing.js';
import type { States } from '../../packages/tenon/src/conversation/asking/states.js';
import type { Stores, Values } from '../../packages/tenon/src/stores/stores.js';
import { type FakeClock, fakeClock } from '../../packages/tenon/src/testing/clock.js';

/** One process of a server, which can be made to die when it has passed so many places. */
export class Process {
  readonly states: States;
  /** Resolves when it is dead. */
  readonly died: Promise<'died'>;
  #left = Number.POSITIVE_INFINITY;
  #die: () => void = () => {};

  constructor(stores: Stores, clock: FakeClock, maxHeld: number) {
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
    this.states = states({
      clock: mortal,
      stores: { ...stores, values },
      options: { maxHeld, maxRounds: 1000 },
    });
  }

  get alive(): boolean {
    return this.#left > 0;
  }

  dieAfter(places: number): void {
    this.#left = places;
  }

  /** Nothing of a process that is dead goes on. */
  pass(): Promise<void> {
    if (this.#left > 0) this.#left--;
    if (this.alive) return Promise.resolve();
    this.#die();
    return new Promise(() => {});
  }

  async #through<T>(work: () => Promise<T>): Promise<T> {
    await this.pass();
    const done = await work();
    await this.pass();
    return done;
  }
}

/** A store that outlives its processes, and what it was told of steps. */
export function site(): { clock: FakeClock; stores: Stores; recorded: Set<string>; answered(): Promise<boolean> } {
  const clock = fakeClock(1_000_000);
  const stores = durable(clock);
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
