import { CompactMap, isObject, type JsonObject, type MaybePromise, TenonError } from '@tenon/base';
import type { ClientHandlers, ServerRequestInfo } from '../client/options.js';
import { readRoots } from '../client/server-requests/request-handlers.js';
import type { RequestInput } from '../execution/handler-run.js';
import type { Id } from '../jsonrpc/message.js';
import type { LoggingLevel } from '../protocol/content.js';
import { RELATED_TASK } from '../protocol/meta.js';
import type { ClientSession } from '../server/request-context.js';

/** Call that an upstream server is processing. */
export interface UpstreamCall {
  /** IDs of the requests that were sent for the call. */
  readonly ids: ReadonlySet<Id>;
  /** ID of the task that the server has created for the call. */
  readonly task: string | undefined;
  /** Sends an input request of the server to the caller. Undefined if the server may not request input. */
  readonly ask: RequestInput | undefined;
  /** Session of the caller, or the session in which its task was created. */
  readonly session?: ClientSession | undefined;
  /** True if the caller no longer waits for the result. */
  readonly cancelled: boolean;
  /** Tells if the caller wants log messages of this level. */
  acceptsLogLevel(level: LoggingLevel): boolean;
  /** Sends a log message of the server to the caller. */
  log(level: LoggingLevel, data: unknown, logger: string | undefined): void;
}

/** Origin of an input request from a server. */
type InputRequestOrigin = Pick<ServerRequestInfo, 'signal'> & {
  readonly relatedTo?: Id | undefined;
  readonly task?: string | undefined;
  readonly progress?: ServerRequestInfo['progress'] | undefined;
};

interface ActiveCall {
  readonly call: UpstreamCall;
  /** Input requests on behalf of the call that have no answer yet. */
  openInputRequests: Set<Promise<unknown>> | undefined;
}

/**
 * Active calls on one connection to an upstream server. Its input requests and log messages go to the callers.
 *
 * An input request of the server goes to the call that its stream or task identifies. Without such a call, it goes to
 * the most recent call whose caller supports input requests. All calls of a connection must be of one user, because a
 * server may not say to which call a request belongs.
 */
export class ActiveCalls {
  readonly #calls = new CompactMap<ActiveCall>();
  #lastKey = 0;
  readonly #session: ClientSession | undefined;
  readonly #peer: string | undefined;
  readonly #roots: ClientHandlers['roots'];

  /**
   * @param session Session of the callers. It gets input requests that belong to no call.
   * @param server Name of the server in errors.
   * @param roots Roots of the proxy itself, for requests without an active call. Without them, such a request fails.
   */
  constructor(session: ClientSession | undefined, server?: string, roots?: ClientHandlers['roots']) {
    this.#session = session;
    this.#peer = server;
    this.#roots = roots;
  }

  /** Number of active calls. */
  get size(): number {
    return this.#calls.size;
  }

  /** True if a call can send an input request to its caller. */
  get canAsk(): boolean {
    return this.#findNextCall(new Set()) !== undefined;
  }

  /** Runs a call. The call ends only after all input requests on its behalf have ended. */
  async run<T>(call: UpstreamCall, work: () => MaybePromise<T>): Promise<T> {
    this.#lastKey += 1;
    const key = this.#lastKey;
    const active: ActiveCall = { call, openInputRequests: undefined };
    this.#calls.set(key, active);
    try {
      return await work();
    } finally {
      while (active.openInputRequests && active.openInputRequests.size > 0)
        await Promise.allSettled(active.openInputRequests);
      this.#calls.delete(key);
    }
  }

  /**
   * Sends an input request of the server to a caller.
   *
   * @throws TenonError `host/no-active-call` if no caller can get it.
   */
  async ask(method: string, params: JsonObject, origin: InputRequestOrigin): Promise<JsonObject> {
    const tried = new Set<ActiveCall>();
    for (let active = this.#findCall(params, origin); active?.call.ask; active = this.#findNextCall(tried)) {
      tried.add(active);
      try {
        return await this.#askCaller(active, active.call.ask, method, params, origin);
      } catch (error) {
        // After a caller disconnects, its input request may belong to another call.
        if (origin.signal.aborted || !this.#hasEnded(active, error)) throw error;
      }
    }
    if (this.#session) return this.#session.requestInput(method, params, origin.signal, origin.progress);
    // Many servers request roots after the handshake. An empty list for unknown roots would keep them from asking again.
    if (method === 'roots/list' && this.#roots) return { roots: await readRoots({ roots: this.#roots }, this.#peer) };
    throw new TenonError('host/no-active-call', 'the server requested input without an active call', {
      peer: this.#peer,
      method,
      hint: 'change the server to request input only during a call',
    });
  }

  #askCaller(
    active: ActiveCall,
    ask: RequestInput,
    method: string,
    params: JsonObject,
    origin: InputRequestOrigin,
  ): Promise<JsonObject> {
    const asking = ask(method, params, origin.signal, origin.progress);
    active.openInputRequests ??= new Set();
    const { openInputRequests } = active;
    const settled = asking.catch(() => {}).finally(() => openInputRequests.delete(settled));
    openInputRequests.add(settled);
    return asking;
  }

  #hasEnded(active: ActiveCall, error: unknown): boolean {
    const isRunning = this.#listActive().includes(active);
    return active.call.cancelled || !isRunning || (TenonError.is(error) && error.code === 'task/over');
  }

  #listActive(): ActiveCall[] {
    return this.#calls.entries().map(([, active]) => active);
  }

  #findCall({ _meta }: JsonObject, { relatedTo, task: asking }: InputRequestOrigin): ActiveCall | undefined {
    const related = isObject(_meta) ? _meta[RELATED_TASK] : undefined;
    const taskId = asking ?? (isObject(related) ? related.taskId : undefined);
    const named = this.#listActive().find(
      ({ call: { ask, ids, task } }) =>
        ask !== undefined &&
        ((relatedTo !== undefined && ids.has(relatedTo)) || (taskId !== undefined && task === taskId)),
    );
    return named ?? this.#findNextCall(new Set());
  }

  /** Finds the most recent call that is not in `tried`, and whose caller still waits and supports input requests. */
  #findNextCall(tried: ReadonlySet<ActiveCall>): ActiveCall | undefined {
    return this.#listActive().findLast(
      active => active.call.ask !== undefined && !active.call.cancelled && !tried.has(active),
    );
  }

  /**
   * Sends a log message to the most recent call to which it may belong. If several sessions share the process and have
   * active calls, the message is dropped. Otherwise it could reveal data of another session.
   */
  log(level: LoggingLevel, data: unknown, logger: string | undefined): void {
    const calls = this.#listActive().map(({ call }) => call);
    if (calls.some(({ session }) => session !== calls[0]?.session)) return;
    const last = calls.findLast(call => call.acceptsLogLevel(level));
    if (last) last.log(level, data, logger);
    else if (this.#calls.size > 0) return;
    else this.#session?.notify('notifications/message', { level, data, ...(logger === undefined ? {} : { logger }) });
  }
}
