import type { Run, Seat } from '../conversation/asking/asking.js';
import type { PingOptions } from '../conversation/service.js';
import type { AuthInfo, RequestHeaders } from '../jsonrpc/channel.js';
import { TenonError } from '../jsonrpc/error.js';
import { markHandled } from '../jsonrpc/follow.js';
import { isId, isObject, type JsonObject } from '../jsonrpc/message.js';
import type { CreateMessageParams, CreateMessageResult, ElicitResult, ListRootsResult } from '../model/asking.js';
import type { ClientCapabilities } from '../model/capabilities.js';
import {
  type ContentBlock,
  type Implementation,
  LOGGING_LEVELS,
  type LoggingLevel,
  type Meta,
} from '../model/content.js';
import { checkMeta, checkNestedMeta } from '../model/meta-keys.js';
import type { Inputs } from '../model/shapes.js';
import { toJsonSchema } from '../schemas/json-schema.js';
import type { InferOutput, Schema } from '../schemas/standard.js';
import { compile, describeIssues } from '../schemas/validate.js';
import { bindMethods } from './bound-methods.js';
import type { CreateState } from './create-state.js';
import { formOf } from './form.js';
import { NotificationMerger } from './notification-merger.js';
import { type Reply, reply } from './reply.js';
import { selectFileRoots } from './roots.js';
import { noPingError } from './session-ping.js';
import { Standing } from './standing.js';
import type { Turn } from './turn.js';

/** The answer to a form. */
export type FormAnswer<T> =
  | { readonly action: 'accept'; readonly content: T }
  | { readonly action: 'decline' | 'cancel'; readonly content?: undefined };

/** Second argument of a handler. Its methods also work without it: `({ title }, { log, fail }) => …`. */
export class Context<S = unknown> {
  readonly #run: Run;
  readonly #createState: CreateState<S> | undefined;
  #at: Standing;
  #progress = Number.NEGATIVE_INFINITY;
  #merger: NotificationMerger | undefined;
  #mergesFor: Turn | undefined;
  /**
   * Answers to the questions that the handler returned, and the state that it returned with them. `inputResponses` has an
   * answer to each question and nothing else; it is undefined before the handler has returned any.
   */
  readonly inputs: Inputs;

  /** `before`: of the entry before, when the handler is entered again for the same request. */
  constructor(
    turn: Turn,
    run: Run,
    params: JsonObject,
    createState: CreateState<S> | undefined,
    inputs: Inputs = {},
    before?: Context<S>,
  ) {
    this.#createState = createState;
    this.#at = new Standing(turn, params, run.depart !== undefined);
    this.#run = run;
    this.inputs = inputs;
    if (before) this.#progress = before.#progress;
  }

  /** Enters the handler itself, which is to be given this context. @internal */
  static perform(context: Context, enter: () => JsonObject | Promise<JsonObject>): JsonObject | Promise<JsonObject> {
    return context.#run.core(context as Seat, enter);
  }

  /** What the handler is entered with. @internal */
  static runOf(context: Context): Run {
    return context.#run;
  }

  /** Serves no request from here on, but this. @internal */
  static move(context: Context, turn: Turn, params: JsonObject): void {
    context.#at.move(turn, params);
  }

  /** Serves a later request from here on. @internal */
  follow(later: Context): void {
    later.#at.follows(this.#at);
    this.#at = later.#at;
  }

  /** The `_meta` of the request, trace context included. */
  get meta(): Meta {
    const { _meta } = this.#at.params;
    return isObject(_meta) ? _meta : {};
  }

  /** Aborted when the client gives the request up. */
  get signal(): AbortSignal {
    return this.#at.signal;
  }

  /** The protocol revision that the client speaks. For reports: the same handler serves all of them. */
  get revision(): string {
    return this.#at.turn.dialect.revision;
  }

  /** Whom the transport's authorization found. */
  get auth(): AuthInfo | undefined {
    return this.#at.turn.caller.auth;
  }

  /** Address of the client, where the transport knows it. It is a proxy's where one stands in front: see `clientAddress`. */
  get address(): string | undefined {
    return this.#at.turn.caller.address;
  }

  /**
   * The HTTP request that brought this one. `header(name)` takes the name in any case. `authorization`,
   * `proxy-authorization`, `cookie` and `dpop` are never returned: see `auth`. Undefined on stdio and in memory, and in a
   * task, which may go on in another process. After a question it is the request that brought the answer on 2026-07-28.
   */
  get request(): RequestHeaders | undefined {
    return this.#at.request;
  }

  /**
   * Values that middleware hands to the handler: the object that `state` of `createServer` makes, once for each request.
   * Without that option an empty object. A retry (2026-07-28) begins with a new one; a task has none that middleware filled.
   */
  get state(): S {
    return this.#at.getState(() => this.#createState?.(this) ?? {}) as S;
  }

  /** What the client says of itself and can do. Untrusted. */
  get client(): { readonly info: Implementation | undefined; readonly capabilities: ClientCapabilities } {
    const { client, capabilities } = this.#at.turn.caller;
    return { info: client, capabilities };
  }

