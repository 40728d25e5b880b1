import { type Clock, systemClock } from '../jsonrpc/clock.js';
import { TenonError } from '../jsonrpc/error.js';
import { follow, rescue } from '../jsonrpc/follow.js';
import type { JsonObject } from '../jsonrpc/message.js';
import { HEADER_MISMATCH } from '../model/codes.js';
import type { LoggingLevel, Tool } from '../model/content.js';
import { checkMeta } from '../model/meta-keys.js';
import { isMethod, type MethodName, type Methods } from '../model/methods.js';
import type { TaskParams } from '../model/tasks.js';
import { Allowance, type PausingClock, pausingClock } from './allowance.js';
import { Cache } from './cache.js';
import type { Final } from './client.js';
import { Emitter } from './emitter.js';
import type { Endpoint } from './endpoint.js';
import type { Sending } from './errand.js';
import { argumentHeaders } from './headers.js';
import { heard } from './hearing.js';
import { gate, isReading } from './judgement.js';
import { Lifeline } from './lifeline.js';
import type { Link } from './link.js';
import type { CallOptions, ClientOptions } from './options.js';
import { describeBothAttempts, isConnectionLoss, outcomeUnknown } from './outcome.js';
import { pages, sameCursor } from './pages.js';
import { judged } from './results.js';
import { rounds } from './rounds.js';
import { asTask, choosesTasks, declaresTasks, taskWish } from './tasks/calling.js';
import { followed } from './tasks/followed.js';
import { Toolbox, unusable } from './toolbox.js';

const CACHED_ANSWERS = 200;
const NONE: CallOptions = {};

/** One call, and what it carries along its road. */
export interface Journey {
  readonly method: string;
  readonly params: JsonObject;
  readonly options: CallOptions;
  readonly allowance: Allowance;
  /** The call is to become a task wherever that is the caller's choice: with these words. */
  readonly wish?: TaskParams | undefined;
  /** The tool whose result is asked for. */
  readonly tool?: string | undefined;
  /** Ends the hearing of progress on the task that the call has become. */
  forget?: () => void;
}

/** The road of a call: gate, cache, link, rounds, judgement; and once more where that is safe. */
export class Caller {
  readonly options: ClientOptions;
  readonly emitter = new Emitter();
  readonly lifeline: Lifeline;
  readonly cache: Cache;
  readonly toolbox = new Toolbox();
  /** The time that goes on. */
  readonly clock: Clock;
  /** The time of what is waited for: it stands still while the server asks by a request of its own. */
  readonly patience: PausingClock;
  logLevel: LoggingLevel | undefined;
  readonly #declaresTasks: boolean;

  constructor(endpoint: Endpoint, options: ClientOptions) {
    this.clock = options.clock ?? systemClock;
    this.patience = pausingClock(this.clock);
    this.options = options;
    this.logLevel = options.logLevel;
    this.#declaresTasks = declaresTasks(options);
    this.cache = new Cache(options.cacheSize ?? CACHED_ANSWERS, this.clock);
    const events = {
      notification: (method: string, params: JsonObject) => heard(this, method, params),
      problem: (error: TenonError) => this.emitter.emit('problem', error),
    };
    this.lifeline = new Lifeline(endpoint, options, this.emitter, events, this.patience);
  }

  /** Calls any method, and waits for the task that the call may become. Rejects with a `TenonError` that says who, what and what next. */
  async call(method: string, params: JsonObject = {}, options: CallOptions = NONE): Promise<JsonObject> {
    const journey = this.journey(method, params, options);
    const answer = await this.begin(journey);
    if (answer.resultType !== 'task' || options.manual) return answer;
    const { allowance, forget } = journey;
    return followed(this, answer, { tool: params.name as string, allowance, forget, ...options }).settled(
      options.signal,
    );
  }

  /** Calls a method of the protocol for its final result: `judged` has checked it by the table of methods. */
  request<M extends MethodName>(
    method: M,
    params: Methods[M]['params'],
    options?: CallOptions,
  ): Promise<Final<Methods[M]['result']>>;
  request(method: string, params: JsonObject, options?: CallOptions): Promise<JsonObject> {
    return this.call(method, params, options);
  }

