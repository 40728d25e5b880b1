import { type Clock, catchMaybe, type Stores, systemClock } from '@tenon/base';
import type { JsonRpcNotification, JsonRpcRequest, JsonRpcResponse } from '../../../jsonrpc/message.js';
import type { Transport } from '../../../jsonrpc/transport.js';
import { requireConnectArguments } from '../../../protocol/check-request-handler.js';
import { LISTS, type ListName } from '../../../protocol/lists.js';
import type { ConnectOptions, RequestIO, ServerSession } from '../../../protocol/request-handler.js';
import { memoryStores } from '../../../stores/memory-stores.js';
import { ForwardedSession, toSentContext } from './forwarded-session.js';
import type { MessageFromServer } from './messages.js';
import { LISTEN, OpenRequests } from './open-requests.js';
import { type ForkedProcess, ServingProcess } from './serving-process.js';

/** Default time that requests have to finish in a process that was replaced, in milliseconds. */
const DRAIN_TIMEOUT = 60_000;
const ENDED = 'The process of the server ended before it responded';

/** Options of `createReplaceableServer`. */
export interface ReplaceableServerOptions {
  /**
   * Maximum time that open requests have to finish in a process that was replaced, in milliseconds. The process is
   * stopped after it, and the requests fail.
   * @default 60,000
   */
  readonly drainTimeout?: number | undefined;
  /**
   * Source of time.
   * @default the clock of the system
   */
  readonly clock?: Clock | undefined;
}

/** A process that can serve the clients of a `ReplaceableServer`. */
export interface AttachedProcess {
  /**
   * Waits until the process has called `serveParent`, and uses it for all clients. The process before it completes its
   * open requests and is stopped. Clients are notified of the lists that differ, which the result contains.
   * @throws TenonError `serve/process-ended` when the process ends before it serves.
   */
  activate(): Promise<readonly ListName[]>;
  /** Stops the process, if it still runs. */
  stop(): Promise<void>;
}

/** The clients of a replaceable server, and its processes. */
export class ServerForwarder {
  readonly #clock: Clock;
  readonly #drainTimeout: number;
  readonly #stores: Stores;
  readonly #sessions = new Map<number, ForwardedSession>();
  readonly #processes = new Set<ServingProcess>();
  /** Stateless requests. */
  readonly #requests: OpenRequests<number>;
  readonly #outputs = new Map<number, { readonly io: RequestIO; respond(response: JsonRpcResponse): void }>();
  #lastId = 0;
  /** The process for requests, or the reason why there is none. Undefined while a process starts. */
  #target: ServingProcess | string | undefined;

  constructor({ drainTimeout = DRAIN_TIMEOUT, clock = systemClock }: ReplaceableServerOptions) {
    this.#clock = clock;
    this.#drainTimeout = drainTimeout;
    this.#stores = memoryStores({ clock });
    this.#requests = new OpenRequests<number>({
      send: (id, { request, context }, process) => {
        const ephemeral = this.#outputs.get(id)?.io.ephemeral === true;
        process.send({ server: 'request', id, request, context, ephemeral });
      },
      withdraw: (id, process) => process.send({ server: 'client-closed', id }),
      fail: (id, failure) => this.#respond(id, failure),
    });
  }

  get refusal(): string | undefined {
    return typeof this.#target === 'string' ? this.#target : undefined;
  }

  attach(forked: ForkedProcess): AttachedProcess {
    this.#lastId += 1;
    const process = new ServingProcess(this.#lastId, forked, this.#stores, this.#clock);
    this.#processes.add(process);
    process.onMessage(message => this.#receive(process, message));
    void process.exited.then(() => this.#handleExit(process));
    const ready = process.waitUntilReady();
    // `activate` reports it.
    ready.catch(() => {});
    return {
      activate: async () => {
        await ready;
        return this.#activate(process);
      },
      stop: () => process.stop(),
    };
  }

  async connect(transport: Transport, options: ConnectOptions = {}): Promise<ServerSession> {
    requireConnectArguments(transport, options);
    this.#lastId += 1;
    const session = new ForwardedSession(this.#lastId, transport, options, this);
    this.#sessions.set(session.id, session);
    await transport.open(session);
    if (this.#target instanceof ServingProcess) session.moveTo(this.#target);
    return session;
  }

  removeSession({ id }: ForwardedSession): void {
    this.#sessions.delete(id);
  }

  answer(request: JsonRpcRequest, io: RequestIO): Promise<JsonRpcResponse> {
    this.#lastId += 1;
    const id = this.#lastId;
    io.onClientClosed(() => {
      this.#outputs.delete(id);
      this.#requests.drop(id)?.send({ server: 'client-closed', id });
    });
    io.onShutdown?.(() => this.#requests.getProcess(id)?.send({ server: 'shutdown', id }));
    return new Promise(respond => {
      this.#outputs.set(id, { io, respond });
      this.#requests.add(id, request, toSentContext(io), this.#target);
    });
  }

  refuse(reason: string): void {
    if (this.#target instanceof ServingProcess) return;
    this.#target = reason;
    for (const session of this.#sessions.values()) session.refuseWaiting(reason);
    this.#requests.refuseWaiting(reason);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#processes].map(process => process.stop()));
    await this.#stores.close();
  }

  async #activate(process: ServingProcess): Promise<readonly ListName[]> {
    const changed = await this.#findChangedLists(process);
    const former = this.#target;
    const uris = this.#listSubscribedUris();
    this.#target = process;
    for (const session of this.#sessions.values()) session.moveTo(process);
    this.#requests.moveTo(process);
    if (process.hasExited) this.#handleExit(process);
    else process.send({ server: 'notify-changes', lists: changed, uris });
    if (former instanceof ServingProcess) void former.retire(this.#drainTimeout);
    return changed;
  }

  /** Compares the lists of a process with those of the current one, if there are clients that may know them. */
  async #findChangedLists(process: ServingProcess): Promise<readonly ListName[]> {
    const former = this.#target;
    if (this.#sessions.size === 0 && !this.#requests.hasMethod(LISTEN)) return [];
    const [before, after] = await Promise.all([
      former instanceof ServingProcess ? former.readLists() : undefined,
      process.readLists(),
    ]);
    return LISTS.filter(list => before === undefined || after === undefined || before[list] !== after[list]);
  }

  #listSubscribedUris(): string[] {
    const ofSessions = [...this.#sessions.values()].flatMap(({ subscribedUris }) => subscribedUris);
    return [...new Set([...ofSessions, ...this.#requests.listenedUris])];
  }

  #receive(process: ServingProcess, message: MessageFromServer): void {
    if ('session' in message) this.#sessions.get(message.session)?.receive(process, message);
    else if (message.server === 'notify') this.#notify(process, message.id, JSON.parse(message.text));
    else if (message.server === 'respond' && this.#requests.complete(message.id, process))
      this.#respond(message.id, JSON.parse(message.text));
  }

  #notify(process: ServingProcess, id: number, message: JsonRpcNotification): void {
    if (!this.#requests.accepts(id, process, message.method)) return;
    // A notification that cannot be delivered must not end this process. The response follows.
    void catchMaybe(
      () => this.#outputs.get(id)?.io.send(message),
      () => {},
    );
  }

  #respond(id: number, response: JsonRpcResponse): void {
    this.#outputs.get(id)?.respond(response);
    this.#outputs.delete(id);
  }

  #handleExit(process: ServingProcess): void {
    this.#processes.delete(process);
    if (this.#target === process) this.#target = undefined;
    for (const session of this.#sessions.values()) session.handleExit(process, ENDED);
    this.#requests.handleExit(process, ENDED);
  }
}
