import type { LoggingLevel } from 'tenon';
import { HandlerContext, reachesLogLevel } from 'tenon/host-internals';
import type { ClientSession, RequestContext, RequestInput, UpstreamCall } from 'tenon/proxy';
import type { ProxiedRequest } from './forward.js';
import { createTaskProgress, type TaskProgress } from './task-progress.js';

/**
 * Call that is forwarded. It is a class, because V8 gives each object literal with an accessor a hidden class of its
 * own. The hidden class is in the old generation, and keeps all that the accessor refers to until a full collection.
 */
export class ForwardedCall implements UpstreamCall {
  readonly ids = new Set<number | string>();
  /** ID of the task that the server has created for the call. */
  task: string | undefined;
  /** Stops the progress notifications of the task. */
  stopProgress: (() => void) | undefined;
  /** Time at which the timeout of the call and its task ends. */
  readonly deadline: number;
  readonly session: ClientSession | undefined;
  readonly #context: HandlerContext;
  readonly #requestContext: RequestContext;
  readonly #proxiedRequest: ProxiedRequest;
  readonly #createAsk: (proxiedRequest: ProxiedRequest) => RequestInput;
  #ask: RequestInput | undefined;
  #progress: TaskProgress | undefined;

  /** `createAsk` creates the function that sends an input request to the caller. */
  constructor(proxiedRequest: ProxiedRequest, createAsk: (proxiedRequest: ProxiedRequest) => RequestInput) {
    const { connection, call } = proxiedRequest;
    const { context, requestContext } = call;
    const { clock, totalTimeout } = connection.times;
    this.deadline = totalTimeout === undefined ? Number.POSITIVE_INFINITY : clock.elapsed() + totalTimeout;
    this.session = requestContext.session ?? requestContext.originSession;
    this.#context = context;
    this.#requestContext = requestContext;
    this.#proxiedRequest = proxiedRequest;
    this.#createAsk = createAsk;
  }

  // Most calls report no progress and request no input, so both are created on first use.
  get progress(): TaskProgress {
    this.#progress ??= createTaskProgress(this.#context);
    return this.#progress;
  }

  get ask(): RequestInput | undefined {
    if (this.#proxiedRequest.onInputRequested) this.#ask ??= this.#createAsk(this.#proxiedRequest);
    return this.#ask;
  }

  get cancelled(): boolean {
    return HandlerContext.getSignal(this.#context).aborted;
  }

  acceptsLogLevel(level: LoggingLevel): boolean {
    return reachesLogLevel(level, this.#requestContext.logLevel);
  }

  log(level: LoggingLevel, data: unknown, logger: string | undefined): void {
    this.#context.log(level, data, logger);
  }
}
