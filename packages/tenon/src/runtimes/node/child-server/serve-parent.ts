import { computeFingerprint, TenonError } from '@tenon/base';
import { toErrorObject } from '../../../jsonrpc/error-response.js';
import { createFailure, type JsonRpcRequest, serializeMessage } from '../../../jsonrpc/message.js';
import { requireRequestHandler } from '../../../protocol/check-request-handler.js';
import type {
  CheckHeaders,
  RequestHandler,
  RequestIO,
  ServerSession,
  SessionChange,
  SessionState,
} from '../../../protocol/request-handler.js';
import type { Server } from '../../../server/server.js';
import { checkHeaderParams } from '../../../transports/http/server/check-header-params.js';
import { connect } from '../connect.js';
import { createProcessChannel, type MessagingProcess } from '../workers/messages.js';
import type { ChannelToParent, ListFingerprints, MessageToServer, SentContext } from './messages.js';
import { ParentTransport, type SessionMessage, toMessageContext } from './parent-transport.js';

/** A server. One that was written without `createServer` may lack the members of `Server`. */
export type AnyServer = RequestHandler & {
  readonly [K in 'tools' | 'prompts' | 'resources' | 'notifyResourceUpdated' | 'close']?: Server[K] | undefined;
};

type Message<K extends MessageToServer['server']> = Extract<MessageToServer, { readonly server: K }>;

/**
 * Serves the clients of the parent process, which has a `ReplaceableServer`. Call it in a process that was started with
 * an IPC channel. Resolves when the parent process needs the server no longer. The process should then exit.
 * @throws TenonError `serve/no-parent` when the process has no channel to a parent process.
 */
export function serveParent(server: AnyServer): Promise<void> {
  return serveProcess(server, process as MessagingProcess);
}

/** Serves the clients of another process. */
export async function serveProcess(server: AnyServer, parent: MessagingProcess): Promise<void> {
  requireRequestHandler(server);
  if (!parent.connected)
    throw new TenonError('serve/no-parent', 'this process has no channel to a parent process', {
      hint: 'start it with `fork` of node:child_process',
    });
  await new ParentConnection(server, createProcessChannel(parent, 'server')).serve();
  server.close?.();
}

/** The clients of the parent process. */
class ParentConnection {
  readonly #server: AnyServer;
  readonly #channel: ChannelToParent;
  readonly #sessions = new Map<number, ParentSession>();
  readonly #requests = new Map<number, ParentRequest>();

  constructor(server: AnyServer, channel: ChannelToParent) {
    this.#server = server;
    this.#channel = channel;
  }

  /** Resolves when the parent process says that the server must stop. */
  serve(): Promise<void> {
    return new Promise(resolve => {
      this.#channel.onMessage(message => (message.server === 'stop' ? resolve() : this.#handle(message)));
      this.#channel.send({ server: 'ready' });
    });
  }

  #handle(message: Exclude<MessageToServer, Message<'stop'>>): void {
    if (message.server === 'open') this.#openSession(message);
    else if ('session' in message) this.#deliver(message);
    else if (message.server === 'request') void this.#answer(message);
    else if (message.server === 'client-closed') this.#requests.get(message.id)?.closeClient();
    else if (message.server === 'shutdown') this.#requests.get(message.id)?.shutDown();
    else if (message.server === 'read-lists') void this.#sendLists();
    else this.#notifyChanges(message);
  }

  #openSession({ session: id, transport, auth, address, state }: Message<'open'>): void {
    const session = new ParentSession(new ParentTransport(this.#channel, id, transport));
    this.#sessions.set(id, session);
    let current = state;
    const onStateChange = (change: SessionChange) => {
      // The first change creates the state, and does not read it.
      current = change(current as SessionState);
      this.#channel.send({ server: 'state', session: id, state: current });
    };
    this.#server.connect(session.transport, { auth, address, state, onStateChange }).then(
      serverSession => {
        if (state) serverSession.applyState?.(state, true);
        session.start(serverSession);
      },
      () => session.transport.close(),
    );
  }

  #deliver(message: SessionMessage): void {
    this.#sessions.get(message.session)?.receive(message);
    if (message.server === 'closed') this.#sessions.delete(message.session);
  }

  async #answer({ id, request, context, ephemeral }: Message<'request'>): Promise<void> {
    const io = new ParentRequest(this.#channel, id, context, ephemeral);
    this.#requests.set(id, io);
    const response = await this.#respond(request, context.headers?.['mcp-protocol-version'], io);
    this.#requests.delete(id);
    let text: string;
    try {
      text = serializeMessage(response);
    } catch (error) {
      // A result without a JSON form becomes an internal error.
      text = serializeMessage(createFailure(response.id, toErrorObject(error)));
    }
    this.#channel.send({ server: 'respond', id, text });
  }

  #respond(request: JsonRpcRequest, version: string | undefined, io: RequestIO) {
    const route = this.#server.classifyRequest(request, version?.trim());
    if (route.opening === 'per-request') return this.#server.answer(request, route, io);
    const error = route.opening === 'refused' ? route.error : toErrorObject(undefined);
    return createFailure(request.id, error);
  }

  async #sendLists(): Promise<void> {
    const lists = await readLists(this.#server).catch(() => undefined);
    this.#channel.send({ server: 'lists', lists });
  }

  #notifyChanges({ lists, uris }: Message<'notify-changes'>): void {
    for (const list of lists) this.#server[list]?.notifyChanged();
    for (const uri of uris) this.#server.notifyResourceUpdated?.(uri);
  }
}

