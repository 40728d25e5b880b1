import { type AuthInfo, CompactMap, getCallerKey, isSameOwner, type MaybePromise, SharedLimit } from '@tenon/base';
import type { SharedStores } from '../../../../protocol/request-handler.js';
import type { HttpServerContext } from '../context.js';
import type { CreateSession, StoredSessions } from '../stored-sessions/stored-sessions.js';
import { HttpSession, type HttpSessionOwner } from './session.js';

/** The sessions of an endpoint. */
export interface HttpSessionRegistry {
  /** Keeps sessions in stores. Loads the code for that, because most servers have their sessions in memory. */
  connectStores(stores: SharedStores): Promise<void>;
  /** Creates a session, or returns `undefined` when a limit is reached. */
  create(auth: AuthInfo | undefined, address: string | undefined): HttpSession | undefined;
  /** Creates a session for one POST. It has no ID and ends with the responses. */
  createForPost(auth: AuthInfo | undefined, address: string | undefined): HttpSession;
  /**
   * Finds a session by its ID, for the user and OAuth client that opened it. Returns a promise if sessions are in a
   * store. The promise rejects when the store does not respond: immediately, or after some time with `waitsForStore`.
   */
  find(
    id: string,
    auth: AuthInfo | undefined,
    address: string | undefined,
    waitsForStore?: boolean,
  ): HttpSession | undefined | Promise<HttpSession | undefined>;
  /** Returns the key of the caller whose limits a session uses. */
  getCaller(id: string): string;
  readonly count: number;
  /** Ends the streams without pending responses. */
  stopListening(): void;
  endAll(): MaybePromise<void>;
}

const SWEEP_INTERVAL = 60_000;
/** Minimum time between two scans if the first one found nothing, in milliseconds. */
const RESCAN_DELAY = 1000;

export function createSessionRegistry(context: HttpServerContext): HttpSessionRegistry {
  const { limits, clock } = context;
  const sessions = new Map<string, HttpSession>();
  /** Sessions that end with their POST, by a number. */
  const posts = new CompactMap<HttpSession>();
  let lastPost = 0;
  const open = new SharedLimit(limits.maxSessions, limits.maxShare);
  const idleFinder = new IdleSessionFinder(sessions, limits.minIdleBeforeEviction);
  /** Idle session finders of callers that have reached their share. */
  const idleFindersByCaller = new Map<string, IdleSessionFinder>();
  let sweepDueAt = Number.NEGATIVE_INFINITY;

  const owner: HttpSessionOwner = {
    onEnd(session) {
      sessions.delete(session.id);
      open.release(session.caller);
    },
    onUnresponsive({ caller }) {
      idleFinder.clear();
      idleFindersByCaller.get(caller)?.clear();
    },
  };
  const sweep = (): void => {
    sweepDueAt = Number.NEGATIVE_INFINITY;
    idleFinder.clear();
    idleFindersByCaller.clear();
    const since = clock.elapsed() - limits.sessionIdleTimeout;
    for (const session of sessions.values()) {
      session.dismissOrphanedPosts();
      if (session.lastActiveAt <= since && !session.isBusy) void session.end();
      else if (session.isBusy) session.shared?.extendTime();
    }
    scheduleSweep();
  };
  const scheduleSweep = (): void => {
    // On Workers a timer ends together with the request that set it. An overdue timer is therefore set again.
    if (clock.elapsed() <= sweepDueAt || sessions.size === 0) return;
    const delay = Math.min(SWEEP_INTERVAL, limits.sessionIdleTimeout);
    sweepDueAt = clock.elapsed() + delay;
    clock.after(delay, sweep);
  };
  /** Ends idle sessions. For a caller that exceeds its share, only its own sessions are ended. */
  const evictIdle = (caller: string): void => {
    let finder = idleFinder;
    if (!open.isWithinShare(caller)) {
      finder = idleFindersByCaller.get(caller) ?? new IdleSessionFinder(sessions, limits.minIdleBeforeEviction, caller);
      idleFindersByCaller.set(caller, finder);
    }
    void finder.findNext(clock.elapsed())?.end();
  };

  const createSession: CreateSession = (id, auth, address) => {
    const caller = getCallerKey(auth, address);
    if (!open.canTake(caller)) evictIdle(caller);
    if (!open.take(caller)) return undefined;
    const session = new HttpSession(id, context, auth, caller, owner);
    sessions.set(session.id, session);
    scheduleSweep();
    return session;
  };
  let storedSessions: StoredSessions | undefined;

  return {
    async connectStores(stores) {
      const { StoredSessions } = await import('../stored-sessions/stored-sessions.js');
      storedSessions ??= new StoredSessions(context, stores, sessions, createSession);
    },
    create(auth, address) {
      const session = createSession(crypto.randomUUID(), auth, address);
      if (session !== undefined) storedSessions?.attach(session);
      return session;
    },
    createForPost(auth, address) {
      lastPost += 1;
      const post = lastPost;
      const postOwner: HttpSessionOwner = { onEnd: () => posts.delete(post), onUnresponsive: () => {} };
      const session = new HttpSession('', context, auth, getCallerKey(auth, address), postOwner, false);
      posts.set(post, session);
      return session;
    },
    find(id, auth, address, waitsForStore) {
      if (storedSessions !== undefined) return storedSessions.find(id, auth, address, waitsForStore);
      const session = sessions.get(id);
      // A session ID does not prove the identity of the caller. Another caller must not detect that the session exists.
      if (session === undefined || !isSameOwner(session.auth, auth)) return undefined;
      session.lastActiveAt = clock.elapsed();
      session.isUnresponsive = false;
      return session;
    },
    getCaller: id => sessions.get(id)?.caller ?? '',
    get count() {
      return sessions.size;
    },
    stopListening() {
      for (const session of sessions.values()) session.stopListening();
    },
    endAll() {
      const all = [...sessions.values(), ...posts.entries().map(([, session]) => session)];
      const ended = all.map(session => session.end());
      const stored = storedSessions;
      if (stored !== undefined) return Promise.all(ended).then(() => stored.close());
    },
  };
}

