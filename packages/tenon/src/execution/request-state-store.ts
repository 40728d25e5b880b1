import type { Clock } from '../cancellation/clock.js';
import { rpcError, TenonError } from '../jsonrpc/error.js';
import { INTERNAL_ERROR, INVALID_PARAMS } from '../jsonrpc/error-codes.js';
import type { JsonObject } from '../jsonrpc/message.js';
import { createUnknownOutcomeError } from '../jsonrpc/outcome.js';
import { applyDefaults, type Complete } from '../protocol/defaults.js';
import type { InputRequests, InputResponses } from '../protocol/input-requests.js';
import type { RetryInputs } from '../protocol/params-and-results.js';
import type {
  LoadRetryForwarding,
  ReceivedRetry,
  RetryForwarder,
  RetryForwardingOptions,
} from '../protocol/request-handler.js';
import { retryStoreFaults } from '../stores/fault-retry.js';
import { LeasedRecord, type LeaseOwner } from '../stores/leased-record.js';
import { createSeal, MAX_SEALED, type Seal } from '../stores/seal.js';
import { createStoreClock, type StoreClock } from '../stores/store-clock.js';
import type { Stores } from '../stores/stores.js';
import type { CompletedStep, JournalEntry } from './handler-run.js';
import { isRecordedRequest, Journal } from './journal.js';
import { DEFAULT_INPUT_REQUEST_OPTIONS, type InputRequestOptions } from './options.js';
import { addAnswers, readAnswer } from './returned-input-requests.js';
import { SuspendedHandlers } from './suspended-handlers.js';

/** Time after which a process that does not renew its claim on a retry counts as dead, in milliseconds. */
const LEASE = 30_000;

/** Time after which a client may send a retry again that another request is handling, in milliseconds. */
const RETRY_DELAY = 5000;

/** Maximum time for which a call of a faulty store is repeated, in milliseconds. */
const MAX_FAULT_TIME = 30_000;

/** State that a retry continues. */
export interface OpenedState {
  /** ID of the call, which all rounds have in common. Undefined in the first round. */
  readonly call: string | undefined;
  readonly round: number;
  readonly journal: Journal;
  /** Inputs of the handler, if the handler returned its input requests. */
  readonly inputs: RetryInputs;
  /** Input requests of the handler that have no answer yet. They are sent again before the handler runs. */
  readonly unanswered: InputRequests | undefined;
  /** Stores a completed step, if the store outlives this process. */
  saveStep(step: CompletedStep): Promise<void> | void;
  /** Records that the retry was answered. */
  finish(): Promise<void> | void;
}

export interface NextRound {
  readonly call: string;
  readonly round: number;
  readonly journal: Journal;
  /** Inputs of the next run of the handler. */
  readonly inputs: RetryInputs;
  /**
   * Input requests that the handler returned. The inputs of the next run contain their answers. Undefined when the
   * handler itself waits for answers.
   */
  readonly questions: InputRequests | undefined;
}

export interface RetryForwardingConfig extends Omit<RetryForwardingOptions, 'clock' | 'onError'> {
  readonly load: LoadRetryForwarding;
}

export interface RequestStateOptions {
  readonly options: InputRequestOptions;
  readonly stores: Stores;
  /** True if every process that can open the seal also sees the store. */
  readonly isShared: boolean;
  /** Returns how retries are passed to the process in which their handler waits. Undefined if no other process has them. */
  readonly getForwarding?: (() => RetryForwardingConfig | undefined) | undefined;
  readonly clock: Clock;
  readonly onError: (error: TenonError) => void;
}

/** Seals and opens the states that are sent to clients. A state is small and valid for one retry. */
export class RequestStateStore {
  readonly suspended: SuspendedHandlers;
  readonly #options: Complete<Omit<InputRequestOptions, 'keys'>>;
  readonly #config: RequestStateOptions;
  readonly #seal: Seal;
  readonly #owner: LeaseOwner;
  readonly #clock: StoreClock;
  #forwarding: RetryForwarder | undefined;