  /** Calls any method. What it became, if a task, is the caller's. */
  begin(journey: Journey): JsonObject | Promise<JsonObject> {
    const { method, params } = journey;
    return follow(this.lifeline.open ?? this.lifeline.link(), link => {
      const known = isMethod(method) ? method : undefined;
      if (known) gate(link, known);
      const cached = known && this.cache.get(known, params);
      return cached ?? this.#steadily(link, journey);
    });
  }

  /** Asks about a task that the server has made, whatever it declares. */
  async ask(method: MethodName, params: JsonObject, options: CallOptions, tool?: string): Promise<JsonObject> {
    return this.#steadily(await this.lifeline.link(), { ...this.journey(method, params, options), tool });
  }

  journey(method: string, params: JsonObject, options: CallOptions): Journey {
    if (!options.relaysMeta) checkSentMeta(method, params, options);
    const { totalTimeout = this.options.totalTimeout } = options;
    return { method, params, options, allowance: new Allowance(this.patience, totalTimeout) };
  }

  /** All tools; over HTTP without those whose annotations no client can follow. */
  async *listTools(options?: CallOptions): AsyncGenerator<Tool> {
    const all: Tool[] = [];
    for await (const tool of pages<Tool>(this, 'tools/list', 'tools', options)) {
      const why =
        this.lifeline.last.dialect.http.mirrors && this.lifeline.last.endpoint.kind === 'http'
          ? unusable(tool)
          : undefined;
      if (why === undefined) {
        all.push(tool);
        yield tool;
      } else {
        this.emitter.emit('problem', this.#error('peer/unusable-tool', `tool "${tool.name}" is left out: ${why}`));
      }
    }
    await this.toolbox.fill(all);
  }

  /** Sends, and sends again where the server surely has not, or may well, carry it out twice. */
  #steadily(link: Link, journey: Journey): JsonObject | Promise<JsonObject> {
    return rescue(
      () => this.#once(link, journey),
      error => this.#again(link, journey, error),
    );
  }

