import type { JsonObject } from '../jsonrpc/message.js';
import { isPromise, thenMaybe } from '../jsonrpc/then-maybe.js';
import type { ExecutionBackend, InputStrategy, JournaledRun, ResumableContext, RunHandler } from './handler-run.js';
import { type ExecutionRuntime, LazyRun, loadRuntime } from './lazy-run.js';
import type { RequestStateOptions, RequestStateStore } from './request-state-store.js';
import type { RetryContext } from './retry-round.js';

type RoundResult = JsonObject | Promise<JsonObject>;

/** A round, before what serves a retry is loaded. */
export interface RoundContext extends Omit<RetryContext, 'states'> {
  readonly states: LazyStateStore;
}

/** The states of one server. They are made for the first call that needs them. */
export type LazyStateStore = (works: ExecutionRuntime) => RequestStateStore;

export function createLazyStateStore(options: RequestStateOptions): LazyStateStore {
  let store: RequestStateStore | undefined;
  return runtime => {
    store ??= new runtime.RequestStateStore(options);
    return store;
  };
}

/** A question ends the call, and a retry brings the answer. What does that is loaded by the first call that needs it. */
export function createRetryStrategy(context: RoundContext): InputStrategy {
  return asker => {
    const { requestState, inputResponses } = context.inputs;
    if (requestState === undefined && inputResponses === undefined) return new FirstRound(context).start(asker);
    return loadRuntime().then(runtime => runtime.createJournaledStrategy(toRetryContext(context, runtime))(asker));
  };
}

function toRetryContext(context: RoundContext, runtime: ExecutionRuntime): RetryContext {
  return { ...context, states: context.states(runtime) };
}

/** The first round of a call. When its handler asks, all goes on as if it had been known from the start. */
class FirstRound extends LazyRun {
  readonly #round: RoundContext;
  /** Result of the handler with its middleware, and the callers that wait for it. */
  #result: RoundResult = {};
  #pendingResult: RedirectablePromise | undefined;
  /** The handler itself. */
  #context: ResumableContext | undefined;
  #handler: RedirectablePromise | undefined;
  /** The outcome for the client, once what serves retries is loaded. */
  #finalResult: RoundResult = {};

  constructor(round: RoundContext) {
    super();
    this.#round = round;
  }

  start(asker: RunHandler): RoundResult {
    const result = asker(this, {});
    this.#result = result;
    if (isPromise(result)) this.#pendingResult = new RedirectablePromise(result);
    return thenMaybe(this.#pendingResult?.promise ?? result, result =>
      result.resultType === 'input_required' ? this.#finishWithRequests() : result,
    );
  }

  /** A result that asks is made by what serves retries, whether the handler asked by itself or returned its questions. */
  async #finishWithRequests(): Promise<JsonObject> {
    await this.toJournaled();
    return this.#finalResult;
  }

  override invokeHandler(context: ResumableContext, enter: () => RoundResult): RoundResult {
    if (this.journaled) return this.journaled.invokeHandler(context, enter);
    const work = enter();
    if (!isPromise(work)) return work;
    this.#context = context;
    this.#handler = new RedirectablePromise(work);
    return this.#handler.promise;
  }

  redirectTo(ways: ExecutionBackend, result: RoundResult): Promise<JsonObject> | undefined {
    return this.journaled?.redirectTo?.(ways, result);
  }

  protected createJournaled(runtime: ExecutionRuntime): JournaledRun {
    let made: JournaledRun | undefined;
    const finalResult = runtime.createJournaledStrategy(toRetryContext(this.#round, runtime))(async run => {
      made = run as JournaledRun;
      const handler = this.#handler;
      handler?.redirectTo(made.invokeHandler(this.#context as ResumableContext, () => handler.work));
      return this.#result;
    });
    this.#finalResult = finalResult;
    this.#pendingResult?.redirectTo(finalResult);
    return made as unknown as JournaledRun;
  }
}

/** Somebody waits for some work, and may be left to another who says when that is over. */
class RedirectablePromise {
  readonly work: Promise<JsonObject>;
  readonly promise: Promise<JsonObject>;
  #resolve: (result: JsonObject) => void = () => {};
  #reject: (error: unknown) => void = () => {};
  #isRedirected = false;

  constructor(work: Promise<JsonObject>) {
    this.work = work;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    work.then(
      result => this.#isRedirected || this.#resolve(result),
      error => this.#isRedirected || this.#reject(error),
    );
  }

  redirectTo(other: RoundResult): void {
    this.#isRedirected = true;
    Promise.resolve(other).then(this.#resolve, this.#reject);
  }
}
