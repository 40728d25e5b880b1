import type { ServerRequestInfo } from '../../client/options.js';
import type { RequestInput } from '../../execution/handler-run.js';
import { TenonError } from '../../jsonrpc/error.js';
import type { MaybePromise } from '../../jsonrpc/maybe-promise.js';
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
 * The calls in flight on one connection. An input request of the server goes to the call that it names, by its stream
 * or its task. If it names neither, it goes to the most recent call whose caller supports input requests: all calls of
 * a connection have the same scope.
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

  /** Runs a call. It does not end while an input request on its behalf is open. */
  async run<T>(call: UpstreamCall, work: () => MaybePromise<T>): Promise<T> {
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
        // An input request to a caller that disconnects meanwhile may belong to another call.
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

  /** Finds the most recent call whose caller still waits and can answer, and has not been asked yet. */
  #findNextCall(tried: ReadonlySet<UpstreamCall>): UpstreamCall | undefined {
    return [...this.#calls.keys()].findLast(call => call.ask !== undefined && !call.cancelled && !tried.has(call));
  }

  /**
   * Sends a log message to the last call that it may belong to. If several sessions share the process and have calls in
   * flight, it is sent to none of them, because it may reveal the call of another session.
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