  constructor(config: RequestStateOptions) {
    const { keys, ...options } = config.options;
    this.#config = config;
    this.#options = applyDefaults(DEFAULT_INPUT_REQUEST_OPTIONS, options);
    this.#seal = createSeal(keys);
    this.suspended = new SuspendedHandlers(this.#options.maxSuspended, this.#options.suspendTimeout, config.clock);
    this.#owner = { clock: config.clock, lease: LEASE };
    this.#clock = createStoreClock(config.stores, config.clock);
  }

  /**
   * Passes a retry to the process in which its handler waits, and returns the result. Returns `undefined` if this
   * process must handle the retry.
   */
  async forward(
    { requestState = '' }: RetryInputs,
    boundTo: () => string,
    retry: ReceivedRetry | undefined,
  ): Promise<JsonObject | undefined> {
    const forwarding = await this.#getForwarding();
    if (forwarding === undefined || retry === undefined) return undefined;
    const { holder, expires } = (await this.#seal.open(requestState, boundTo())) ?? {};
    if (typeof holder !== 'string' || holder === forwarding.id) return undefined;
    return (await this.#isPast(expires)) ? undefined : forwarding.forward(holder, retry);
  }

  async #getForwarding(): Promise<RetryForwarder | undefined> {
    const config = this.#config.getForwarding?.();
    if (config === undefined) return undefined;
    const { RetryForwarding } = await config.load();
    this.#forwarding ??= new RetryForwarding({ ...this.#config, ...config });
    return this.#forwarding;
  }

  /**
   * Opens a state and claims it for this retry. Throws -32602 when the state was not sealed for this call, has expired,
   * or was used before, and -32603 with `retryAfterMs` while another request uses it.
   */
  async open(inputs: RetryInputs, boundTo: () => string, caller: string): Promise<OpenedState> {
    const { requestState = '', inputResponses = {} } = inputs;
    const state = await this.#seal.open(requestState, boundTo());
    if (!state || (await this.#isPast(state.expires))) throw createStateError('is invalid or expired');
    const round = Number(state.round);
    if (round > this.#options.maxRounds) throw createStateError('has reached the maximum number of rounds');
    const call = String(state.call);
    const contents = await this.#readContents(state);
    const journal = new Journal(contents.journal);
    const answers = matchAnswers(journal, inputResponses);
    const next = contents.questions && addAnswers(contents.questions, contents.inputs, inputResponses);
    const used = await this.#claim(call, round, Number(state.expires), caller);
    for (const entry of used.entries) journal.add(entry);
    for (const [key, answer] of answers) journal.answer(key, answer);
    const { inputs: given, unanswered } = next ?? { ...contents, unanswered: undefined };
    return { call, round, journal, inputs: given, unanswered, saveStep: used.saveStep, finish: used.finish };
  }

  /**
   * Seals the state of the next round. With `isSuspended`, the handler waits in this process. Throws when the call has
   * reached `maxRounds`, or when the state is too large.
   */
  async seal(
    { call, round, journal, inputs, questions }: NextRound,
    boundTo: () => string,
    caller: string,
    isSuspended = false,
  ): Promise<string> {
    const { ttl, maxRounds, maxStateSize, maxSuspended, suspendTimeout } = this.#options;
    if (round > maxRounds) throw createTooManyRoundsError(maxRounds);
    const forwarding = isSuspended && maxSuspended > 0 ? await this.#getForwarding() : undefined;
    await forwarding?.hold(suspendTimeout);
    const holder = forwarding?.id;
    await this.#syncClock();
    const metadata = { call, round, expires: this.#clock.now() + ttl, ...(holder && { holder }) };
    const contents: JsonObject = { journal: journal.entries as unknown[], inputs: inputs as JsonObject, questions };
    const maxSize = Math.min(maxStateSize, MAX_SEALED);
    const sealed = await this.#seal.seal({ ...metadata, ...contents }, boundTo());
    if (sealed.length <= maxSize) return sealed;
    if (!this.#config.isShared) throw createTooLargeError(sealed.length, maxSize);
    const at = `journal/${call}.${round}`;
    const { stores, clock, onError } = this.#config;
    const put = () => stores.values.put(at, contents, { ttl, owner: caller });
    await retryStoreFaults(put, { clock, maxElapsed: MAX_FAULT_TIME, onFault: onError }).catch(error => {
      onError(TenonError.from(error));
      // The handler has run, so the client must not take this for a request that it may send again.
      throw createUnknownOutcomeError('The state of the call could not be stored. The call may have taken effect');
    });
    return this.#seal.seal({ ...metadata, at }, boundTo());
  }

  /** Tells if a time is over, by the clock of the store. */
  async #isPast(time: unknown): Promise<boolean> {
    await this.#syncClock();
    return !(Number(time) > this.#clock.now());
  }

  /** If the store does not respond, the last comparison of the clocks is used. */
  async #syncClock(): Promise<void> {
    await this.#clock.sync()?.catch(() => {});
  }

  async #readContents(state: JsonObject): Promise<StateContents> {
    const { at } = state;
    const contents = at === undefined ? state : (await this.#config.stores.values.get(String(at)))?.value;
    if (contents === undefined) throw createStateError('is invalid or expired');
    // Only this server can seal a state, and only this server writes under its keys.
    return contents as unknown as StateContents;
  }

  /**
   * Claims a state for one retry. A durable store also keeps the steps of the retry. If the process of the retry dies,
   * the client may send the same retry again.
   */
  async #claim(call: string, round: number, expires: number, caller: string): Promise<StateClaim> {
    const { stores, onError } = this.#config;
    const clock = this.#clock;
    const key = `retry/${call}.${round}`;
    // Work that outlives the state keeps its claim on the state.
    const computeTtl = ({ over }: UsedState) => Math.max(over ? 1 : LEASE, expires - clock.now());
    if (!stores.durable) return this.#claimInMemory(key, expires, caller);
    let isOver = false;
    const take = (before: UsedState | undefined) => {
      isOver = before?.over === true;
      return isOver ? undefined : { entries: [], ...before };
    };
    let onFault = onError;
    const faults = { maxElapsed: MAX_FAULT_TIME, onFault: (error: TenonError) => onFault(error) };
    const claim = await LeasedRecord.take<UsedState>(
      stores.values,
      key,
      { ...this.#owner, caller, faults },
      take,
      computeTtl,
    );
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
  async #claimInMemory(key: string, expires: number, caller: string): Promise<StateClaim> {
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

/** Contents of a state. They are in the sealed state or in an entry of the store. */
interface StateContents extends Pick<NextRound, 'inputs' | 'questions'> {
  readonly journal: JournalEntry[];
}

interface StateClaim extends Pick<OpenedState, 'saveStep' | 'finish'> {
  /** Steps that an earlier process completed for the same retry before it died. */
  readonly entries: readonly CompletedStep[];
}

interface UsedState {
  readonly entries: readonly CompletedStep[];
  /** True when the retry was answered. */
  readonly over?: boolean;
}

function doNothing(): void {}

/** Creates the state of a new call. */
export function createOpenedState(inputs: RetryInputs = {}): OpenedState {
  const journal = new Journal();
  return { call: undefined, round: 0, journal, inputs, unanswered: undefined, saveStep: doNothing, finish: doNothing };
}

/**
 * Matches answers to the input requests. Each answer is checked by the method of its request. Answers without a request
 * are dropped.
 */
function matchAnswers(journal: Journal, inputResponses: InputResponses): [string, JsonObject][] {
  return journal.entries.flatMap((entry): [string, JsonObject][] => {
    if (!isRecordedRequest(entry) || entry.answer !== undefined || !Object.hasOwn(inputResponses, entry.ask)) return [];
    return [[entry.ask, readAnswer(entry.ask, entry.method, inputResponses[entry.ask])]];
  });
}

/**
 * Creates the error for a state that this server cannot continue. An earlier round may have had effects, so the advice
 * is never to send the call again without a check.
 */
function createStateError(reason: string): TenonError {
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

function createTooManyRoundsError(maxRounds: number): TenonError {
  return new TenonError('handler/too-many-rounds', `the handler requested input in more than ${maxRounds} rounds`, {
    hint: 'request independent inputs together, or raise `inputRequests.maxRounds`',
  });
}

function createTooLargeError(size: number, maxSize: number): TenonError {
  return new TenonError('handler/state-too-large', 'the request state of the handler is too large', {
    expected: `at most ${maxSize} characters`,
    received: String(size),
    hint: 'return smaller values from steps, raise `inputRequests.maxStateSize`, or pass `stores` to the server',
  });
}
