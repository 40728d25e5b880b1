import {
  applyDefaults,
  type Clock,
  type Complete,
  createSeal,
  createUnknownOutcomeError,
  type JsonObject,
  MAX_SEALED,
  type Seal,
  type Stores,
  TenonError,
} from '@tenon/base';
import type { TolerantConnection } from '../jsonrpc/tolerance.js';
import type { InputRequests } from '../protocol/input-requests.js';
import { readInputResponse } from '../protocol/input-responses.js';
import type { RetryInputs } from '../protocol/params-and-results.js';
import type {
  LoadRetryForwarding,
  ReceivedRetry,
  RetryForwarder,
  RetryForwardingOptions,
} from '../protocol/request-handler.js';
import { retryStoreFaults } from '../stores/fault-retry.js';
import { createStoreClock, type StoreClock } from '../stores/store-clock.js';
import { type CompletedStep, isRecordedRequest, Journal, type JournalEntry } from './journal.js';
import { DEFAULT_INPUT_REQUEST_OPTIONS, type InputRequestOptions } from './options.js';
import { createStateError, RetryClaims } from './retry-claims.js';
import { addAnswers } from './returned-input-requests.js';
import { SuspendedHandlers } from './suspended-handlers.js';

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
  readonly #claims: RetryClaims;
  readonly #clock: StoreClock;
  #forwarding: RetryForwarder | undefined;

  constructor(config: RequestStateOptions) {
    const { keys, ...options } = config.options;
    this.#config = config;
    this.#options = applyDefaults(DEFAULT_INPUT_REQUEST_OPTIONS, options);
    this.#seal = createSeal(keys);
    this.suspended = new SuspendedHandlers(this.#options.maxSuspended, this.#options.suspendTimeout, config.clock);
    this.#clock = createStoreClock(config.stores, config.clock);
    this.#claims = new RetryClaims(config, this.#clock);
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
    const forwarding = retry && (await this.#getForwarding());
    if (forwarding === undefined || retry === undefined) return undefined;
    const { holder, expires } = (await this.#seal.open(requestState, boundTo())) ?? {};
    if (typeof holder !== 'string' || holder === forwarding.id) return undefined;
    await this.#syncClock();
    return this.#isPast(expires) ? undefined : forwarding.forward(holder, retry);
  }

  #getForwarding(): Promise<RetryForwarder> | undefined {
    const config = this.#config.getForwarding?.();
    return config && this.#loadForwarding(config);
  }

  async #loadForwarding(config: RetryForwardingConfig): Promise<RetryForwarder> {
    const { RetryForwarding } = await config.load();
    this.#forwarding ??= new RetryForwarding({ ...this.#config, ...config });
    return this.#forwarding;
  }

  /**
   * Opens a state and claims it for this retry. Throws -32602 when the state was not sealed for this call, has expired,
   * or was used before, and -32603 with `retryAfterMs` while another request uses it.
   */
  async open(
    inputs: RetryInputs,
    boundTo: () => string,
    caller: string,
    connection: TolerantConnection,
  ): Promise<OpenedState> {
    const { requestState = '', inputResponses = {} } = inputs;
    const state = await this.#seal.open(requestState, boundTo());
    const syncing = state && this.#syncClock();
    if (syncing) await syncing;
    if (!state || this.#isPast(state.expires)) throw createStateError('is invalid or expired');
    const round = Number(state.round);
    if (round > this.#options.maxRounds) throw createStateError('has reached the maximum number of rounds');
    const call = String(state.call);
    const contents = state.at === undefined ? toContents(state) : await this.#readContents(String(state.at));
    const journal = new Journal(contents.journal);
    // Each answer is checked by the method of its request. Answers without a request are dropped.
    const answers = journal.entries.flatMap((entry): [string, JsonObject][] => {
      if (!isRecordedRequest(entry) || entry.answer !== undefined || !Object.hasOwn(inputResponses, entry.ask))
        return [];
      return [[entry.ask, readInputResponse(connection, entry.ask, entry.method, inputResponses[entry.ask])]];
    });
    const next = contents.questions && addAnswers(connection, contents.questions, contents.inputs, inputResponses);
    const used = await this.#claims.claim(`retry/${call}.${round}`, Number(state.expires), caller);
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
    if (round > maxRounds)
      throw new TenonError('handler/too-many-rounds', `the handler requested input in more than ${maxRounds} rounds`, {
        hint: 'request independent inputs together, or raise `inputRequests.maxRounds`',
      });
    const loading = isSuspended && maxSuspended > 0 ? this.#getForwarding() : undefined;
    const forwarding = loading && (await loading);
    if (forwarding) await forwarding.hold(suspendTimeout);
    const holder = forwarding?.id;
    const syncing = this.#syncClock();
    if (syncing) await syncing;
    const metadata = { call, round, expires: this.#clock.now() + ttl, ...(holder && { holder }) };
    const contents: JsonObject = { journal: journal.entries as unknown[], inputs: inputs as JsonObject, questions };
    const maxSize = Math.min(maxStateSize, MAX_SEALED);
    const sealed = await this.#seal.seal({ ...metadata, ...contents }, boundTo());
    if (sealed.length <= maxSize) return sealed;
    if (!this.#config.isShared)
      throw new TenonError('handler/state-too-large', 'the request state of the handler is too large', {
        expected: `at most ${maxSize} characters`,
        received: String(sealed.length),
        hint: 'return smaller values from steps, raise `inputRequests.maxStateSize`, or pass `stores` to the server',
      });
    const at = `journal/${call}.${round}`;
    const { stores, clock, onError } = this.#config;
    const put = () => stores.values.put(at, contents, { ttl, owner: caller });
    await retryStoreFaults(put, { clock, onFault: onError }).catch(error => {
      onError(TenonError.from(error));
      // The handler has run, so the client must not take this for a request that it may send again.
      throw createUnknownOutcomeError('The state of the call could not be stored. The call may have taken effect');
    });
    return this.#seal.seal({ ...metadata, at }, boundTo());
  }

  /** Tells if a time is over, by the clock of the store, which must be synchronized. */
  #isPast(time: unknown): boolean {
    return !(Number(time) > this.#clock.now());
  }

  /**
   * Returns `undefined` if the clocks were compared not long ago. If the store does not respond, the last comparison is
   * used.
   */
  #syncClock(): Promise<void> | undefined {
    return this.#clock.sync()?.catch(() => {});
  }

  async #readContents(at: string): Promise<StateContents> {
    const { stores, clock, onError } = this.#config;
    const stored = await retryStoreFaults(() => stores.values.get(at), { clock, onFault: onError });
    if (stored === undefined) throw createStateError('is invalid or expired');
    return toContents(stored.value);
  }
}

/** Only this server can seal a state, and only this server writes under its keys. */
const toContents = (value: JsonObject): StateContents => value as unknown as StateContents;

/** Contents of a state. They are in the sealed state or in an entry of the store. */
interface StateContents extends Pick<NextRound, 'inputs' | 'questions'> {
  readonly journal: JournalEntry[];
}
