import type { HttpSession } from './session.js';

/** Minimum time between two scans after one that found nothing, in milliseconds. */
const RESCAN_DELAY = 1000;

/** Finds sessions that may give way to others, the idlest first. One look through all of them serves for all that it finds. */
export class IdleSessionFinder {
  readonly #sessions: ReadonlyMap<string, HttpSession>;
  readonly #minIdle: number;
  readonly #caller: string | undefined;
  /** Those that were idle when it was looked, the idlest last. */
  #candidates: HttpSession[] = [];
  #idleSince = Number.NEGATIVE_INFINITY;
  #notBefore = Number.NEGATIVE_INFINITY;

  /** With `caller`, only that one's sessions are looked at. */
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

  /** Drops the candidates, which would keep ended sessions in memory. */
  clear(): void {
    this.#candidates = [];
  }

  #scan(now: number): void {
    this.#idleSince = now - this.#minIdle;
    this.#candidates = [...this.#sessions.values()].filter(session => this.#canEvict(session));
    this.#candidates.sort((a, b) => b.lastActiveAt - a.lastActiveAt);
    if (this.#candidates.length === 0) this.#notBefore = now + RESCAN_DELAY;
  }

  /** Some have ended since it was looked, or have done something. */
  #takeCandidate(): HttpSession | undefined {
    for (let session = this.#candidates.pop(); session !== undefined; session = this.#candidates.pop()) {
      if (this.#sessions.get(session.id) === session && this.#canEvict(session)) return session;
    }
    return undefined;
  }

  #canEvict({ lastActiveAt, isBusy, caller }: HttpSession): boolean {
    return lastActiveAt <= this.#idleSince && !isBusy && (this.#caller === undefined || caller === this.#caller);
  }
}
