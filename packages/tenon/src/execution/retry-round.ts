import { isPromise, type JsonObject, thenMaybe } from '@tenon/base';
import type { TolerantConnection } from '../jsonrpc/tolerance.js';
import type { InputRequests, InputResponses } from '../protocol/input-requests.js';
import type { RetryInputs } from '../protocol/params-and-results.js';
import type { ReceivedRetry } from '../protocol/request-handler.js';
import { checkInputRequests } from './check-input-requests.js';
import type { ExecutionBackend, InputStrategy, ResumableContext, RunHandler } from './handler-run.js';
import { Journal } from './journal.js';
import { JournaledExecution } from './journaled-execution.js';
import type { NextRound, OpenedState, RequestStateStore } from './request-state-store.js';
import { doNothing } from './retry-claims.js';
import { addAnswers } from './returned-input-requests.js';
import type { SuspendedHandler } from './suspended-handlers.js';
import { Suspension, type SuspensionRound } from './suspension.js';

declare const crypto: { randomUUID(): string };

export interface RetryContext {
  readonly states: RequestStateStore;
  /** Binds the state to the user, the OAuth client, the method and the arguments. */
  readonly boundTo: () => string;
  readonly inputs: RetryInputs;
  /** The connection of the request, as far as it concerns deviations. */
  readonly connection: TolerantConnection;
  /** Key of the caller whose limit a suspended handler uses. */
  readonly caller: string;
  /** True if a handler may wait in memory for the next round. */
  readonly canSuspend: boolean;
  /** The request, for the process in which its handler waits. Absent if this process must handle it. */
  readonly received?: ReceivedRetry | undefined;
  /** Throws when the client does not support the input request. */
  readonly check: (method: string, params: JsonObject) => void;
  /** Called with the number of a later round, from 2. */
  readonly onRound?: ((round: number) => void) | undefined;
}

/**
 * Creates the strategy in which input requests end the call, and a retry contains the answers and the sealed journal. A
 * handler that is still suspended in this process continues. Otherwise it runs again from the start, and its earlier
 * input requests and steps return immediately.
 */
export function createJournaledStrategy(context: RetryContext): InputStrategy {
  return asker => {
    const { requestState, inputResponses } = context.inputs;
    if (requestState !== undefined) return resumeRetry(context, asker);
    const round = createRound(context);
    return inputResponses === undefined ? round.start(asker) : round.startWithAnswers(asker, inputResponses);
  };
}

/** Creates the first round of a call, which has no state. */
export function createRound(context: RetryContext): RetryRound {
  const state = { call: undefined, round: 0, journal: new Journal(), inputs: {}, unanswered: undefined };
  return new RetryRound(context, { ...state, saveStep: doNothing, finish: doNothing });
}

async function resumeRetry(context: RetryContext, asker: RunHandler): Promise<JsonObject> {
  const forwarded = await context.states.forward(context.inputs, context.boundTo, context.received);
  if (forwarded !== undefined) return forwarded;
  const state = await context.states.open(context.inputs, context.boundTo, context.caller, context.connection);
  context.onRound?.(state.round + 1);
  try {
    return await new RetryRound(context, state).start(asker);
  } finally {
    await state.finish();
  }
}

/** One round of a call. */
class RetryRound extends JournaledExecution {
  readonly #context: RetryContext;
  readonly #state: OpenedState;
  readonly #round: SuspensionRound;
  readonly #suspension: Suspension;
  /** Handler that has waited since the previous round. */
  readonly #resumedHandler: SuspendedHandler | undefined;
  /** Handler that waits for the next round. */
  #suspendedHandler: SuspendedHandler | undefined;
  /** True if the handler itself ended in this round. */
  #isHandlerDone = false;

  constructor(context: RetryContext, state: OpenedState) {
    const resumedHandler =
      state.call === undefined ? undefined : context.states.suspended.take(`${state.call}.${state.round}`);
    const journal = resumedHandler?.run.journal ?? state.journal;
    if (resumedHandler) journal.merge(state.journal);
    const round = { check: context.check, saveStep: state.saveStep };
    const suspension = new Suspension(journal, round);
    super(journal, suspension);
    this.#context = context;
    this.#state = state;
    this.#round = round;
    this.#suspension = suspension;
    this.#resumedHandler = resumedHandler;
  }