  /**
   * Reports progress, when the client asked for it. `progress` must grow; a report that does not is left out.
   * https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress
   */
  progress(progress: number, total?: number, message?: string): void {
    const { progressToken } = this.meta;
    if (!isId(progressToken) || !Number.isFinite(progress) || progress <= this.#progress) return;
    this.#progress = progress;
    this.#notifyMerged('progress', 'notifications/progress', {
      progressToken,
      progress,
      ...(Number.isFinite(total) ? { total } : {}),
      ...(message === undefined ? {} : { message }),
    });
  }

  /** Sends a log message to the client, when its level lets it. Never put secrets into one. */
  log(level: LoggingLevel, data: unknown, logger?: string): void {
    const least = this.#at.turn.logLevel;
    if (least === undefined || LOGGING_LEVELS.indexOf(level) < LOGGING_LEVELS.indexOf(least)) return;
    this.#notifyMerged(`log ${level} ${logger ?? ''}`, 'notifications/message', {
      level,
      data: data === undefined ? null : data,
      ...(logger === undefined ? {} : { logger }),
    });
  }

  /** Merges notifications of one key that come too fast. */
  #notifyMerged(key: string, method: string, params: JsonObject): void {
    const { turn } = this.#at;
    const { merging } = turn;
    if (merging === undefined) return turn.notify(method, params);
    if (this.#merger === undefined || this.#mergesFor !== turn) {
      this.#mergesFor = turn;
      this.#merger = new NotificationMerger((sent, given) => turn.notify(sent, given), merging);
    }
    this.#merger.notify(key, method, params);
  }

  /**
   * Sends a notification on the stream of this request. One that the client's revision does not have is left out, and so
   * is one that comes when the request is answered or given up.
   */
  notify(method: string, params: JsonObject = {}): void {
    checkMeta(method, params._meta);
    this.#at.turn.notify(method, params);
  }

  /**
   * Ends the connection on which the client waits, so that long work holds none open: the client comes back after a
   * while and gets what was said meanwhile and the answer, whenever it is there. Returns `false`, and changes nothing,
   * where the client could not come back: that needs HTTP, and a revision whose streams begin with something to come
   * back by.
   * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server
   */
  hangUp(): boolean {
    return !this.#at.turn.signal.aborted && (this.#at.turn.hangUp?.() ?? false);
  }

  /**
   * Pings the client and resolves when it answers. `timeout`: time for the answer in ms, default 5,000. `signal`: default the
   * signal of the request. Rejects with `call/timeout` when no answer comes in time, and ends the session; with
   * `client/no-session` where the request belongs to no session: on versions without sessions the server has no ping.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping
   */
  ping(options?: PingOptions): Promise<void> {
    const { turn } = this.#at;
    const ping = turn.ping?.(options) ?? turn.begunIn?.ping({ signal: turn.signal, ...options });
    return markHandled(ping ?? Promise.reject(noPingError(turn.dialect)));
  }

  /** An answer that tells the model that it failed, and why. Return it or throw it. */
  fail(content: string | ContentBlock | readonly (string | ContentBlock)[]): Reply {
    return reply({ content, isError: true });
  }

  /**
   * Does something once, however often the handler is entered: after a question, or after a crash when it is a task. What
   * it returns is remembered, and has to be a JSON value or nothing; what it throws is not. Give each step of a handler a
   * name of its own. Ask before a step, not inside of it.
   */
  step<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    return markHandled(this.#run.step(name, work) as Promise<T>);
  }

  /**
   * Shows the user a form and waits for the answer, on every revision that has forms.
   * https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation
   */
  elicit<const S extends Schema>(question: {
    readonly message: string;
    readonly input: S;
  }): Promise<FormAnswer<InferOutput<S>>> {
    return markHandled(this.#elicit(question));
  }

  async #elicit<const S extends Schema>(question: {
    readonly message: string;
    readonly input: S;
  }): Promise<FormAnswer<InferOutput<S>>> {
    const requestedSchema = formOf(toJsonSchema(question.input, 'input'));
    const params: JsonObject = { message: question.message, requestedSchema };
    const answer = (await this.#run.ask('elicitation/create', params)) as unknown as ElicitResult;
    if (answer.action !== 'accept') return { action: answer.action };
    const checked = await compile(question.input, 'input').check(answer.content ?? {});
    if (checked.ok) return { action: 'accept', content: checked.value as InferOutput<S> };
    throw new TenonError(
      'client/invalid-answer',
      `the answer does not fit the form: ${describeIssues(checked.issues)}`,
    );
  }

  #ask(method: string, params: JsonObject): Promise<JsonObject> {
    try {
      checkNestedMeta(method, params);
    } catch (error) {
      return Promise.reject(error);
    }
    return this.#run.ask(method, params);
  }

  /** Asks the user to visit a URL. `accept` means that the user agreed to open it, not that the visit is done. */
  elicitUrl(question: {
    readonly message: string;
    readonly url: string;
    readonly elicitationId?: string | undefined;
  }): Promise<{ action: ElicitResult['action'] }> {
    const params: JsonObject = { mode: 'url', ...question };
    return markHandled(
      this.#ask('elicitation/create', params).then(answer => ({ action: (answer as unknown as ElicitResult).action })),
    );
  }

  /** Asks the client's model. https://modelcontextprotocol.io/specification/2026-07-28/client/sampling */
  sample(params: CreateMessageParams): Promise<CreateMessageResult> {
    const asked = this.#ask('sampling/createMessage', params as unknown as JsonObject);
    return markHandled(asked as Promise<unknown> as Promise<CreateMessageResult>);
  }

  /**
   * Asks the client for its roots: the folders that the server may work in. Entries that are no `file:` URI are left out and
   * reported to `onProblem`. Deprecated in 2026-07-28, where it still works: take folders as arguments or configuration.
   * https://modelcontextprotocol.io/specification/2026-07-28/client/roots
   */
  roots(): Promise<ListRootsResult['roots']> {
    const report = (error: TenonError) => this.#at.turn.report(error);
    return markHandled(this.#run.ask('roots/list', {}).then(answer => selectFileRoots(answer, report)));
  }
}

/** The methods that handlers use. */
const METHODS = [
  'progress',
  'log',
  'notify',
  'hangUp',
  'ping',
  'fail',
  'step',
  'elicit',
  'elicitUrl',
  'sample',
  'roots',
] as const;
bindMethods(Context.prototype, METHODS);
