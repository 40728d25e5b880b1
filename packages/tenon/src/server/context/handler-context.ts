import {
  type AbortSignalLike,
  type AuthInfo,
  checkFunction,
  checkNumber,
  checkObject,
  checkOneOf,
  checkOptional,
  checkString,
  type JsonObject,
  type MaybePromise,
  markHandled,
  requireArgument,
  requireKnownOptions,
  settleMaybe,
  type TenonError,
  toAbortSignal,
  toJsonObject,
} from '@tenon/base';
import type { HandlerRun, ResumableContext } from '../../execution/handler-run.js';
import type { Context, CreateState, FormAnswer } from '../../handler/context.js';
import { type ToolResultParts, toolResult } from '../../handler/tool-result.js';
import { isId } from '../../jsonrpc/message.js';
import { requireSendable } from '../../jsonrpc/sendable-values.js';
import type { RequestHeaders } from '../../jsonrpc/transport.js';
import type { ClientCapabilities } from '../../protocol/capabilities.js';
import { checkMeta, checkNestedMeta } from '../../protocol/check-meta.js';
import {
  type ContentBlock,
  type Implementation,
  LOGGING_LEVELS,
  type LoggingLevel,
  type Meta,
  reachesLogLevel,
} from '../../protocol/content.js';
import type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitResult,
  ListRootsResult,
} from '../../protocol/input-requests.js';
import type { ResultOf } from '../../protocol/method-types.js';
import { methods, toResult } from '../../protocol/methods.js';
import type { RetryInputs } from '../../protocol/params-and-results.js';
import type { PingOptions } from '../../protocol/request-handler.js';
import type { Schema } from '../../schemas/standard.js';
import type { RequestContext } from '../request-context.js';
import { selectFileRoots } from '../session/roots.js';
import { createNoPingError } from '../session/session-ping.js';
import { ActiveRequest } from './active-request.js';
import { bindMethods } from './bind-methods.js';
import { requestForm } from './form.js';
import { OpenCalls } from './open-calls.js';

/** Methods by which a handler requests input. */
type InputRequestMethod = 'sampling/createMessage' | 'elicitation/create' | 'roots/list';

/** Names of the parameters of a sampling request. */
const SAMPLE_PARAMS: { readonly [K in keyof Required<CreateMessageParams & { _meta: Meta }>]: true } = {
  messages: true,
  modelPreferences: true,
  systemPrompt: true,
  includeContext: true,
  temperature: true,
  maxTokens: true,
  stopSequences: true,
  metadata: true,
  tools: true,
  toolChoice: true,
  _meta: true,
};

const checkOptionalNumber = checkOptional(checkNumber);
const checkOptionalString = checkOptional(checkString);
const checkLevel = checkOneOf(LOGGING_LEVELS);
const checkParams = checkObject();
const pingOptions = checkOptional(checkObject({ 'timeout?': checkNumber, 'signal?': checkObject() }));
const urlParams = checkObject({ message: checkString, url: checkString, 'elicitationId?': checkString });

/** The context of one run of a handler: it answers from the request that the run serves at the time. */
export class HandlerContext<S = unknown> implements Context<S>, ResumableContext {
  readonly #run: HandlerRun;
  readonly #createState: CreateState<S> | undefined;
  readonly #requestContext: RequestContext;
  readonly #params: JsonObject;
  // Created on first access, because most handlers do not read it.
  #active: ActiveRequest | undefined;
  /** Steps and input requests. Created on first use. */
  #openCalls: OpenCalls | undefined;
  #progress = Number.NEGATIVE_INFINITY;
  readonly #parent: HandlerContext | undefined;
  readonly inputs: RetryInputs;

  /**
   * `inputs` come from the previous run, when the handler runs again for the same request. `parent` is the context of the
   * handler that makes this call for its caller: the call answers from the request that the parent serves at the time.
   */
  constructor(
    requestContext: RequestContext,
    run: HandlerRun,
    params: JsonObject,
    createState: CreateState<S> | undefined,
    inputs: RetryInputs = {},
    previous?: HandlerContext<S>,
    parent?: HandlerContext,
  ) {
    this.#createState = createState;
    this.#requestContext = requestContext;
    this.#params = params;
    this.#run = run;
    this.inputs = inputs;
    this.#parent = parent;
    if (previous) this.#progress = previous.#progress;
  }

