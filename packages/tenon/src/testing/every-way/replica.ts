import { tasks } from '../../extensions/tasks/tasks.js';
import type { Clock } from '../../jsonrpc/clock.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { ServerDefinition } from '../../server/definition.js';
import { createServer, type Server } from '../../server/server.js';
import { memoryStores } from '../../stores/memory.js';
import type { Stores, Values } from '../../stores/stores.js';
import { type FakeClock, fakeClock } from '../clock.js';

/** How long a process that says nothing may be believed to be at work, in the time of the clock, which is played. */
const LEASE = 30_000;
const BEGINNING = Date.UTC(2030, 0);

/** What outlives the processes: their time, what they have written, and the keys that they share. */
export class World {
  readonly clock: FakeClock = fakeClock(BEGINNING);
  readonly keys = [{ id: 'every-way', key: new Uint8Array(32).fill(7) }];
  readonly stores: Stores = memoryStores({ clock: this.clock });
  /** What is remembered of the call, as it was last written: the record of a task, or of a retry. */
  record: JsonObject = {};
  readonly #records = new Map<string, JsonObject>();
  /** Processes are lost only when the client knows what to come back to. */
  mortal = true;

  /** Notes what was written. Says whether the call is further than it was, so that another process would begin there. */
  wrote(key: string, value: JsonObject): boolean {
    if (!/^(task|retry)\//.test(key)) return false;
    const before = this.#records.get(key);
    this.#records.set(key, value);
    this.record = value;
    return this.mortal && before !== undefined && value.over !== true && progress(before) !== progress(value);
  }

  /** Lets so much time pass that nobody believes any longer that a process which is lost is alive. */
  forget(): void {
    this.clock.advance(LEASE + 1);
  }
}

/** A process of the server. When it is lost, nothing that it still does is of consequence, and nothing is told to it. */
export class Replica {
  readonly server: Server;
  /** Settles when the process is lost. */
  readonly whenLost: Promise<void>;
  readonly #world: World;
  readonly #onLost: () => void;
  lost = false;

  constructor(
    world: World,
    facts: { readonly dies: boolean; readonly forgets: boolean; readonly durable: boolean },
    offer: (replica: Replica) => Pick<ServerDefinition, 'tools' | 'prompts' | 'resources'>,
  ) {
    let lose = () => {};
    this.whenLost = new Promise(resolve => {
      lose = resolve;
    });
    this.#onLost = lose;
    this.#world = world;
    this.server = createServer({
      name: 'every-way',
      version: '1.0.0',
      ...offer(this),
      extensions: [tasks({ lease: LEASE })],
      asking: { keys: world.keys, ...(facts.forgets ? { maxHeld: 0 } : {}) },
      stores: this.#storesOf(facts),
      clock: this.#clock(),
      onProblem: () => {},
    } as ServerDefinition) as unknown as Server;
    // Looks for what another has left.
    world.clock.advance(0);
  }

  /** Runs only while the process lives; later it never settles. */
  alive<T>(work: () => Promise<T>): Promise<T> {
    return this.lost ? new Promise<T>(() => {}) : work();
  }

  #lose(): void {
    this.lost = true;
    this.#onLost();
  }

  #clock(): Clock {
    const { clock } = this.#world;
    return { now: () => clock.now(), after: (ms, run) => clock.after(ms, () => this.lost || run()) };
  }

  #storesOf({ dies, durable }: { readonly dies: boolean; readonly durable: boolean }): Stores {
    const { values, bus } = this.#world.stores;
    const put: Values['put'] = async (key, value, options) => {
      const version = await values.put(key, value, options);
      if (version === undefined || !this.#world.wrote(key, value) || !dies) return version;
      this.#lose();
      return new Promise(() => {});
    };
    return {
      durable,
      values: {
        get: key => this.alive(() => values.get(key)),
        put: (key, value, options) => this.alive(() => put(key, value, options)),
        delete: (key, version) => this.alive(() => values.delete(key, version)),
        list: (prefix, options) => this.alive(() => values.list(prefix, options)),
      },
      bus: {
        publish: (topic, message) => this.alive(() => bus.publish(topic, message)),
        subscribe: (topic, hear) => bus.subscribe(topic, message => void (this.lost || hear(message))),
      },
      close: async () => {},
    };
  }
}

/** What of a record says how far the task is. That somebody has taken it, or still works on it, does not. */
function progress({ status, journal, questions, result, error, entries }: JsonObject): string {
  return JSON.stringify([status, journal, questions, result, error, entries]);
}
