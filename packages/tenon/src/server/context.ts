import type { Ask } from '../conversation/asking/asking.js';
import type { AuthInfo } from '../jsonrpc/channel.js';
import { TenonError } from '../jsonrpc/error.js';
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
import type { Inputs } from '../model/shapes.js';
import { toJsonSchema } from '../schemas/json-schema.js';
import type { InferOutput, Schema } from '../schemas/standard.js';
import { compile, describeIssues } from '../schemas/validate.js';
import { formOf } from './form.js';
import { type Reply, reply } from './reply.js';
import type { Turn } from './turn.js';

/** The answer to a form. */
export type FormAnswer<T> =
  | { readonly action: 'accept'; readonly content: T }
  | { readonly action: 'decline' | 'cancel'; readonly content?: undefined };

/** What a handler is given beside its input. Use it as `ctx.…`: its methods do not work without it. */
export class Context {
  readonly #turn: Turn;
  readonly #ask: Ask;
  readonly #progressToken: unknown;
  #progress = Number.NEGATIVE_INFINITY;
  /** What the client answered to the questions that the handler returned, and the state that it returned with them. */
  readonly inputs: Inputs;
  /** The `_meta` of the request, trace context included. */
  readonly meta: Meta;

  /** `before`: of the entry before, when the handler is entered again for the same request. */
  constructor(turn: Turn, ask: Ask, params: JsonObject, inputs: Inputs = {}, before?: Context) {
    this.#turn = turn;
    this.#ask = ask;
    this.inputs = inputs;
    this.meta = isObject(params._meta) ? params._meta : {};
    this.#progressToken = this.meta.progressToken;
    if (before) this.#progress = before.#progress;
  }

  /** Aborted when the client gives the request up. */
  get signal(): AbortSignal {
    return this.#turn.signal;
  }

  /** The protocol revision that the client speaks. For reports: the same handler serves all of them. */
  get revision(): string {
    return this.#turn.dialect.revision;
  }

  /** Whom the transport's authorization found. */
  get auth(): AuthInfo | undefined {
    return this.#turn.caller.auth;
  }

  /** What the client says of itself and can do. Untrusted. */
  get client(): { readonly info: Implementation | undefined; readonly capabilities: ClientCapabilities } {
    const { client, capabilities } = this.#turn.caller;
    return { info: client, capabilities };
  }

  /**
   * Reports progress, when the client asked for it. `progress` must grow; a report that does not is left out.
   * https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress
   */
  progress(progress: number, total?: number, message?: string): void {
    const progressToken = this.#progressToken;
    if (!isId(progressToken) || !Number.isFinite(progress) || progress <= this.#progress) return;
    this.#progress = progress;
    this.notify('notifications/progress', {
      progressToken,
      progress,
      ...(Number.isFinite(total) ? { total } : {}),
      ...(message === undefined ? {} : { message }),
    });
  }

  /** Sends a log message to the client, when its level lets it. Never put secrets into one. */
  log(level: LoggingLevel, data: unknown, logger?: string): void {
    const least = this.#turn.logLevel;
    if (least === undefined || LOGGING_LEVELS.indexOf(level) < LOGGING_LEVELS.indexOf(least)) return;
    this.notify('notifications/message', {
      level,
      data: data === undefined ? null : data,
      ...(logger === undefined ? {} : { logger }),
    });
  }

  /**
   * Sends a notification on the stream of this request. One that the client's revision does not have is left out, and so
   * is one that comes when the request is answered or given up.
   */
  notify(method: string, params: JsonObject = {}): void {
    this.#turn.notify(method, params);
  }

  /**
   * Ends the connection on which the client waits, so that long work holds none open: the client comes back after a
   * while and gets what was said meanwhile and the answer, whenever it is there. Returns `false`, and changes nothing,
   * where the client could not come back: that needs HTTP, and a revision whose streams begin with something to come
   * back by.
   * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server
   */
  hangUp(): boolean {
    return !this.#turn.signal.aborted && (this.#turn.hangUp?.() ?? false);
  }

  /** An answer that tells the model that it failed, and why. */
  fail(content: string | ContentBlock | readonly (string | ContentBlock)[]): Reply {
    return reply({ content, isError: true });
  }

  /**
   * Shows the user a form and waits for the answer, on every revision that has forms.
   * https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation
   */
  async elicit<const S extends Schema>(question: {
    readonly message: string;
    readonly input: S;
  }): Promise<FormAnswer<InferOutput<S>>> {
    const requestedSchema = formOf(toJsonSchema(question.input, 'input'));
    const params: JsonObject = { message: question.message, requestedSchema };
    const answer = (await this.#ask('elicitation/create', params)) as unknown as ElicitResult;
    if (answer.action !== 'accept') return { action: answer.action };
    const checked = await compile(question.input, 'input').check(answer.content ?? {});
    if (checked.ok) return { action: 'accept', content: checked.value as InferOutput<S> };
    throw new TenonError(
      'client/invalid-answer',
      `the answer does not fit the form: ${describeIssues(checked.issues)}`,
    );
  }

  /** Asks the user to visit a URL. `accept` means that the user agreed to open it, not that the visit is done. */
  async elicitUrl(question: {
    readonly message: string;
    readonly url: string;
    readonly elicitationId?: string;
  }): Promise<{ action: ElicitResult['action'] }> {
    const { action } = (await this.#ask('elicitation/create', { mode: 'url', ...question })) as unknown as ElicitResult;
    return { action };
  }

  /** Asks the client's model. https://modelcontextprotocol.io/specification/2026-07-28/client/sampling */
  async sample(params: CreateMessageParams): Promise<CreateMessageResult> {
    return (await this.#ask(
      'sampling/createMessage',
      params as unknown as JsonObject,
    )) as unknown as CreateMessageResult;
  }

  /** The places that the client lets the server know of. https://modelcontextprotocol.io/specification/2026-07-28/client/roots */
  async roots(): Promise<ListRootsResult['roots']> {
    return ((await this.#ask('roots/list', {})) as unknown as ListRootsResult).roots;
  }
}
