import { getCallerKey } from '../../jsonrpc/caller-key.js';
import type { AuthInfo } from '../../jsonrpc/channel.js';
import { SharedLimit } from '../../jsonrpc/shared-limit.js';
import { isSameOwner } from '../../model/owner.js';
import { Idlest } from './idlest.js';
import type { Road } from './road.js';
import { Session } from './session.js';

/** All sessions of an endpoint. */
export interface Sessions {
  /** A new session, or `undefined` when there is no room for one. */
  create(auth: AuthInfo | undefined, address: string | undefined): Session | undefined;
  /** A session for one POST, which has no id and ends with the answers. */
  createForPost(auth: AuthInfo | undefined, address: string | undefined): Session;
  /** The session with an id, for the user and OAuth client that opened it. */
  find(id: string, auth: AuthInfo | undefined): Session | undefined;
  /** The caller whose share a session uses up. */
  getCaller(id: string): string;
  readonly count: number;
  /** Ends the streams on which nothing is being answered. */
  stopListening(): void;
  endAll(): void;
}

const SWEEP = 60_000;

export function createSessions(road: Road): Sessions {
  const { bounds, clock } = road;
  const sessions = new Map<string, Session>();
  const posts = new Set<Session>();
  const open = new SharedLimit(bounds.sessions, bounds.maxShare);
  const idlest = new Idlest(sessions, bounds.sessionGrace);
  /** Belongs to callers whose share is used up. */
  const idlestOf = new Map<string, Idlest>();
  let due = Number.NEGATIVE_INFINITY;

  const ended = (session: Session): void => {
    sessions.delete(session.id);
    open.release(session.caller);
  };
  const sweep = (): void => {
    due = Number.NEGATIVE_INFINITY;
    idlest.forget();
    idlestOf.clear();
    const since = clock.now() - bounds.sessionIdle;
    for (const session of sessions.values()) {
      session.dismissStray();
      if (session.touched <= since && !session.busy) session.end();
    }
    arm();
  };
  const arm = (): void => {
    // On Workers a timer ends with the request that set it: one that is overdue is set anew.
    if (clock.now() <= due || sessions.size === 0) return;
    const pause = Math.min(SWEEP, bounds.sessionIdle);
    due = clock.now() + pause;
    clock.after(pause, sweep);
  };
  /** Of a caller whose share is used up only its own sessions give way. */
  const sacrifice = (caller: string): void => {
    let choice = idlest;
    if (!open.isWithinShare(caller)) {
      choice = idlestOf.get(caller) ?? new Idlest(sessions, bounds.sessionGrace, caller);
      idlestOf.set(caller, choice);
    }
    choice.next(clock.now())?.end();
  };

  return {
    create(auth, address) {
      const caller = getCallerKey(auth, address);
      if (!open.fits(caller)) sacrifice(caller);
      if (!open.take(caller)) return undefined;
      const session = new Session(crypto.randomUUID(), road, auth, caller, ended);
      sessions.set(session.id, session);
      arm();
      return session;
    },
    createForPost(auth, address) {
      const session = new Session('', road, auth, getCallerKey(auth, address), ended => posts.delete(ended), false);
      posts.add(session);
      return session;
    },
    find(id, auth) {
      const session = sessions.get(id);
      // A session id is no proof of who calls: whoever else presents it learns not even that it exists.
      if (session === undefined || !isSameOwner(session.auth, auth)) return undefined;
      session.touched = clock.now();
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
      for (const session of [...sessions.values(), ...posts]) session.end();
    },
  };
}
