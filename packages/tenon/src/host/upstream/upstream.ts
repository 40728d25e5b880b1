import type { Client } from '../../client/client.js';
import type { ClientOptions } from '../../client/options.js';
import { TenonError } from '../../jsonrpc/error.js';
import { SharedLimit } from '../../jsonrpc/shared-limit.js';
import { type CallerIdentity, getOwnerKey } from '../../model/owner.js';
import type { Session } from '../../server/turn.js';
import { type Audience, asksNothing, joinSessions } from '../audience.js';
import { Line } from './line.js';
import type { LineFacts } from './line-facts.js';
import { LineGroups } from './line-groups.js';

/** How one server is reached, and how it is dealt with. Times are milliseconds. */
export interface UpstreamFacts extends Omit<LineFacts, 'server' | 'connect'> {
  readonly name: string;
  /** Opens a client for a caller: with that one's credentials. */
  readonly connect: (caller: CallerIdentity, options: ClientOptions) => Promise<Client>;
  readonly maxLines: number;
  /** Part of `maxLines` that one user, or one address of anonymous callers, may use alone. */
  readonly maxShare: number;
  /** How long a line that nobody uses stays open. A process is stopped then also where a session has it to itself. */
  readonly restTime: number;
  /** Whether sessions share a line: `true` also those that could be asked something, which they are not then. */
  readonly share: boolean | undefined;
  readonly onLine?: (line: Line) => void;
}

interface Kept {
  readonly line: Line;
  used: number;
}

/** One server and all lines to it. */
export class Upstream {
  readonly name: string;
  readonly #facts: UpstreamFacts;
  readonly #lines = new Map<string, Kept>();
  readonly #open: SharedLimit;
  readonly #scopes = new WeakMap<Audience, Audience>();
  readonly #ofOwner = new LineGroups<string | undefined>();
  readonly #ofSession = new LineGroups<Session>();
  #offSweep: (() => void) | undefined;
  #closed = false;

  constructor(facts: UpstreamFacts) {
    this.name = facts.name;
    this.#facts = facts;
    this.#open = new SharedLimit(facts.maxLines, facts.maxShare);
  }

  get lines(): readonly Line[] {
    return [...this.#lines.values()].map(({ line }) => line);
  }

  /** Finds a connection of this user and OAuth client that is open, or whose process was stopped because nobody used it. */
  openLine(identity: CallerIdentity): Line | undefined {
    for (const line of this.#ofOwner.of(getOwnerKey(identity))) if (line.about) return line;
    return undefined;
  }

  linesOfOwner(identity: CallerIdentity): readonly Line[] {
    return [...this.#ofOwner.of(getOwnerKey(identity))];
  }

  linesOf(session: Session): Iterable<Line> {
    return this.#ofSession.of(session);
  }

  /** Describes all who use the same line as this caller: of a process those of whom nothing can be asked. */
  scope(audience: Audience): Audience {
    const { share, processes } = this.#facts;
    const isShared = share ?? (processes !== undefined && asksNothing(audience));
    if (!isShared) return audience;
    const known = this.#scopes.get(audience) ?? joinSessions(audience);
    this.#scopes.set(audience, known);
    return known;
  }

  /** The line of this caller. It is not open before something is done on it. */
  line(caller: Audience): Line {
    if (this.#closed) throw new TenonError('host/closed', 'the host is closed');
    const audience = this.scope(caller);
    const { clock } = this.#facts;
    const kept = this.#lines.get(audience.key);
    if (kept) {
      kept.used = clock.now();
      return kept.line;
    }
    this.#makeRoom(audience.caller);
    this.#open.add(audience.caller);
    const line = new Line(this.#lineFacts(audience), audience);
    this.#lines.set(audience.key, { line, used: clock.now() });
    this.#ofOwner.add(getOwnerKey(audience.identity), line);
    if (audience.session) this.#ofSession.add(audience.session, line);
    audience.session?.whenOver(() => this.#end(audience.key));
    this.#facts.onLine?.(line);
    this.#sweepLater();
    return line;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#offSweep?.();
    const lines = this.lines;
    this.#lines.clear();
    this.#ofOwner.clear();
    this.#ofSession.clear();
    await Promise.allSettled(lines.map(line => line.close()));
  }

  #lineFacts({ identity }: Audience): LineFacts {
    const { name, connect, ...facts } = this.#facts;
    return { ...facts, server: name, connect: options => connect(identity, options) };
  }

  /**
   * Beyond the limit the connection that rests for the longest time is closed: of a caller whose share is used up only one
   * of its own. When none rests, no more are opened.
   */
  #makeRoom(caller: string): void {
    if (this.#open.fits(caller)) return;
    const isOwnOnly = !this.#open.isWithinShare(caller);
    const resting = [...this.#lines].filter(
      ([, { line }]) => !line.busy && (!isOwnOnly || line.audience.caller === caller),
    );
    const [longest] = resting.sort(([, a], [, b]) => a.used - b.used);
    if (longest) return this.#end(longest[0]);
    const { maxLines } = this.#facts;
    const whose = isOwnOnly ? `the part of the ${maxLines} lines that one caller may use` : `all ${maxLines} lines`;
    throw new TenonError('host/too-many-lines', `${whose} to "${this.name}" are in use`, {
      next: 'try again later, or raise `maxLines`',
    });
  }

  #end(key: string): void {
    const { line } = this.#lines.get(key) ?? {};
    if (line === undefined) return;
    const { identity, session } = line.audience;
    this.#lines.delete(key);
    this.#open.release(line.audience.caller);
    this.#ofOwner.delete(getOwnerKey(identity), line);
    if (session) this.#ofSession.delete(session, line);
    void line.close().catch(error => this.#facts.problem(TenonError.from(error)));
  }

  #sweepLater(): void {
    if (this.#offSweep || this.#closed) return;
    const { clock, restTime } = this.#facts;
    this.#offSweep = clock.after(restTime, () => {
      this.#offSweep = undefined;
      const now = clock.now();
      for (const [key, kept] of this.#lines) {
        if (kept.line.busy) kept.used = now;
        else if (kept.used <= now - restTime) this.#rest(key, kept.line);
      }
      if (this.#lines.size > 0) this.#sweepLater();
    });
  }

  /** Stops a process that nobody uses and keeps its lists; closes another connection that no session has to itself. */
  #rest(key: string, line: Line): void {
    if (this.#facts.processes) void line.stop().catch(error => this.#facts.problem(TenonError.from(error)));
    else if (line.audience.session === undefined) this.#end(key);
  }
}
