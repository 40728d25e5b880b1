import type { SessionChange, SessionState } from 'tenon/host-internals';
import type { ClientSession } from 'tenon/proxy';

/** Passes changes of the roots of sessions to the servers, from each process with the session. */
export class SharedRoots {
  readonly #notifyServers: (session: ClientSession) => void;
  /** Number of changes that this process has passed on. */
  readonly #counts = new WeakMap<ClientSession, number>();

  constructor(notifyServers: (session: ClientSession) => void) {
    this.#notifyServers = notifyServers;
  }

  /** Handles a notification of the client. */
  announceChange(session: ClientSession, onStateChange?: (change: SessionChange) => void): void {
    this.#notifyServers(session);
    this.#counts.set(session, (this.#counts.get(session) ?? 0) + 1);
    onStateChange?.(state => ({ ...state, rootsChanges: (state.rootsChanges ?? 0) + 1 }));
  }

  /** Handles a change that another process has received. */
  applyState(session: ClientSession, { rootsChanges = 0 }: SessionState): void {
    const known = this.#counts.get(session) ?? rootsChanges;
    this.#counts.set(session, rootsChanges);
    if (rootsChanges > known) this.#notifyServers(session);
  }
}
