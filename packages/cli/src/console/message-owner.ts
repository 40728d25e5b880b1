import { AsyncLocalStorage } from 'node:async_hooks';
import { isObject, toJsonObject } from '@tenon/base';
import type { JsonRpcMessage } from 'tenon';
import { dropOldest } from './drop-oldest.js';
import type { WireLog } from './wire-log.js';

/** Maximum number of calls whose progress is known. The oldest are forgotten. */
const MAX_TOKENS = 10_000;

/** Id of a call on whose behalf code runs. */
const runningCall = new AsyncLocalStorage<number>();

/** Runs a call, so that the requests that the client sends for it are known to belong to it. */
export const runAsCall = <T>(call: number, run: () => Promise<T>): Promise<T> => runningCall.run(call, run);

/** Returns the call on whose behalf code runs. */
export const getRunningCall = (): number | undefined => runningCall.getStore();

/** Runs a function whose messages belong to no call, also if a call has led to it. */
export const runOutsideCalls = <T>(run: () => T): T => runningCall.exit(run);

type CallMembers = { readonly [K in 'id' | 'method' | 'params']?: unknown };

/** Finds the call to which each message of one connection belongs. */
export class MessageOwner {
  readonly #log: WireLog;
  readonly #connection: number;
  readonly #getRunning: () => readonly number[];
  readonly #tokens = new Map<string | number, number>();
  /** Requests of the server whose handlers have not run yet. */
  readonly #requests: { readonly id: unknown; readonly method: string; readonly call: number | undefined }[] = [];

  /** @param getRunning Returns the open calls of the connection. */
  constructor(log: WireLog, connection: number, getRunning: () => readonly number[]) {
    this.#log = log;
    this.#connection = connection;
    this.#getRunning = getRunning;
  }

  /** Number of requests of the server that have neither a handler nor a response yet. */
  get openRequests(): number {
    return this.#requests.length;
  }

  /** Returns the call of a message. A response belongs to the call of its request, which the log knows. */
  find(from: 'client' | 'server', message: JsonRpcMessage, relatedTo: unknown): number | undefined {
    const { id, method, params }: CallMembers = message;
    if (typeof method !== 'string') {
      if (from === 'client') this.#forgetRequest(id);
      return undefined;
    }
    return from === 'client' ? this.#findOfClient(id, params) : this.#findOfServer(method, id, params, relatedTo);
  }

  /** Returns the call for which the server requests input. Each handler calls it once, in the order of the requests. */
  takeRequest(method: string): number | undefined {
    const index = this.#requests.findIndex(each => each.method === method);
    const [request] = index < 0 ? [] : this.#requests.splice(index, 1);
    // In versions without requests of servers, the client runs the handler on behalf of the call.
    return request ? request.call : runningCall.getStore();
  }

  /** Removes a request that has its response. The client responds to some requests without a handler, such as pings. */
  #forgetRequest(id: unknown): void {
    const index = this.#requests.findIndex(each => each.id === id);
    if (index >= 0) this.#requests.splice(index, 1);
  }

  #findOfClient(id: unknown, params: unknown): number | undefined {
    if (id === undefined) return isObject(params) ? this.#log.findCall(this.#connection, params.requestId) : undefined;
    const call = runningCall.getStore();
    const meta = isObject(params) ? toJsonObject(params._meta) : {};
    const { progressToken: token } = meta;
    if (call !== undefined && (typeof token === 'string' || typeof token === 'number')) {
      this.#tokens.set(token, call);
      dropOldest(this.#tokens, MAX_TOKENS);
    }
    return call;
  }

  #findOfServer(method: string, id: unknown, params: unknown, relatedTo: unknown): number | undefined {
    const token = isObject(params) ? params.progressToken : undefined;
    const call =
      (typeof token === 'string' || typeof token === 'number' ? this.#tokens.get(token) : undefined) ??
      (relatedTo === undefined ? undefined : this.#log.findCall(this.#connection, relatedTo)) ??
      this.#findOnlyRunning();
    if (id !== undefined) this.#requests.push({ id, method, call });
    return call;
  }

  /** A process does not tell for which call it sends a message, so the message belongs to the only open one. */
  #findOnlyRunning(): number | undefined {
    const running = this.#getRunning();
    return running.length === 1 ? running[0] : undefined;
  }
}
