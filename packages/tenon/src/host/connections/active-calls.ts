import type { ServerRequestInfo } from '../../client/options.js';
import type { RequestInput } from '../../execution/handler-run.js';
import { TenonError } from '../../jsonrpc/error.js';
import { type Id, isObject, type JsonObject } from '../../jsonrpc/message.js';
import type { LoggingLevel } from '../../protocol/content.js';
import { RELATED_TASK } from '../../protocol/meta.js';
import type { ClientSession } from '../../server/request-context.js';

/** A call that is on its way to a server, and what of it the server may reach. */
export interface UpstreamCall {
  /** The requests that were sent for it. */
  readonly ids: ReadonlySet<Id>;
  /** The task that the server has made of it. */
  readonly task: string | undefined;
  readonly ask: RequestInput | undefined;
  /** Session of the caller, or the one in which its task began. */
  readonly session?: ClientSession | undefined;
  /** True if the caller no longer waits for it. */
  readonly cancelled: boolean;
  /** True if the caller wants messages of this level. */
  acceptsLogLevel(level: LoggingLevel): boolean;
  log(level: LoggingLevel, data: unknown, logger: string | undefined): void;
}

/** Origin of a server's request. */
type QuestionOrigin = Pick<ServerRequestInfo, 'signal' | 'relatedTo' | 'task'> &
  Partial<Pick<ServerRequestInfo, 'progress'>>;

/**
 * The calls that are on their way on one line. What a server asks meanwhile goes to the call that it names, by its stream
 * or its task. Where neither is told it goes to the last that can be asked: all calls of a line are of the same audience.
 */
export class ActiveCalls {
  readonly #calls = new Map<UpstreamCall, Set<Promise<unknown>>>();
  readonly #session: ClientSession | undefined;

  constructor(session: ClientSession | undefined) {
    this.#session = session;
  }

  get size(): number {
    return this.#calls.size;
  }

  /** Does the work of a call. It is not over while something is still asked on its behalf. */
  async run<T>(call: UpstreamCall, work: () => Promise<T>): Promise<T> {
    const open = new Set<Promise<unknown>>();
    this.#calls.set(call, open);
    try {
      return await work();
    } finally {
      while (open.size > 0) await Promise.allSettled(open);
      this.#calls.delete(call);
    }
  }

  async ask(method: string, params: JsonObject, origin: QuestionOrigin): Promise<JsonObject> {
    const tried = new Set<UpstreamCall>();
    for (let call = this.#findCall(params, origin); call?.ask; call = this.#findNextCall(tried)) {
      tried.add(call);
      try {
        return await this.#askCaller(call, call.ask, method, params, origin);
      } catch (error) {
        // What is asked of one who leaves meanwhile was perhaps meant for another.
        if (origin.signal.aborted || !this.#hasEnded(call, error)) throw error;
      }
    }
    if (this.#session) return this.#session.requestInput(method, params, origin.signal, origin.progress);
    throw new TenonError('host/no-active-call', `a server requested ${method} without an active call`, {
      hint: 'change the server to request input only during a call',
    });
  }

  #askCaller(
    call: UpstreamCall,
    ask: RequestInput,
    method: string,
    params: JsonObject,
    origin: QuestionOrigin,
  ): Promise<JsonObject> {
    const asking = ask(method, params, origin.signal, origin.progress);
    const open = this.#calls.get(call);
    const settled = asking.catch(() => {}).finally(() => open?.delete(settled));
    open?.add(settled);
    return asking;
  }

  #hasEnded(call: UpstreamCall, error: unknown): boolean {
    return call.cancelled || !this.#calls.has(call) || (TenonError.is(error) && error.code === 'task/over');
  }

  #findCall({ _meta }: JsonObject, { relatedTo, task: asking }: QuestionOrigin): UpstreamCall | undefined {
    const related = isObject(_meta) ? _meta[RELATED_TASK] : undefined;
    const taskId = asking ?? (isObject(related) ? related.taskId : undefined);
    const named = [...this.#calls.keys()].find(
      ({ ask, ids, task }) =>
        ask !== undefined &&
        ((relatedTo !== undefined && ids.has(relatedTo)) || (taskId !== undefined && task === taskId)),
    );
    return named ?? this.#findNextCall(new Set());
  }

  /** The last whose caller still waits, of those that can be asked and were not. */
  #findNextCall(tried: ReadonlySet<UpstreamCall>): UpstreamCall | undefined {
    return [...this.#calls.keys()].findLast(call => call.ask !== undefined && !call.cancelled && !tried.has(call));
  }

  /**
   * Sends a log message to the last call that it may belong to. Where several sessions share a process and have calls on their way,
   * it is sent to none of them, because it may tell one of them about the call of another.
   */
  log(level: LoggingLevel, data: unknown, logger: string | undefined): void {
    const calls = [...this.#calls.keys()];
    if (calls.some(({ session }) => session !== calls[0]?.session)) return;
    const last = calls.findLast(call => call.acceptsLogLevel(level));
    if (last) last.log(level, data, logger);
    else if (this.#calls.size > 0) return;
    else this.#session?.notify('notifications/message', { level, data, ...(logger === undefined ? {} : { logger }) });
  }
}
