import { type Clock, systemClock } from '../jsonrpc/clock.js';
import { TenonError } from '../jsonrpc/error.js';
import { isObject, type JsonObject } from '../jsonrpc/message.js';
import { HEADER_MISMATCH } from '../model/codes.js';
import type { LoggingLevel, Tool } from '../model/content.js';
import { isMethod, type MethodName, methods } from '../model/methods.js';
import type { Issue } from '../schemas/issues.js';
import { Cache } from './cache.js';
import { Emitter } from './emitter.js';
import type { Endpoint } from './endpoint.js';
import { argumentHeaders } from './headers.js';
import { heard } from './hearing.js';
import { gate, isReading, misfit, outcomeUnknown } from './judgement.js';
import { Lifeline } from './lifeline.js';
import type { Link, Sending } from './link.js';
import type { CallOptions, ClientOptions } from './options.js';
import { rounds } from './rounds.js';
import { Toolbox, unusable } from './toolbox.js';

const CACHED_ANSWERS = 200;
const NOTHING: Issue = { path: [], message: 'expected structured content, got none' };
const MAX_PAGES = 10_000;
const CURSOR_GONE = 'call/cursor-gone';

/** The road of a call: gate, cache, link, rounds, judgement; and once more where that is safe. */
export class Caller {
  readonly options: ClientOptions;
  readonly emitter = new Emitter();
  readonly lifeline: Lifeline;
  readonly cache: Cache;
  readonly toolbox = new Toolbox();
  logLevel: LoggingLevel | undefined;

  constructor(endpoint: Endpoint, options: ClientOptions) {
    const clock: Clock = options.clock ?? systemClock;
    this.options = options;
    this.logLevel = options.logLevel;
    this.cache = new Cache(options.cacheSize ?? CACHED_ANSWERS, clock);
    this.lifeline = new Lifeline(endpoint, options, this.emitter, {
      notification: (method, params) => heard(this, method, params),
      problem: error => this.emitter.emit('problem', error),
    });
  }

  /** Calls any method. Rejects with a `TenonError` that says who, what and what next. */
  async call(method: string, params: JsonObject = {}, options: CallOptions = {}): Promise<JsonObject> {
    const link = await this.lifeline.link();
    const known = isMethod(method) ? method : undefined;
    if (known) gate(link, known);
    const cached = known && this.cache.get(known, params);
    if (cached) return cached;
    return this.#steadily(link, method, params, options);
  }

  /** Every entry of a list, over all its pages. */
  async *pages<T>(method: MethodName, key: string, options: CallOptions = {}): AsyncGenerator<T> {
    let cursor: string | undefined;
    let link = await this.lifeline.link();
    const seen = new Set<string>();
    const told = new Set<string>();
    let again = false;
    for (let page = 0; page < MAX_PAGES; page++) {
      const result = await this.#page(link, method, cursor, options);
      link = this.lifeline.last;
      if (result === undefined) {
        again = true;
        seen.clear();
        cursor = undefined;
        continue;
      }
      yield* fresh(result[key] as T[], told, again);
      cursor = this.#nextCursor(result);
      if (cursor === undefined) return;
      if (seen.has(cursor)) throw this.#error('peer/endless-list', `${method} gives the same cursor again`);
      seen.add(cursor);
    }
    throw this.#error('peer/endless-list', `${method} has more than ${MAX_PAGES} pages`);
  }

  /** All tools; over HTTP without those whose annotations no client can follow. */
  async *listTools(options?: CallOptions): AsyncGenerator<Tool> {
    const all: Tool[] = [];
    for await (const tool of this.pages<Tool>('tools/list', 'tools', options)) {
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
    this.toolbox.fill(all);
  }

  /** One page; none when its cursor belongs to a session that is gone: the list then begins anew. */
  async #page(link: Link, method: MethodName, cursor: string | undefined, options: CallOptions) {
    if (cursor === undefined) return this.call(method, {}, options);
    try {
      const now = await this.lifeline.link();
      return isOtherSession(now, link) ? undefined : await this.call(method, { cursor }, options);
    } catch (error) {
      if (TenonError.is(error) && error.code === CURSOR_GONE) return undefined;
      throw error;
    }
  }