  async #again(link: Link, journey: Journey, error: unknown): Promise<JsonObject> {
    const { method, options } = journey;
    if (!TenonError.is(error)) throw error;
    if (error.code === 'session/gone') return this.#secondTime(link, journey, error);
    if (error.rpc === HEADER_MISMATCH && method === 'tools/call') {
      this.toolbox.forget();
      this.cache.forget({ methods: ['tools/list'] });
      return this.#once(link, journey);
    }
    const isLost = isConnectionLoss(error);
    if (isLost && (options.idempotent ?? isReading(method))) return this.#secondTime(link, journey, error);
    throw isLost ? outcomeUnknown(error, link, method) : error;
  }

  async #secondTime(link: Link, journey: Journey, first: TenonError): Promise<JsonObject> {
    const { method, params } = journey;
    try {
      return await this.#once(sameCursor(await this.lifeline.link(), link, params), journey);
    } catch (second) {
      throw describeBothAttempts(first, TenonError.from(second), method);
    }
  }

  #once(given: Link, journey: Journey): JsonObject | Promise<JsonObject> {
    const learns = journey.method === 'tools/call' && this.#mustLearn(given);
    return follow(learns ? this.learnTools(given, journey.options) : undefined, () =>
      // Learning may have found the session gone: what has not been sent yet takes the link of now.
      follow(given.ended ? this.lifeline.link() : given, link => this.#exchange(link, journey)),
    );
  }

  /** Sends, answers what the server asks, and judges what comes of it. */
  #exchange(link: Link, journey: Journey): Promise<JsonObject> {
    const { method, params, options, allowance, wish } = journey;
    const callsTool = method === 'tools/call';
    const task = callsTool ? taskWish(this, link, params, wish) : undefined;
    const outgoing = withOwn(params, callsTool, task, options);
    const send = (each: JsonObject) => {
      const sending = this.#sending(link, each, journey);
      return task ? asTask(this, link, each, sending) : link.call(method, each, sending);
    };
    return send(outgoing).then(first => {
      if (options.manual || first.resultType !== 'input_required')
        return this.#judged(link, journey, first, task, false);
      const last = rounds(first, outgoing, send, link, this.options, allowance, options.signal);
      return last.then(result => this.#judged(link, journey, result, task, true));
    });
  }

  #judged(
    link: Link,
    { method, params, options }: Journey,
    result: JsonObject,
    task: TaskParams | undefined,
    asked: boolean,
  ): JsonObject {
    if (!isMethod(method)) return result;
    const mayBeTask = task !== undefined || (link.dialect.tasks === 'by-extension' && this.#declaresTasks);
    const expected = { question: options.manual ?? false, task: method === 'tools/call' && mayBeTask };
    const fine = judged(this, link, method, result, params, expected);
    // The answer of a retry depends on more than its params: it is not kept.
    const retried = asked || 'inputResponses' in params || 'requestState' in params;
    if (!retried && (fine.resultType ?? 'complete') === 'complete') this.cache.keep(method, params, fine);
    return fine;
  }

  #mustLearn(link: Link): boolean {
    if (this.toolbox.known || !link.offers('tools')) return false;
    return this.options.validate !== 'off' || choosesTasks(link);
  }

  /** A tool's headers and the shape of its result, and whether it is called as a task, are in the list of tools: it is read before the first call that needs it. */
  async learnTools(link: Link, { signal }: CallOptions): Promise<void> {
    if (!this.#mustLearn(link)) return;
    try {
      await this.toolbox.ensure(async () => {
        const all: Tool[] = [];
        for await (const tool of this.listTools(signal ? { signal } : {})) all.push(tool);
        return all;
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      this.emitter.emit('problem', TenonError.from(error));
    }
  }

  #sending(link: Link, params: JsonObject, journey: Journey): Sending {
    const { method, options } = journey;
    const name = method === 'tools/call' ? (params.name as string) : journey.tool;
    const tool = name === undefined ? undefined : this.toolbox.get(name);
    const headers =
      method === 'tools/call' && tool && tool.mirrors.length > 0 && link.dialect.http.mirrors
        ? argumentHeaders(tool.mirrors, params.arguments as JsonObject | undefined)
        : undefined;
    return {
      signal: options.signal,
      onProgress: options.onProgress,
      onHungUp: options.onHungUp,
      onId: options.onId,
      logLevel: this.logLevel,
      outputSchema: tool?.tool.outputSchema,
      idleTimeout: options.idleTimeout,
      totalTimeout: journey.allowance.left,
      quiet: method === 'tasks/result',
      onOutlived: options.manual ? options.onOutlived : outliving(journey),
      headers,
    };
  }

  #error(code: string, summary: string, method?: string, link = this.lifeline.last): TenonError {
    return new TenonError(code, summary, { peer: link.peer, method });
  }
}

/** The progress of a task is heard until the journey is over. */
function outliving(journey: Journey): Sending['onOutlived'] {
  return forget => {
    journey.forget = forget;
  };
}

function checkSentMeta(method: string, params: JsonObject, { meta }: CallOptions): void {
  if (params._meta !== undefined) checkMeta(method, params._meta);
  if (meta !== undefined) checkMeta(method, meta);
}

/** The params as they go out. Whether a call becomes a task is said by this client, or not at all. */
function withOwn(
  params: JsonObject,
  callsTool: boolean,
  task: TaskParams | undefined,
  { meta }: CallOptions,
): JsonObject {
  const said = callsTool && 'task' in params ? withoutTask(params) : params;
  const made = task === undefined ? said : { ...said, task };
  return meta ? { ...made, _meta: { ...(made._meta as JsonObject | undefined), ...meta } } : made;
}

function withoutTask({ task: _, ...params }: JsonObject): JsonObject {
  return params;
}
