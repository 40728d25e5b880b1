import { createUnknownOutcomeObject, type ErrorObject, INTERNAL_ERROR, isObject } from '@tenon/base';
import { createFailure, type Id, type JsonRpcFailure, type JsonRpcRequest } from '../../../jsonrpc/message.js';
import type { SentContext } from './messages.js';
import type { ServingProcess } from './serving-process.js';

export const LISTEN = 'subscriptions/listen';
/** Methods of requests that may be sent to another process again, because they have no effect of their own. */
const REPEATABLE: ReadonlySet<string> = new Set([LISTEN, 'initialize']);

/** A request of a client that has no response yet. */
export interface OpenRequest {
  readonly request: JsonRpcRequest;
  readonly context: SentContext;
  /** Process that handles the request. Undefined while the request waits for a process. */
  process: ServingProcess | undefined;
  /** True once the client has the acknowledgement of `subscriptions/listen`. */
  isAcknowledged: boolean;
}

/** Outlet of open requests. */
interface RequestOutlet<K> {
  /** Sends a request to its process. */
  send(key: K, request: OpenRequest, process: ServingProcess): void;
  /** Tells a process that another one handles the request now. */
  withdraw(key: K, process: ServingProcess): void;
  /** Responds to a request that no process will handle. */
  fail(key: K, failure: JsonRpcFailure): void;
}

/** Open requests, each with the process that handles it. */
export class OpenRequests<K extends Id> {
  readonly #requests = new Map<K, OpenRequest>();
  readonly #outlet: RequestOutlet<K>;

  constructor(outlet: RequestOutlet<K>) {
    this.#outlet = outlet;
  }

  /** Number of requests without a response. Open subscriptions do not count, because they have no end of their own. */
  get size(): number {
    let count = 0;
    for (const { request } of this.#requests.values()) if (request.method !== LISTEN) count += 1;
    return count;
  }

  /** URIs of the resources that open `subscriptions/listen` requests name. */
  get listenedUris(): string[] {
    return [...this.#requests.values()].flatMap(({ request: { method, params } }) => {
      const filter = method === LISTEN ? params?.notifications : undefined;
      const uris = isObject(filter) ? filter.resourceSubscriptions : undefined;
      return Array.isArray(uris) ? uris.filter(uri => typeof uri === 'string') : [];
    });
  }

  hasMethod(method: string): boolean {
    return [...this.#requests.values()].some(({ request }) => request.method === method);
  }

  /** Adds a request and sends it. Without a process it waits, or fails if there is a refusal. */
  add(key: K, request: JsonRpcRequest, context: SentContext, target: ServingProcess | string | undefined): void {
    const entry: OpenRequest = { request, context, process: undefined, isAcknowledged: false };
    this.#requests.set(key, entry);
    if (typeof target === 'string') this.#fail(key, entry, { code: INTERNAL_ERROR, message: target });
    else if (target) this.#send(key, entry, target);
  }

  /** Adds a request that was sent to this process. */
  track(key: K, request: JsonRpcRequest, process: ServingProcess): void {
    this.#requests.set(key, { request, context: {}, process, isAcknowledged: false });
    process.hold();
  }

  /** Sends to this process the requests that wait, and those that can be repeated. */
  moveTo(process: ServingProcess): void {
    for (const [key, entry] of this.#requests) {
      const former = entry.process;
      if (former !== undefined && !REPEATABLE.has(entry.request.method)) continue;
      if (former) {
        former.release();
        this.#outlet.withdraw(key, former);
      }
      this.#send(key, entry, process);
    }
  }

  /** Fails the requests that this process handled. Those that can be repeated wait for another process. */
  handleExit(process: ServingProcess, reason: string): void {
    for (const [key, entry] of this.#requests) {
      if (entry.process !== process) continue;
      if (REPEATABLE.has(entry.request.method)) entry.process = undefined;
      else this.#fail(key, entry, createUnknownOutcomeObject(reason));
    }
  }

  /** Fails the requests that wait for a process, except subscriptions. */
  refuseWaiting(reason: string): void {
    for (const [key, entry] of this.#requests)
      if (entry.process === undefined && entry.request.method !== LISTEN)
        this.#fail(key, entry, { code: INTERNAL_ERROR, message: reason });
  }

  has(key: K): boolean {
    return this.#requests.has(key);
  }

  /** Returns the process that handles a request. */
  getProcess(key: K): ServingProcess | undefined {
    return this.#requests.get(key)?.process;
  }

  /** Ends a request. Returns false if this process does not handle it. */
  complete(key: K, process: ServingProcess): boolean {
    if (this.getProcess(key) !== process) return false;
    this.#requests.delete(key);
    process.release();
    return true;
  }

  /** Ends a request whose response the client no longer needs. Returns the process that handles it. */
  drop(key: K): ServingProcess | undefined {
    const process = this.getProcess(key);
    this.#requests.delete(key);
    process?.release();
    return process;
  }

  /** Ends all requests. */
  clear(): void {
    for (const key of [...this.#requests.keys()]) this.drop(key);
  }

  /**
   * Tells if a notification of a process belongs to a request that it handles, and the client does not have it yet. A
   * repeated subscription is acknowledged again.
   */
  accepts(key: K, process: ServingProcess, method: string): boolean {
    const entry = this.#requests.get(key);
    if (entry?.process !== process) return false;
    if (method !== 'notifications/subscriptions/acknowledged') return true;
    const isFirst = !entry.isAcknowledged;
    entry.isAcknowledged = true;
    return isFirst;
  }

  #send(key: K, entry: OpenRequest, process: ServingProcess): void {
    entry.process = process;
    process.hold();
    this.#outlet.send(key, entry, process);
  }

  #fail(key: K, { request }: OpenRequest, error: ErrorObject): void {
    this.#requests.delete(key);
    this.#outlet.fail(key, createFailure(request.id, error));
  }
}