  start(asker: RunHandler): JsonObject | Promise<JsonObject> {
    const { unanswered: inputRequests } = this.#state;
    if (!inputRequests) return thenMaybe(this.#enter(asker), result => this.#close(result));
    const result = { resultType: 'input_required', inputRequests };
    checkInputRequests(result, this.#context.check);
    return this.#close(result);
  }

  /**
   * Handles answers that arrive without a state. The handler runs as in a first round.
   *
   * If it returns input requests that all have answers, it runs again with the answers. Otherwise its input requests
   * are sent.
   */
  async startWithAnswers(asker: RunHandler, inputResponses: InputResponses): Promise<JsonObject> {
    const result = await this.#enter(asker);
    if (result.resultType !== 'input_required') return this.#close(result);
    const { inputs, questions = {} } = this.#getNextInputs(result);
    const answered = addAnswers(this.#context.connection, questions, inputs, inputResponses);
    if (Object.keys(questions).length === 0 || answered.unanswered) return this.#close(result);
    return new RetryRound(this.#context, { ...this.#state, inputs: answered.inputs }).start(asker);
  }

  #enter(asker: RunHandler): JsonObject | Promise<JsonObject> {
    return thenMaybe(
      this.#suspension.runUntilSuspended(() => asker(this, this.#state.inputs)),
      result => {
        // This check runs before any state is stored for the next round.
        checkInputRequests(result, this.#context.check);
        return result;
      },
    );
  }

  /** Ends the round. A result with input requests gets a sealed state. */
  #close(result: JsonObject): JsonObject | Promise<JsonObject> {
    // A plain round has neither input requests nor steps.
    const isPlain = this.journal.size === 0 && result.resultType !== 'input_required';
    return isPlain ? result : this.#complete(result);
  }

  async #complete(result: JsonObject): Promise<JsonObject> {
    if (this.#mustRevisitAll(result)) await this.checkRevisited();
    if (result.resultType !== 'input_required') return result;
    return { ...result, requestState: await this.#sealNextState(result) };
  }

  override invokeHandler(
    context: ResumableContext,
    enter: () => JsonObject | Promise<JsonObject>,
  ): JsonObject | Promise<JsonObject> {
    const handler = this.#resumeHandler(context);
    if (handler) return this.#waitForHandler(handler);
    const work = enter();
    if (isPromise(work)) return this.#waitForHandler({ run: this, suspension: this.#suspension, context, work });
    this.#isHandlerDone = work.isError !== true;
    return work;
  }

  /** Waits for the result of the handler, or for its input requests. */
  async #waitForHandler(handler: SuspendedHandler): Promise<JsonObject> {
    this.#suspendedHandler = handler;
    const finish = () => {
      this.#suspendedHandler = undefined;
    };
    handler.work.then(finish, finish);
    const result = await handler.suspension.runUntilSuspended(() => handler.work);
    this.#isHandlerDone = result.isError !== true;
    return result;
  }

  redirectTo(ways: ExecutionBackend, result: JsonObject | Promise<JsonObject>): Promise<JsonObject> | undefined {
    const handler = this.#suspendedHandler;
    return handler?.suspension.redirectTo(ways, result) ? handler.work : undefined;
  }

  /**
   * Tells if the handler must have repeated all its earlier input requests and steps. False for a failed handler and
   * for a handler with its own state. Also false when a middleware returned the result.
   */
  #mustRevisitAll(result: JsonObject): boolean {
    if (this.#resumedHandler !== undefined || Object.keys(this.#state.inputs).length > 0) return false;
    // A call that became a task continues in the background.
    if (result.resultType === 'task') return false;
    return this.#isHandlerDone || this.#hasPendingRequests(result);
  }

  /**
   * Tells if all these input requests are pending requests of the handler. Requests that a handler or middleware
   * returned are not pending.
   */
  #hasPendingRequests({ inputRequests = {} }: JsonObject): boolean {
    const keys = Object.keys(inputRequests as JsonObject);
    return keys.length > 0 && keys.every(key => this.#isOpen(key));
  }

  #isOpen(key: string): boolean {
    return this.journal.listPending().some(({ ask }) => ask === key);
  }

  #resumeHandler(seat: ResumableContext): SuspendedHandler | undefined {
    this.#resumedHandler?.context.resumeWith(seat);
    this.#resumedHandler?.suspension.resume(this.#round);
    return this.#resumedHandler;
  }

  async #sealNextState(result: JsonObject): Promise<string> {
    const { states, boundTo, caller } = this.#context;
    const { call = crypto.randomUUID(), round } = this.#state;
    // A handler that resumed in this round has its own suspension.
    const suspensions = new Set([this.#suspension, this.#suspendedHandler?.suspension ?? this.#suspension]);
    const closing = [...suspensions].map(suspension => suspension.close()).filter(each => each !== undefined);
    if (closing.length > 0) await Promise.all(closing);
    const next = { call, round: round + 1, journal: this.journal, ...this.#getNextInputs(result) };
    const isSuspended = this.#suspendedHandler !== undefined && this.#context.canSuspend;
    const state = await states.seal(next, boundTo, caller, isSuspended);
    if (this.#suspendedHandler && isSuspended)
      states.suspended.put(`${call}.${round + 1}`, this.#suspendedHandler, caller);
    return state;
  }

  /**
   * Returns the inputs of the next round. A handler that requested input keeps its inputs. A handler that returned
   * input requests runs with their answers.
   */
  #getNextInputs(result: JsonObject): Pick<NextRound, 'inputs' | 'questions'> {
    const { inputs, unanswered } = this.#state;
    if (unanswered || this.#hasPendingRequests(result)) return { inputs, questions: unanswered };
    const { inputRequests = {}, requestState } = result;
    const returnedRequests = Object.entries(inputRequests as InputRequests).filter(([key]) => !this.#isOpen(key));
    return {
      inputs: typeof requestState === 'string' ? { requestState } : {},
      questions: Object.fromEntries(returnedRequests),
    };
  }
}
