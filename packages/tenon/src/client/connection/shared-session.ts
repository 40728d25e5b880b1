import type { JsonObject } from '@tenon/base';
import type { Transport } from '../../jsonrpc/transport.js';
import type { Dialect } from '../../protocol/versions/dialect.js';
import { getDialect } from '../../protocol/versions/index.js';
import type { HttpTransport, TransportSession } from '../../transports/http/client/http-transport.js';
import type { ServerDetails } from './endpoint.js';

/** A session at a server, as several processes use it. */
export interface ServerSessionState {
  /** ID that the server has assigned. It is a secret. */
  readonly id: string;
  readonly protocolVersion: string;
  readonly server: ServerDetails;
}

/** Access to a session at a server that several processes use. */
export interface SharedServerSession {
  /** Prefix of the IDs of requests that this process sends in the session. */
  readonly requestIdPrefix: string;
  /** Returns the session that a process has opened. Returns `undefined` if there is none, or the server lost it. */
  find(): Promise<ServerSessionState | undefined>;
  /** Stores a session that this process has opened. Returns the session that all processes use, which may be another. */
  store(session: ServerSessionState): Promise<ServerSessionState>;
  /** Records that the server does not know a session any more. */
  markLost(id: string): void;
  /** True if other processes may continue the session after this one closes its connection. */
  isContinued(): boolean;
  /** Passes a notification of the server to the other processes, because the server sends each one once. */
  publish(method: string, params: JsonObject): void;
  /** Tells the other processes that notifications of the server may be lost. */
  publishMissed(): void;
  /** Adds a listener to what other processes published. Returns a function that removes it. */
  subscribe(listener: SharedSessionListener): () => void;
}

/** Gets what other processes received in a shared session. */
export interface SharedSessionListener {
  onReceived(method: string, params: JsonObject): void;
  /** Called when notifications may be lost. */
  onMissed(): void;
}

/** A session to continue, as the transport needs it. */
export type ContinuedSession = NonNullable<TransportSession['continued']>;

/**
 * Functions that connect a client to a session that several processes use. The client gets them as an option, so that
 * bundles of other clients do not contain them.
 */
export interface SessionSharing {
  createMembership(channel: Transport, continued?: ContinuedSession): SessionMembership;
  openConnection<C extends SharableConnection>(
    negotiate: () => Promise<C>,
    connect: (continued: ContinuedSession) => Promise<C>,
  ): Promise<C>;
}

/** A connection whose session other processes may use. */
export interface SharableConnection {
  readonly channel: Transport;
  readonly dialect: Dialect;
  server: ServerDetails;
  useDialect(dialect: Dialect): void;
  joinSession(id: string): void;
  listen(): void;
  completeOpening(): void;
  close(): Promise<void>;
}

export function createSessionSharing(shared: SharedServerSession): SessionSharing {
  return {
    createMembership: (channel, continued) => new SessionMembership(shared, channel, continued),
    openConnection: (negotiate, connect) => openInSharedSession(shared, negotiate, connect),
  };
}

const isSessionTransport = (channel: Transport): channel is HttpTransport => 'shareSession' in channel;

/** Notifications that are passed to the other processes. Progress is passed too, if another process sent the request. */
const SHARED_NOTIFICATION = /^notifications\/((tools|prompts|resources)\/list_changed|resources\/updated)$/;

/** The connection of this process to a session that other processes use. */
export class SessionMembership {
  readonly #shared: SharedServerSession;
  #unsubscribe: (() => void) | undefined;
  /** ID of the session. Undefined if this process is the only one that uses it. */
  id: string | undefined;

  constructor(shared: SharedServerSession, channel: Transport, continued?: ContinuedSession) {
    this.#shared = shared;
    if (!isSessionTransport(channel)) return;
    channel.shareSession({
      requestIdPrefix: shared.requestIdPrefix,
      continued,
      isContinued: () => this.id !== undefined && this.#shared.isContinued(),
    });
  }

  /** Begins to pass notifications between the processes. */
  join(id: string, listener: SharedSessionListener): void {
    this.id = id;
    this.#unsubscribe = this.#shared.subscribe(listener);
  }

  publish(method: string, params: JsonObject): void {
    const { requestIdPrefix } = this.#shared;
    const isOfOther = method === 'notifications/progress' && !String(params.progressToken).startsWith(requestIdPrefix);
    if (this.id !== undefined && (isOfOther || SHARED_NOTIFICATION.test(method))) this.#shared.publish(method, params);
  }

  publishMissed(): void {
    if (this.id !== undefined) this.#shared.publishMissed();
  }

  markLost(): void {
    if (this.id !== undefined) this.#shared.markLost(this.id);
    this.detach();
  }

  detach(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }
}

/**
 * Opens a connection in the session that other processes use, or opens a session for them. If two processes open one at
 * the same time, both use the one that was stored first, and nothing was sent in the other.
 */
async function openInSharedSession<C extends SharableConnection>(
  shared: SharedServerSession,
  negotiate: () => Promise<C>,
  connect: (continued: ContinuedSession) => Promise<C>,
): Promise<C> {
  const resume = async (session: ServerSessionState, dialect: Dialect) => {
    const { id, protocolVersion } = session;
    const connection = await connect({ id, versionHeader: dialect.http.versionHeader ? protocolVersion : undefined });
    connection.useDialect(dialect);
    connection.server = session.server;
    connection.joinSession(id);
    connection.completeOpening();
    connection.listen();
    return connection;
  };
  const known = await shared.find();
  const knownDialect = known && getDialect(known.protocolVersion);
  if (known && knownDialect) return resume(known, knownDialect);
  const connection = await negotiate();
  const { channel, dialect, server } = connection;
  const id = isSessionTransport(channel) ? channel.sessionId : undefined;
  if (id === undefined) return connection;
  const agreed = await shared.store({ id, protocolVersion: dialect.protocolVersion, server });
  const agreedDialect = getDialect(agreed.protocolVersion);
  if (agreed.id === id || agreedDialect === undefined) {
    connection.joinSession(id);
    return connection;
  }
  await connection.close();
  return resume(agreed, agreedDialect);
}
