import type { Session } from './session.js';

/** How long no other look is taken after one that found none, in milliseconds. */
const PAUSE = 1000;

/** Finds sessions that may give way to others, the idlest first. One look through all of them serves for all that it finds. */
export class Idlest {
  readonly #sessions: ReadonlyMap<string, Session>;
  readonly #grace: number;
  readonly #caller: string | undefined;
  /** Those that were idle when it was looked, the idlest last. */
  #found: Session[] = [];
  #since = Number.NEGATIVE_INFINITY;
  #notBefore = Number.NEGATIVE_INFINITY;

  /** With `caller`, only that one's sessions are looked at. */
  constructor(sessions: ReadonlyMap<string, Session>, grace: number, caller?: string) {
    this.#sessions = sessions;
    this.#grace = grace;
    this.#caller = caller;
  }

  next(now: number): Session | undefined {
    const known = this.#take();
    if (known !== undefined || now < this.#notBefore) return known;
    this.#look(now);
    return this.#take();
  }

  /** What was found keeps sessions in memory that have ended since. */
  forget(): void {
    this.#found = [];
  }

  #look(now: number): void {
    this.#since = now - this.#grace;
    this.#found = [...this.#sessions.values()].filter(session => this.#mayGiveWay(session));
    this.#found.sort((a, b) => b.touched - a.touched);
    if (this.#found.length === 0) this.#notBefore = now + PAUSE;
  }

  /** Some have ended since it was looked, or have done something. */
  #take(): Session | undefined {
    for (let session = this.#found.pop(); session !== undefined; session = this.#found.pop()) {
      if (this.#sessions.get(session.id) === session && this.#mayGiveWay(session)) return session;
    }
    return undefined;
  }

  #mayGiveWay({ touched, busy, caller }: Session): boolean {
    return touched <= this.#since && !busy && (this.#caller === undefined || caller === this.#caller);
  }
}