  #nextCursor({ nextCursor }: JsonObject): string | undefined {
    if (typeof nextCursor !== 'string') return undefined;
    // An empty cursor is one like any other where requests state their revision; before, servers mean "no more" by it.
    return nextCursor === '' && this.lifeline.last.dialect.opening === 'handshake' ? undefined : nextCursor;
  }

  /** Sends, and sends again where the server surely has not, or may well, carry it out twice. */
  async #steadily(link: Link, method: string, params: JsonObject, options: CallOptions): Promise<JsonObject> {
    try {
      return await this.#once(link, method, params, options);
    } catch (error) {
      if (!TenonError.is(error)) throw error;
      if (error.code === 'session/gone')
        return this.#once(sameCursor(await this.lifeline.renew(link), link, params), method, params, options);
      if (error.rpc === HEADER_MISMATCH && method === 'tools/call') {
        this.toolbox.forget();
        this.cache.forget({ methods: ['tools/list'] });
        return this.#once(link, method, params, options);
      }
      const lost = /^(call\/outcome-unknown|http\/interrupted|connection\/closed|stdio\/exited)$/.test(error.code);
      if (lost && (options.idempotent ?? isReading(method)))
        return this.#once(sameCursor(await this.lifeline.link(), link, params), method, params, options);
      throw lost ? outcomeUnknown(error, link, method) : error;
    }
  }

  async #once(given: Link, method: string, params: JsonObject, options: CallOptions): Promise<JsonObject> {
    if (method === 'tools/call') await this.#learnTools(given, options);
    // Learning may have found the session gone: what has not been sent yet takes the link of now.
    const link = given.ended ? await this.lifeline.link() : given;
    const withOwn = options.meta
      ? { ...params, _meta: { ...(params._meta as JsonObject | undefined), ...options.meta } }
      : params;
    let retried = 'inputResponses' in params || 'requestState' in params;
    const send = (each: JsonObject) => {
      retried ||= each !== withOwn;
      return link.call(method, each, this.#sending(link, method, each, options));
    };
    const result = options.manual
      ? await send(withOwn)
      : await rounds(withOwn, send, link, this.options, options.signal);
    if (!isMethod(method)) return result;
    const judged = this.#judged(link, method, result, params, options);
    // The answer of a retry depends on more than its params: it is not kept.
    if (!retried && judged.resultType !== 'input_required') this.cache.keep(method, params, judged);
    return judged;
  }

  /** A tool's headers and the shape of its result are in the list of tools: it is read before the first call that needs it. */
  async #learnTools(link: Link, { signal }: CallOptions): Promise<void> {
    if (this.toolbox.known || !link.offers('tools') || this.options.validate === 'off') return;
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

  #sending(link: Link, method: string, params: JsonObject, options: CallOptions): Sending {
    const { signal, onProgress, idleTimeout, totalTimeout } = options;
    const tool = method === 'tools/call' ? this.toolbox.get(params.name as string) : undefined;
    const headers =
      tool && tool.mirrors.length > 0 && link.dialect.http.mirrors
        ? argumentHeaders(tool.mirrors, params.arguments as JsonObject | undefined)
        : undefined;
    return {
      signal,
      onProgress,
      logLevel: this.logLevel,
      outputSchema: tool?.tool.outputSchema,
      ...(idleTimeout === undefined ? {} : { idleTimeout }),
      ...(totalTimeout === undefined ? {} : { totalTimeout }),
      ...(headers === undefined ? {} : { headers }),
    };
  }

  #judged(link: Link, method: MethodName, result: JsonObject, params: JsonObject, options: CallOptions): JsonObject {
    const { resultType = 'complete' } = result;
    if (resultType === 'input_required' && methods[method].mayAsk && options.manual) return result;
    const { extensions = {} } = this.options;
    if (resultType !== 'complete' && !(resultType === 'task' && Object.keys(extensions).length > 0)) {
      throw this.#error('peer/invalid-result', `the result has the type ${JSON.stringify(resultType)}`, method, link);
    }
    const problem = resultType === 'complete' ? methods[method].result(result) : undefined;
    if (problem) throw this.#error('peer/invalid-result', `the result is malformed: ${problem}`, method, link);
    return method === 'tools/call' ? this.#fitting(link, result, params) : result;
  }

  /** A tool's structured content must fit what the tool says of it. */
  #fitting(link: Link, result: JsonObject, params: JsonObject): JsonObject {
    const known = this.toolbox.get(params.name as string);
    const outputSchema = known?.tool.outputSchema;
    const { structuredContent, ...rest } = result;
    const none =
      structuredContent === undefined ||
      (outputSchema === undefined && isObject(structuredContent) && Object.keys(structuredContent).length === 0);
    if (none && (outputSchema === undefined || result.isError)) return rest;
    if (known?.output === undefined || result.isError) return result;
    const checked = none ? { ok: false as const, issues: [NOTHING] } : known.output.check(structuredContent);
    if (checked.ok !== false) return result;
    const error = misfit(link, params.name as string, checked.issues);
    if (this.options.validate !== 'warn') throw error;
    this.emitter.emit('problem', error);
    return result;
  }

  #error(code: string, summary: string, method?: string, link = this.lifeline.last): TenonError {
    return new TenonError(code, summary, { peer: link.peer, method });
  }
}

/** A cursor is good in the session that gave it, where there are sessions. */
function isOtherSession(now: Link, before: Link): boolean {
  return now !== before && before.dialect.opening === 'handshake';
}

function sameCursor(now: Link, before: Link, { cursor }: JsonObject): Link {
  if (cursor === undefined || !isOtherSession(now, before)) return now;
  throw new TenonError(CURSOR_GONE, 'the session that gave the cursor is gone', {
    peer: before.peer,
    next: 'read the list from its start',
  });
}

/** What was told before is not told again when the list had to begin anew. */
function* fresh<T>(entries: readonly T[], told: Set<string>, again: boolean): Generator<T> {
  for (const entry of entries) {
    const { uri, uriTemplate, name } = entry as { uri?: string; uriTemplate?: string; name?: string };
    const key = String(uri ?? uriTemplate ?? name);
    if (again && told.has(key)) continue;
    told.add(key);
    yield entry;
  }
}
