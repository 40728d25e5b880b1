import type { Clock, JsonObject, Stores, Values } from '@tenon/base';
import { createServer, memoryStores, type Server, type ServerDefinition, tasks } from 'tenon';
import { type FakeClock, fakeClock } from '../fake-clock.js';

/** Time of the fake clock after which a silent process counts as dead, in milliseconds. */
const LEASE_DURATION = 30_000;
const START_TIME = Date.UTC(2030, 0);

/** State that outlives the processes: their clock, their stores, and their shared keys. */
export class SharedEnvironment {
  readonly clock: FakeClock = fakeClock(START_TIME);
  readonly keys = [{ id: 'handler-equivalence', key: new Uint8Array(32).fill(7) }];
  readonly stores: Stores = memoryStores({ clock: this.clock });
  /** Last record of the call that was written, of a task or of a retry. */
  record: JsonObject = {};
  readonly #records = new Map<string, JsonObject>();
  readonly #values = new Map<string, JsonObject>();
  readonly #logs = new Map<string, readonly JsonObject[]>();
  /** True if a process may crash. The client must have an ID or a state to continue the call. */
  canCrash = true;

  /** Records a write. Returns true if the call has progressed, so that another process would continue from there. */
  recordWrite(key: string, value: JsonObject): boolean {
    const entries = /^task-log\/[^/]+/.exec(key);
    if (entries) return this.#recordEntries(entries[0].replace('-log', ''), (value.entries ?? []) as JsonObject[]);
    return /^(task|retry)\//.test(key) && this.#recordValue(key, value);
  }

  /** Records the log of a task, which has the steps that its record does not have. */
  #recordEntries(key: string, entries: readonly JsonObject[]): boolean {
    this.#logs.set(key, [...(this.#logs.get(key) ?? []), ...entries]);
    return this.#recordValue(key, this.#values.get(key) ?? {});
  }

  #recordValue(key: string, value: JsonObject): boolean {
    this.#values.set(key, value);
    const log = this.#logs.get(key);
    const record =
      log === undefined ? value : { ...value, journal: [...log, ...((value.journal ?? []) as JsonObject[])] };
    const before = this.#records.get(key);
    this.#records.set(key, record);
    this.record = record;
    return this.canCrash && before !== undefined && value.over !== true && getProgress(before) !== getProgress(record);
  }

  /** Advances the clock until the lease of a lost process has expired. */
  expireLeases(): void {
    this.clock.advance(LEASE_DURATION + 1);
  }
}

/** A process of the server. After a crash its actions have no effect and it gets no messages. */
export class Replica {
  readonly server: Server;
  /** Resolves when the process has crashed. */
  readonly crashed: Promise<void>;
  readonly #environment: SharedEnvironment;
  readonly #onCrash: () => void;
  isCrashed = false;

  constructor(
    environment: SharedEnvironment,
    options: { readonly crashes: boolean; readonly withoutMemory: boolean; readonly durable: boolean },
    createDefinition: (replica: Replica) => Pick<ServerDefinition, 'tools' | 'prompts' | 'resources'>,
  ) {
    let resolveCrashed = () => {};
    this.crashed = new Promise(resolve => {
      resolveCrashed = resolve;
    });
    this.#onCrash = resolveCrashed;
    this.#environment = environment;
    // The type of the definition is only known at run time.
    this.server = createServer({
      name: 'handler-equivalence',
      version: '1.0.0',
      ...createDefinition(this),
      extensions: [tasks({ leaseTtl: LEASE_DURATION })],
      inputRequests: { keys: environment.keys, ...(options.withoutMemory ? { maxSuspended: 0 } : {}) },
      stores: this.#createStores(options),
      clock: this.#createClock(),
      onError: () => {},
    } as ServerDefinition) as unknown as Server;
    // This process looks for tasks that another process has left.
    environment.clock.advance(0);
  }

  /** Runs work while the process is alive. After a crash the promise never settles. */
  runIfAlive<T>(work: () => Promise<T>): Promise<T> {
    return this.isCrashed ? new Promise<T>(() => {}) : work();
  }

  /** Ends the process, so that a handler that still runs has no effect on the next scenario. */
  stop(): void {
    this.isCrashed = true;
    this.server.close();
  }

  #crash(): void {
    this.isCrashed = true;
    this.#onCrash();
  }

  #createClock(): Clock {
    const { clock } = this.#environment;
    return {
      now: () => clock.now(),
      elapsed: () => clock.elapsed(),
      after: (ms, run) => clock.after(ms, () => this.isCrashed || run()),
    };
  }

  #createStores({ crashes, durable }: { readonly crashes: boolean; readonly durable: boolean }): Stores {
    const { values, bus } = this.#environment.stores;
    const put: Values['put'] = async (key, value, options) => {
      const version = await values.put(key, value, options);
      if (version === undefined || !this.#environment.recordWrite(key, value) || !crashes) return version;
      this.#crash();
      return new Promise(() => {});
    };
    return {
      durable,
      values: {
        get: key => this.runIfAlive(() => values.get(key)),
        put: (key, value, options) => this.runIfAlive(() => put(key, value, options)),
        delete: (key, version) => this.runIfAlive(() => values.delete(key, version)),
        list: (prefix, options) => this.runIfAlive(() => values.list(prefix, options)),
      },
      bus: {
        publish: (topic, message) => this.runIfAlive(() => bus.publish(topic, message)),
        subscribe: (topic, listener) => bus.subscribe(topic, message => void (this.isCrashed || listener(message))),
      },
      close: async () => {},
    };
  }
}

/** Returns the parts of a record that show the progress of the task, without the lease. */
function getProgress({ status, journal, questions, result, error, entries }: JsonObject): string {
  return JSON.stringify([status, journal, questions, result, error, entries]);
}
