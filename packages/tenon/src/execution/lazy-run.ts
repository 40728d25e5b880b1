import { isPromise, type JsonObject, type MaybePromise, markHandled, TenonError, thenMaybe } from '@tenon/base';
import type { RetryInputs } from '../protocol/params-and-results.js';
import type {
  ExecutionBackend,
  HandlerResult,
  HandlerRun,
  InputStrategy,
  JournaledRun,
  RequestInput,
  ResumableContext,
  RunHandler,
} from './handler-run.js';
import type { Journal } from './journal.js';
import type { RequestBackend } from './request-backend.js';
import type { RequestStateStore } from './request-state-store.js';
import type { RetryContext } from './retry-round.js';

/** The module with the code for input requests and steps. */
export type ExecutionRuntime = typeof import('./execution-runtime.js');

let loaded: ExecutionRuntime | undefined;

/** Loads the code for input requests and steps when a handler first needs it, because most handlers need neither. */
export async function loadRuntime(): Promise<ExecutionRuntime> {
  loaded ??= await import('./execution-runtime.js');
  return loaded;
}

/** A run without input requests so far. The first input request or step creates a journaled run, which replaces it. */
abstract class LazyRun implements HandlerRun {
  protected journaled: JournaledRun | undefined;
  #marks: string[] | undefined;

  get journal(): Journal | undefined {
    return this.journaled?.journal;
  }

  request(...args: Parameters<RequestInput>): Promise<JsonObject> {
    // The call is synchronous where possible, because only then can a journaled run detect an input request inside a
    // step.
    return this.journaled ? this.journaled.request(...args) : this.toJournaled().then(run => run.request(...args));
  }

  step(name: string, work: () => unknown): Promise<unknown> {
    return this.journaled ? this.journaled.step(name, work) : this.toJournaled().then(run => run.step(name, work));
  }

  mark(name: string): MaybePromise<boolean> {
    if (this.journaled) return this.journaled.mark(name);
    this.#marks ??= [];
    this.#marks.push(name);
    return true;
  }

  invokeHandler(_: ResumableContext, enter: () => HandlerResult): HandlerResult {
    return enter();
  }

  async toJournaled(): Promise<JournaledRun> {
    const runtime = await loadRuntime();
    if (this.journaled) return this.journaled;
    const journaled = this.createJournaled(runtime);
    this.journaled = journaled;
    for (const name of this.#marks ?? []) journaled.addMark(name);
    return journaled;
  }

  protected abstract createJournaled(runtime: ExecutionRuntime): JournaledRun;
}

/**
 * The run of a method whose handler cannot request input: an input request fails with `handler/cannot-request-input`.
 */
export class RunWithoutInput extends LazyRun {
  readonly #method: string;

  constructor(method: string) {
    super();
    this.#method = method;
  }

  protected createJournaled({ JournaledExecution, Journal }: ExecutionRuntime): JournaledRun {
    return new JournaledExecution(new Journal(), {
      check: () => {
        throw new TenonError('handler/cannot-request-input', `${this.#method} cannot request input from the client`, {
          hint: 'request input in a tool, a prompt or a resource read',
        });
      },
      deliver: () => new Promise(() => {}),
      runStep: run => run(),
    });
  }
}

/**
 * Creates the strategy that sends each input request as a JSON-RPC request on the stream of the call. Input requests
 * that a handler returns are sent too, and the handler runs again with the answers.
 */
export function createRequestStrategy(requestInput: RequestInput): InputStrategy {
  return handler => {
    const run = new RequestRun(requestInput);
    return thenMaybe(handler(run, {}), result =>
      result.resultType === 'input_required' ? run.continueWith(handler, result) : result,
    );
  };
}

class RequestRun extends LazyRun {
  readonly #requestInput: RequestInput;
  #backend: RequestBackend | undefined;

  constructor(requestInput: RequestInput) {
    super();
    this.#requestInput = requestInput;
  }

