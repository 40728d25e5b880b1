import {
  type Clock,
  hashSha256,
  type JsonObject,
  type StoredValue,
  TenonError,
  toTypedValues,
  type Values,
} from '@tenon/base';
import type { ExecutionRuntime } from './execution.js';

declare const crypto: { randomUUID(): string };

/** Lifetime of a lease, in milliseconds. A program of a process that died can be continued after it. */
const LEASE = 10_000;
/** Interval at which a program waits for a lease of another process, in milliseconds. */
const LEASE_INTERVAL = 500;
/** Maximum number of steps that are read at once. */
const PAGE = 1000;

/** Stored program. */
interface ProgramHead {
  /** ID of the run, which its steps have in their keys. */
  readonly run: string;
  /** SHA-256 of the code. */
  readonly code: string;
  readonly seed: number;
  readonly time: number;
  /** Result, once the program has ended. */
  readonly result?: JsonObject;
}

type ProgramLease = Awaited<ReturnType<typeof takeLease>>;

/** Stored step of a call. */
export interface StoredStep {
  readonly call: number;
  readonly name: string;
  readonly value: JsonObject;
}

export interface ProgramStoreOptions {
  readonly values: Values;
  readonly clock: Clock;
  readonly ttl: number;
  readonly runtime: ExecutionRuntime;
}

/** Program to open, and its owner. */
export interface ProgramIdentity {
  readonly id: string;
  readonly code: string;
  /** The user and OAuth client, or the address of an anonymous caller. */
  readonly owner: string;
  /** Name of the host, which separates programs of hosts that share a store. */
  readonly host: string;
  /** True if an earlier run of the same request has created the record. */
  readonly mustExist: boolean;
}

/**
 * Record of one program: its seed, its time and the steps of its calls. Each step is written once, and before the
 * program or a server sees its effect, so that two processes never execute the same step.
 */
export class ProgramRecord {
  readonly #options: ProgramStoreOptions;
  readonly #steps: Values<StoredStep>;
  readonly #key: string;
  readonly #identity: ProgramIdentity;
  #head: ProgramLease;
  #value: ProgramHead;
  /** Change of the lease that is in progress. */
  #leasing: Promise<void> = Promise.resolve();

  private constructor(
    options: ProgramStoreOptions,
    identity: ProgramIdentity,
    key: string,
    head: ProgramLease,
    value: ProgramHead,
  ) {
    this.#options = options;
    this.#steps = toTypedValues<StoredStep>(options.values);
    this.#identity = identity;
    this.#key = key;
    this.#head = head;
    this.#value = value;
  }

  /**
   * Opens the record of a program, and creates it if there is none.
   *
   * @throws TenonError `program/program-differs`, `program/running` or `program/lost`.
   */
  static async open(options: ProgramStoreOptions, identity: ProgramIdentity): Promise<ProgramRecord> {
    const { id, owner, host } = identity;
    const key = `program/${hashSha256(JSON.stringify([host, owner, id]))}`;
    const code = hashSha256(identity.code);
    const heads = toTypedValues<ProgramHead>(options.values);
    const known = (await heads.get(key))?.value;
    if (known && known.code !== code) throw createOtherProgramError(id);
    if (known?.result) return new ProgramRecord(options, identity, key, undefined, known);
    if (!known && identity.mustExist) throw createLostError(id);
    const create = (stored: ProgramHead | undefined): ProgramHead | undefined => {
      if (stored) return stored.code === code ? stored : undefined;
      const run = crypto.randomUUID();
      return { run, code, seed: Number.parseInt(run.slice(0, 8), 16), time: options.clock.now() };
    };
    const head = await takeLease(options, identity, key, create);
    if (head === undefined) throw createRunningError(id);
    head.renew();
    return new ProgramRecord(options, identity, key, head, head.value);
  }

  get seed(): number {
    return this.#value.seed;
  }

  get time(): number {
    return this.#value.time;
  }

  /** Result, if the program has already ended. */
  get result(): JsonObject | undefined {
    return this.#value.result;
  }

  /** Lists the steps of all calls. */
  async listSteps(): Promise<StoredStep[]> {
    const prefix = `program-step/${this.#value.run}/`;
    const steps: StoredStep[] = [];
    for (let after: string | undefined; ; ) {
      const page: StoredValue<StoredStep>[] = await this.#steps.list(prefix, after === undefined ? {} : { after });
      steps.push(...page.map(({ value }) => value));
      if (page.length < PAGE) return steps;
      after = page.at(-1)?.key;
    }
  }

  /**
   * Stores a step of a call.
   *
   * @throws TenonError `program/running` if another process has stored the same step.
   */
  async addStep(step: StoredStep): Promise<void> {
    const key = `program-step/${this.#value.run}/${String(step.call).padStart(6, '0')}/${encodeURIComponent(step.name)}`;
    const { ttl } = this.#options;
    if ((await this.#steps.put(key, step, { version: 0, ttl, owner: this.#identity.owner })) === undefined)
      throw createRunningError(this.#identity.id);
  }

  /** Stores the result of the program, and releases its lease. */
  async finish(result: JsonObject): Promise<void> {
    this.#value = { ...this.#value, result };
    await this.#head?.release(value => ({ ...value, result }));
    this.#head = undefined;
  }

  /** Releases the lease, while the program waits for input or after it was given up. */
  release(): Promise<void> {
    return this.#enqueue(async () => {
      const head = this.#head;
      this.#head = undefined;
      await head?.release();
    });
  }

  /** Takes the lease again after `release`. */
  resume(): Promise<void> {
    return this.#enqueue(async () => {
      if (this.#head) return;
      const head = await takeLease(this.#options, this.#identity, this.#key, stored =>
        stored?.run === this.#value.run && stored.result === undefined ? stored : undefined,
      );
      if (head === undefined) throw createRunningError(this.#identity.id);
      head.renew();
      this.#head = head;
    });
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    const next = this.#leasing.then(work);
    this.#leasing = next.catch(() => {});
    return next;
  }
}

/** Waits until a process that died no longer holds the lease. */
async function takeLease(
  { values, clock, ttl, runtime }: ProgramStoreOptions,
  { owner: caller }: ProgramIdentity,
  key: string,
  change: (stored: ProgramHead | undefined) => ProgramHead | undefined,
) {
  for (let waited = 0; ; waited += LEASE_INTERVAL) {
    const head = await runtime.LeasedRecord.take<ProgramHead>(
      values,
      key,
      { clock, lease: LEASE, caller },
      change,
      () => ttl,
    );
    if (head || waited > LEASE) return head;
    await new Promise<void>(resolve => {
      clock.after(LEASE_INTERVAL, resolve);
    });
  }
}

function createOtherProgramError(id: string): TenonError {
  return new TenonError('program/program-differs', `the id ${JSON.stringify(id)} belongs to another program`, {
    hint: 'choose another id for another program',
  });
}

function createRunningError(id: string): TenonError {
  return new TenonError('program/running', `the program ${JSON.stringify(id)} is still running in another request`, {
    hint: 'wait for its result, or send the same program with the same id again later',
  });
}

function createLostError(id: string): TenonError {
  return new TenonError('program/lost', `the steps of the program ${JSON.stringify(id)} are no longer stored`, {
    hint: 'check which of its calls took effect before you run it again',
  });
}
