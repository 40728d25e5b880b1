import type { HttpSession } from './session.js';

/** Minimum time between two scans if the first one found nothing, in milliseconds. */
const RESCAN_DELAY = 1000;

/**
 * Finds sessions that may be ended for new ones: first those whose client did not answer a ping, then those with the
 * longest idle time. One scan finds several candidates.
 */
export class IdleSessionFinder {
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