  async continueWith(handler: RunHandler, result: JsonObject): Promise<JsonObject> {
    return this.#getBackend(await loadRuntime()).continueWith(handler, result);
  }

  protected createJournaled(runtime: ExecutionRuntime): JournaledRun {
    return this.#getBackend(runtime).createRun();
  }

  #getBackend(runtime: ExecutionRuntime): RequestBackend {
    this.#backend ??= new runtime.RequestBackend(this.#requestInput);
    return this.#backend;
  }
}

/** Creates the context of a round, once the code for retries is loaded. Most calls need none. */
export type CreateRetryContext = (runtime: ExecutionRuntime) => RetryContext;

/** Store of the request states of one server, created on first use. */
export type LazyStateStore = (runtime: ExecutionRuntime) => RequestStateStore;

/** Creates the strategy that ends the call with its input requests. A retry contains the answers. */
export function createRetryStrategy(
  { requestState, inputResponses }: RetryInputs,
  createContext: CreateRetryContext,
): InputStrategy {
  return (handler, hasMiddleware = true) => {
    if (requestState === undefined && inputResponses === undefined)
      return new FirstRound(createContext).start(handler, hasMiddleware);
    return loadRuntime().then(runtime => runtime.createJournaledStrategy(createContext(runtime))(handler));
  };
}

/** The first round of a call. When the handler requests input, the round continues as a journaled round. */
class FirstRound extends LazyRun {
  readonly #createContext: CreateRetryContext;
  /** Result of the handler and its middleware. */
  #result: HandlerResult = {};
  /** Promise of `#result`, if middleware may request input. */
  #pendingResult: RedirectablePromise | undefined;
  #context: ResumableContext | undefined;
  #handler: RedirectablePromise | undefined;
  /** Result for the client, once the round is journaled. */
  #finalResult: HandlerResult = {};

  constructor(createContext: CreateRetryContext) {
    super();
    this.#createContext = createContext;
  }

  start(handler: RunHandler, hasMiddleware: boolean): HandlerResult {
    const result = handler(this, {});
    this.#result = result;
    if (hasMiddleware && isPromise(result)) this.#pendingResult = new RedirectablePromise(result);
    return thenMaybe(this.#pendingResult?.promise ?? result, settled =>
      settled.resultType === 'input_required' ? this.#finishWithRequests() : settled,
    );
  }

  /** Returns the result of the journaled round for the input requests that the handler made or returned. */
  async #finishWithRequests(): Promise<JsonObject> {
    await this.toJournaled();
    return this.#finalResult;
  }

  override invokeHandler(context: ResumableContext, enter: () => HandlerResult): HandlerResult {
    if (this.journaled) return this.journaled.invokeHandler(context, enter);
    const work = enter();
    if (!isPromise(work)) return work;
    this.#context = context;
    this.#handler = new RedirectablePromise(work);
    return this.#handler.promise;
  }

  redirectTo(backend: ExecutionBackend, result: HandlerResult): Promise<JsonObject> | undefined {
    return this.journaled?.redirectTo?.(backend, result);
  }

  protected createJournaled(runtime: ExecutionRuntime): JournaledRun {
    const round = runtime.createRound(this.#createContext(runtime));
    const [handler, context] = [this.#handler, this.#context];
    const finalResult = round.start(async () => {
      if (handler && context) handler.redirectTo(round.invokeHandler(context, () => handler.work));
      return this.#result;
    });
    this.#finalResult = finalResult;
    // Without an input request, no caller waits for this result.
    if (isPromise(finalResult)) markHandled(finalResult);
    this.#pendingResult?.redirectTo(finalResult);
    return round;
  }
}

/** A promise that can be redirected. It then settles like another promise. */
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

  redirectTo(other: HandlerResult): void {
    this.#isRedirected = true;
    Promise.resolve(other).then(this.#resolve, this.#reject);
  }
}