/** A session of the server. Messages wait until the server has connected. */
class ParentSession {
  readonly transport: ParentTransport;
  serverSession: ServerSession | undefined;
  #waiting: SessionMessage[] = [];

  constructor(transport: ParentTransport) {
    this.transport = transport;
  }

  start(serverSession: ServerSession): void {
    this.serverSession = serverSession;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const message of waiting) this.receive(message);
  }

  receive(message: SessionMessage): void {
    if (this.serverSession === undefined) this.#waiting.push(message);
    else if (message.server === 'end') this.serverSession.end();
    else if (message.server === 'end-listening') this.serverSession.endListening?.();
    else this.transport.receive(message);
  }
}

/** Input and output of a stateless request. */
class ParentRequest implements RequestIO {
  readonly auth: RequestIO['auth'];
  readonly address: string | undefined;
  readonly ephemeral: boolean;
  readonly request: RequestIO['request'];
  readonly #channel: ChannelToParent;
  readonly #id: number;
  #onClientClosed: (() => void)[] = [];
  #onShutdown: (() => void)[] = [];

  constructor(channel: ChannelToParent, id: number, context: SentContext, ephemeral: boolean) {
    const { auth, address, request } = toMessageContext(context);
    this.#channel = channel;
    this.#id = id;
    this.auth = auth;
    this.address = address;
    this.ephemeral = ephemeral;
    this.request = request;
  }

  checkHeaders(...[headerParams, args]: Parameters<CheckHeaders>): void {
    if (this.request) checkHeaderParams(headerParams, args, this.request);
  }

  send(notification: Parameters<RequestIO['send']>[0]): void {
    this.#channel.send({ server: 'notify', id: this.#id, text: serializeMessage(notification) });
  }

  onClientClosed(listener: () => void): void {
    this.#onClientClosed.push(listener);
  }

  onShutdown(listener: () => void): void {
    this.#onShutdown.push(listener);
  }

  closeClient(): void {
    for (const listener of this.#onClientClosed) listener();
  }

  shutDown(): void {
    for (const listener of this.#onShutdown) listener();
  }
}

/** Reads the lists of a server as a client without authorization does. */
async function readLists(server: AnyServer): Promise<ListFingerprints> {
  const client = await connect(server);
  try {
    const { capabilities } = client.server;
    const [tools, prompts, resources, templates] = await Promise.all([
      capabilities.tools ? collectItems(client.listTools()) : [],
      capabilities.prompts ? collectItems(client.listPrompts()) : [],
      capabilities.resources ? collectItems(client.listResources()) : [],
      capabilities.resources ? collectItems(client.listResourceTemplates()) : [],
    ]);
    return {
      tools: computeListFingerprint(server.tools, tools),
      prompts: computeListFingerprint(server.prompts, prompts),
      resources: computeListFingerprint(server.resources, [...resources, ...templates]),
    };
  } finally {
    await client.close();
  }
}

/** Computes the fingerprint of a list. A list that depends on the caller counts as different each time. */
function computeListFingerprint(
  registry: { readonly isShared: boolean } | undefined,
  items: readonly unknown[],
): string {
  return registry?.isShared === false ? crypto.randomUUID() : computeFingerprint(items);
}

/** Collects a list. One that fails counts as a list with its error, so that it does not hide changes of the others. */
async function collectItems(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const collected: unknown[] = [];
  try {
    for await (const item of items) collected.push(item);
    return collected;
  } catch (error) {
    return [String(error)];
  }
}