  /**
   * Runs the code of a definition with this context, and then `next` with its return value. Throws when the code
   * returned before a step or input request that it never awaits. Those of middleware do not count. `onError` computes
   * the result of an error. @internal
   */
  static runDefinition<T, R>(
    context: HandlerContext,
    run: () => MaybePromise<T> | PromiseLike<T>,
    next: (returned: T) => MaybePromise<R>,
    onError: (error: unknown) => MaybePromise<R> = rethrow,
  ): MaybePromise<R> {
    context.#openCalls = undefined;
    return settleMaybe<T, R>(
      run,
      returned => {
        const awaited = context.#openCalls?.requireAwaited();
        return awaited === undefined ? next(returned) : awaited.then(() => next(returned));
      },
      onError,
    );
  }

  /** Returns the run of a handler, for tests that record what the handler does. @internal */
  static getRun(context: Context): HandlerRun {
    if (#run in context) return context.#run;
    throw new TypeError('the context is none that the server created');
  }

  /** Replaces the request of a context. @internal */
  static rebind(context: HandlerContext, requestContext: RequestContext, params: JsonObject): void {
    context.#getActive().rebind(requestContext, params);
  }

  /** Continues with the context of a later request. */
  resumeWith(later: HandlerContext): void {
    const previous = this.#getActive();
    this.#active = later.#getActive();
    this.#active.continueFrom(previous);
  }

  #getActive(): ActiveRequest {
    if (this.#parent) return this.#parent.#getActive();
    this.#active ??= new ActiveRequest(this.#requestContext, this.#params, this.#run.redirectTo !== undefined);
    return this.#active;
  }

  get meta(): Meta {
    const { _meta } = this.#parent ? this.#params : this.#getActive().params;
    return toJsonObject(_meta);
  }

  get signal(): AbortSignal {
    return toAbortSignal(this.#getActive().signal);
  }

  /** Returns the same signal without an event target, because most calls do not need one. @internal */
  static getSignal(context: HandlerContext): AbortSignalLike {
    return context.#getActive().signal;
  }

  get protocolVersion(): string {
    return this.#getActive().requestContext.dialect.protocolVersion;
  }

  get sessionId(): string | undefined {
    const { session, originSession } = this.#getActive().requestContext;
    return (session ?? originSession)?.id;
  }

  get auth(): AuthInfo | undefined {
    return this.#getActive().requestContext.caller.auth;
  }

  get address(): string | undefined {
    return this.#getActive().requestContext.caller.address;
  }

  get request(): RequestHeaders | undefined {
    return this.#getActive().request;
  }

  get state(): S {
    return this.#getActive().getState(() => this.#createState?.(this) ?? {}) as S;
  }

  get client(): { readonly info: Implementation | undefined; readonly capabilities: ClientCapabilities } {
    const { client, capabilities } = this.#getActive().requestContext.caller;
    return { info: client, capabilities };
  }

  progress(progress: number, total?: number, message?: string): void {
    requireArgument('`progress` of ctx.progress', progress, checkNumber);
    requireArgument('`total` of ctx.progress', total, checkOptionalNumber);
    requireArgument('`message` of ctx.progress', message, checkOptionalString);
    this.#getActive().sendWhenOpen(request => {
      const { progressToken } = this.meta;
      if (!isId(progressToken) || !Number.isFinite(progress) || progress <= this.#progress) return;
      this.#progress = progress;
      request.notifyMerged('progress', 'notifications/progress', {
        progressToken,
        progress,
        ...(Number.isFinite(total) ? { total } : {}),
        ...(message === undefined ? {} : { message }),
      });
    });
  }

  log(level: LoggingLevel, data: unknown, logger?: string): void {
    requireArgument('`level` of ctx.log', level, checkLevel);
    requireArgument('`logger` of ctx.log', logger, checkOptionalString);
    this.#getActive().sendWhenOpen(request => {
      if (!reachesLogLevel(level, request.requestContext.logLevel)) return;
      try {
        requireSendable('the data of ctx.log', data, 'handler/output');
      } catch (error) {
        // The handler does not fail, because the client chooses the messages that it receives.
        return request.requestContext.reportError(error);
      }
      request.notifyMerged(`log ${level} ${logger ?? ''}`, 'notifications/message', {
        level,
        data: data === undefined ? null : data,
        ...(logger === undefined ? {} : { logger }),
      });
    });
  }

  notify(method: string, params: JsonObject = {}): void {
    requireArgument('`method` of ctx.notify', method, checkString);
    requireArgument('`params` of ctx.notify', params, checkParams);
    checkMeta(method, params._meta);
    requireSendable(`the notification ${method}`, params, 'handler/output');
    this.#getActive().sendWhenOpen(({ requestContext }) => requestContext.notify(method, params));
  }

  closeStream(): boolean {
    const { requestContext } = this.#getActive();
    return !requestContext.signal.aborted && (requestContext.closeStream?.() ?? false);
  }

  ping(options?: PingOptions): Promise<void> {
    try {
      if (options !== undefined) requireKnownOptions('ctx.ping', options, { timeout: true, signal: true });
      requireArgument('the argument of ctx.ping', options, pingOptions);
    } catch (error) {
      return Promise.reject(error);
    }
    const { requestContext } = this.#getActive();
    const ping =
      requestContext.ping?.(options) ??
      requestContext.originSession?.ping({ signal: toAbortSignal(requestContext.signal), ...options });
    return markHandled(ping ?? Promise.reject(createNoPingError(requestContext.dialect)));
  }

  fail(content: string | ContentBlock | readonly (string | ContentBlock)[]): ToolResultParts {
    return toolResult({ content, isError: true });
  }

  step<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    let result: Promise<T>;
    try {
      requireArgument('`name` of ctx.step', name, checkString);
      requireArgument('`work` of ctx.step', work, checkFunction);
      result = this.#run.step(name, work) as Promise<T>;
    } catch (error) {
      result = Promise.reject(error);
    }
    return this.#track(`step "${name}"`, result, true);
  }

  // Its answer fits that of each schema: the compiler cannot compare it with the generic method of `Context`.
  elicit(options: { readonly message: string; readonly input: Schema }): Promise<FormAnswer<never>> {
    const answer: Promise<FormAnswer<unknown>> = requestForm(this.#run, options);
    return this.#track('input request `elicit`', answer as Promise<FormAnswer<never>>);
  }

  #track<T>(name: string, result: Promise<T>, isStep = false): Promise<T> {
    this.#openCalls ??= new OpenCalls();
    return this.#openCalls.add(name, isStep, result);
  }

  #requestInput<M extends InputRequestMethod>(
    method: M,
    params: JsonObject,
    check: () => void = () => {},
  ): Promise<ResultOf<M>> {
    try {
      check();
      checkNestedMeta(method, params);
      requireSendable(`the input request ${method}`, params, 'handler/output');
    } catch (error) {
      return Promise.reject(error);
    }
    return this.#run.request(method, params).then(result => toResult(method, result));
  }

  elicitUrl(options: {
    readonly message: string;
    readonly url: string;
    readonly elicitationId?: string | undefined;
  }): Promise<{ action: ElicitResult['action'] }> {
    const check = () => {
      requireKnownOptions('ctx.elicitUrl', options, { message: true, url: true, elicitationId: true });
      requireArgument('the argument of ctx.elicitUrl', options, urlParams);
    };
    const params: JsonObject = { mode: 'url', ...options };
    const answer = this.#requestInput('elicitation/create', params, check).then(({ action }) => ({ action }));
    return this.#track('input request `elicitUrl`', answer);
  }

  sample(params: CreateMessageParams): Promise<CreateMessageResult> {
    const check = () => {
      requireKnownOptions('ctx.sample', params, SAMPLE_PARAMS);
      requireArgument('the argument of ctx.sample', params, methods['sampling/createMessage'].params);
    };
    return this.#track('input request `sample`', this.#requestInput('sampling/createMessage', { ...params }, check));
  }

  roots(): Promise<ListRootsResult['roots']> {
    const report = (error: TenonError) => this.#getActive().requestContext.reportError(error);
    const roots = this.#requestInput('roots/list', {}).then(result => selectFileRoots(result, report));
    return this.#track('input request `roots`', roots);
  }
}

// Handlers may destructure the methods.
bindMethods(HandlerContext.prototype);

function rethrow(error: unknown): never {
  throw error;
}
