import { type AuthInfo, isSameOwner, TenonError } from '@tenon/base';
import type { SharedStores } from '../../../../protocol/request-handler.js';
import { retryStoreFaults } from '../../../../stores/fault-retry.js';
import type { HttpServerContext } from '../context.js';
import type { HttpSession } from '../sessions/session.js';
import { endOrphanedStream } from './orphaned-stream.js';
import { type ForwardedMessage, ServerReplica } from './server-replica.js';
import { SessionRecords, type StoredRecord, toLogPrefix } from './session-record.js';
import { StoredSession, type StoredSessionContext } from './stored-session.js';

/** Session IDs are random UUIDs. Other IDs are not looked up. */
const SESSION_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Creates a session in this process. Returns `undefined` if a limit is reached. */
export type CreateSession = (
  id: string,
  auth: AuthInfo | undefined,
  address: string | undefined,
) => HttpSession | undefined;

/** The sessions of an endpoint with a store, so that each process of the server can handle all of them. */
export class StoredSessions {
  readonly replica: ServerReplica;
  readonly #context: HttpServerContext;
  readonly #sessionContext: StoredSessionContext;
  readonly #sessions: ReadonlyMap<string, HttpSession>;
  readonly #create: CreateSession;
  readonly #attached = new WeakMap<HttpSession, StoredSession>();
  readonly #attaching = new Map<string, Promise<HttpSession>>();

  constructor(
    context: HttpServerContext,
    stores: SharedStores,
    sessions: ReadonlyMap<string, HttpSession>,
    create: CreateSession,
  ) {
    this.#context = context;
    this.#sessions = sessions;
    this.#create = create;
    this.replica = new ServerReplica(stores, context.clock, {
      onMessage: forwarded => this.#receive(forwarded),
      onSessionChange: id => void this.#refresh(id).catch(context.report),
      onStreamResumed: (id, stream) => void this.#releaseStream(id, stream).catch(context.report),
      report: context.report,
    });
    const records = new SessionRecords(stores, context.limits.sessionIdleTimeout);
    this.#sessionContext = { stores, records, replica: this.replica };
  }

  /** Connects a new session to the store. */
  attach(session: HttpSession, stored?: StoredRecord): StoredSession {
    const attached = new StoredSession(this.#sessionContext, session, stored);
    this.#attached.set(session, attached);
    session.shared = attached;
    return attached;
  }

  /**
   * Finds a session by its ID, for the user and OAuth client that opened it. Each request reads the session from the
   * store. With `waitsForStore`, a fault of the store is waited out for some time.
   */
  find(
    id: string,
    auth: AuthInfo | undefined,
    address: string | undefined,
    waitsForStore = false,
  ): Promise<HttpSession | undefined> {
    const attempt = () => this.#find(id, auth, address);
    if (!waitsForStore) return attempt();
    const { clock, report } = this.#context;
    return retryStoreFaults(attempt, { clock, onFault: report });
  }

  async #find(id: string, auth: AuthInfo | undefined, address: string | undefined): Promise<HttpSession | undefined> {
    if (!SESSION_ID.test(id)) return undefined;
    const stored = await this.#sessionContext.records.get(id);
    if (stored === undefined) {
      this.#findAttached(id)?.endDeleted();
      return undefined;
    }
    if (!isSameOwner(stored.value.owner, auth)) return undefined;
    const session = this.#sessions.get(id) ?? (await this.#restore(id, stored, auth, address));
    if (session.dialect === undefined) return undefined;
    const attached = this.#attached.get(session);
    attached?.adopt(stored);
    attached?.extendTime();
    session.lastActiveAt = this.#context.clock.elapsed();
    return session;
  }

  close(): Promise<void> {
    return this.replica.close();
  }

  /** Continues a session that another process opened. */
  #restore(
    id: string,
    stored: StoredRecord,
    auth: AuthInfo | undefined,
    address: string | undefined,
  ): Promise<HttpSession> {
    const known = this.#attaching.get(id);
    if (known !== undefined) return known;
    const restoring = this.#connect(id, stored, auth, address).finally(() => this.#attaching.delete(id));
    this.#attaching.set(id, restoring);
    return restoring;
  }

  async #connect(
    id: string,
    stored: StoredRecord,
    auth: AuthInfo | undefined,
    address: string | undefined,
  ): Promise<HttpSession> {
    await this.replica.join();
    const session = this.#create(id, auth, address);
    if (session === undefined)
      throw new TenonError('serve/busy', 'too many open sessions', {
        hint: 'raise `limits.maxSessions`, or add processes',
      });
    const attached = this.attach(session, stored);
    const { state } = stored.value;
    try {
      session.serverSession = await this.#context.handler.connect(session, {
        auth,
        address,
        state,
        onStateChange: change => attached.onStateChange(change),
      });
      attached.apply();
    } catch (error) {
      session.end();
      throw error;
    }
    return session;
  }

  /** Reads a session again after another process has changed it. */
  async #refresh(id: string): Promise<void> {
    const attached = this.#findAttached(id);
    if (attached === undefined) return;
    const stored = await this.#sessionContext.records.get(id);
    if (stored === undefined) attached.endDeleted();
    else attached.adopt(stored);
  }

  /** Closes the connection of a stream that another process continues, and ends a stream that nobody writes. */
  async #releaseStream(id: string, stream: string): Promise<void> {
    if (this.#findAttached(id)?.endAnswerConnection(stream)) return;
    const { stores } = this.#sessionContext;
    await endOrphanedStream(stores, this.replica, {
      prefix: toLogPrefix(stores, id, stream),
      ttl: this.#context.limits.sessionIdleTimeout,
      isWriting: () => false,
    });
  }

  #receive({ session, message, auth }: ForwardedMessage): void {
    this.#sessions.get(session)?.receiver?.onMessage(message, auth === undefined ? undefined : { auth });
  }

  #findAttached(id: string): StoredSession | undefined {
    const session = this.#sessions.get(id);
    return session && this.#attached.get(session);
  }
}
