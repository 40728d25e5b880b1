import { type Clock, INTERNAL_ERROR, INVALID_PARAMS, rpcError, type Stores, TenonError } from '@tenon/base';
import { LeasedRecord } from '../stores/leased-record.js';
import type { StoreClock } from '../stores/store-clock.js';
import type { CompletedStep } from './journal.js';

/** Time after which a process that does not renew its claim on a retry counts as dead, in milliseconds. */
const LEASE = 30_000;

/** Time after which a client may send a retry again that another request is handling, in milliseconds. */
const RETRY_DELAY = 5000;

/** The use of a state by one retry. */
export interface RetryClaim {
  /** Steps that an earlier process completed for the same retry before it died. */
  readonly entries: readonly CompletedStep[];
  /** Stores a completed step, if the store outlives this process. */
  saveStep(step: CompletedStep): Promise<void> | void;
  /** Records that the retry was answered. */
  finish(): Promise<void> | void;
}

interface UsedState {
  readonly entries: readonly CompletedStep[];
  /** True when the retry was answered. */
  readonly over?: boolean;
}

interface RetryClaimsConfig {
  readonly stores: Stores;
  readonly clock: Clock;
  readonly onError: (error: TenonError) => void;
}

/** Records which states are used, so that each state is used by one retry. */
export class RetryClaims {
  readonly #config: RetryClaimsConfig;
  readonly #clock: StoreClock;

  constructor(config: RetryClaimsConfig, clock: StoreClock) {
    this.#config = config;
    this.#clock = clock;
  }

  /**
   * Claims a state for one retry. A durable store also keeps the steps of the retry. If the process of the retry dies,
   * the client may send the same retry again. Throws -32602 if a retry has used the state, and -32603 with
   * `retryAfterMs` while one uses it.
   */
  async claim(key: string, expires: number, caller: string): Promise<RetryClaim> {
    const { stores, onError } = this.#config;
    if (!stores.durable) return this.#claimInMemory(key, expires, caller);
    const clock = this.#clock;
    // Work that outlives the state keeps its claim on the state.
    const computeTtl = ({ over }: UsedState) => Math.max(over ? 1 : LEASE, expires - clock.now());
    let isOver = false;
    const take = (before: UsedState | undefined) => {
      isOver = before?.over === true;
      return isOver ? undefined : { entries: [], ...before };
    };
    let onFault = onError;
    const faults = { onFault: (error: TenonError) => onFault(error) };
    // The user has responded. A refused retry would lose the response, because most clients do not repeat it.
    const owner = { clock: this.#config.clock, lease: LEASE, caller, faults, waitsToTake: true };
    const claim = await LeasedRecord.take<UsedState>(stores.values, key, owner, take, computeTtl);
    if (claim === undefined) throw isOver ? createUsedError() : createRunningError();
    claim.renew();
    const saveStep = async (step: CompletedStep) => {
      const update = claim.update(used => ({ ...used, entries: [...used.entries, step] }));
      // The journal in memory has the step. The step is repeated only if this process dies, too.
      await update.catch(error => {
        if (TenonError.is(error) && error.code === 'store/lease-lost') throw error;
        onError(TenonError.from(error));
      });
    };
    // A fault of the store must not delay the response.
    const finish = () =>
      new Promise<void>(resolve => {
        onFault = error => {
          onError(error);
          resolve();
        };
        const released = claim.release(() => ({ entries: [], over: true }));
        released.catch(error => onError(TenonError.from(error))).finally(resolve);
      });
    return { entries: claim.value.entries, saveStep, finish };
  }

  /** Claims a state whose claim ends with this process. Its steps are in the memory of the process, too. */
  async #claimInMemory(key: string, expires: number, caller: string): Promise<RetryClaim> {
    const { values } = this.#config.stores;
    const computeTtl = () => Math.max(1, expires - this.#clock.now());
    const version = await values.put(key, { over: false }, { version: 0, ttl: computeTtl(), owner: caller });
    if (version === undefined) {
      const used = await values.get(key);
      throw used?.value.over === false ? createRunningError() : createUsedError();
    }
    const finish = async () => {
      const release = values.put(key, { over: true }, { version, ttl: computeTtl(), owner: caller });
      await release.catch(error => this.#config.onError(TenonError.from(error)));
    };
    return { entries: [], saveStep: doNothing, finish };
  }
}

export function doNothing(): void {}

/**
 * Creates the error for a state that this server cannot continue. An earlier round may have had effects, so the advice
 * is never to send the call again without a check.
 */
export function createStateError(reason: string): TenonError {
  return rpcError(
    INVALID_PARAMS,
    `Invalid params: requestState ${reason}. Check the effect of the call before you send it again`,
  );
}

const createUsedError = (): TenonError => createStateError('was already used, and its request has ended');

/** Creates the error for a retry that another request handles at the moment. The same retry is safe at any time. */
function createRunningError(): TenonError {
  return rpcError(
    INTERNAL_ERROR,
    `The same retry is still running. Send it again, with the same requestState, after ${RETRY_DELAY / 1000} s`,
    { retryAfterMs: RETRY_DELAY },
  );
}