/**
 * Finds sessions that may be ended for new ones: first those whose client did not answer a ping, then those with the
 * longest idle time. One scan finds several candidates.
 */
class IdleSessionFinder {
  readonly #sessions: ReadonlyMap<string, HttpSession>;
  readonly #minIdle: number;
  readonly #caller: string | undefined;
  /** Sessions that were idle during the last scan, the one with the longest idle time last. */
  #candidates: HttpSession[] = [];
  #idleSince = Number.NEGATIVE_INFINITY;
  #notBefore = Number.NEGATIVE_INFINITY;

  /** With `caller`, only the sessions of that caller are scanned. */
  constructor(sessions: ReadonlyMap<string, HttpSession>, minIdle: number, caller?: string) {
    this.#sessions = sessions;
    this.#minIdle = minIdle;
    this.#caller = caller;
  }

  findNext(now: number): HttpSession | undefined {
    const candidate = this.#takeCandidate();
    if (candidate !== undefined || now < this.#notBefore) return candidate;
    this.#scan(now);
    return this.#takeCandidate();
  }

  /** Drops the candidates, which would keep ended sessions in memory. The next search scans again. */
  clear(): void {
    this.#candidates = [];
    this.#notBefore = Number.NEGATIVE_INFINITY;
  }

  #scan(now: number): void {
    this.#idleSince = now - this.#minIdle;
    this.#candidates = [...this.#sessions.values()].filter(session => this.#canEvict(session));
    this.#candidates.sort((a, b) => rankIdle(b) - rankIdle(a));
    if (this.#candidates.length === 0) this.#notBefore = now + RESCAN_DELAY;
  }

  /** Takes the next candidate that is still idle and open. */
  #takeCandidate(): HttpSession | undefined {
    for (let session = this.#candidates.pop(); session !== undefined; session = this.#candidates.pop()) {
      if (this.#sessions.get(session.id) === session && this.#canEvict(session)) return session;
    }
    return undefined;
  }

  #canEvict(session: HttpSession): boolean {
    if (session.isBusy || (this.#caller !== undefined && session.caller !== this.#caller)) return false;
    return session.isUnresponsive || session.lastActiveAt <= this.#idleSince;
  }
}

/** Returns the time of the last activity. A session whose client did not answer a ping comes before all others. */
function rankIdle({ isUnresponsive, lastActiveAt }: HttpSession): number {
  return isUnresponsive ? lastActiveAt - Number.MAX_SAFE_INTEGER : lastActiveAt;
}
