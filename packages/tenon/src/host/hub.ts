import type { CallerSignIn } from '../auth/caller-sign-in/options.js';
import { TenonError } from '../jsonrpc/error.js';
import type { LoggingLevel } from '../model/content.js';
import type { CallerIdentity } from '../model/owner.js';
import type { Whom } from '../server/front.js';
import type { Session } from '../server/turn.js';
import { type Audience, audienceOf } from './audience.js';
import { HostCatalog } from './catalog.js';
import type { Guard } from './guard.js';
import { createNames, type Names, type Prefix } from './names/names.js';
import type { Budget } from './relay/meta-tools.js';
import { News } from './relay/news.js';
import { Subscriptions } from './relay/watching.js';
import type { Switchboard } from './switchboard.js';
import type { Line } from './upstream/line.js';
import { withinTime } from './within-time.js';

/** How many audiences' catalogs are kept; the one that was used longest ago gives way. */
const MAX_CATALOGS = 10_000;

/** How long servers are waited for that are told of a level, in milliseconds. */
const LEVEL_PATIENCE = 1000;

export interface HubOptions {
  readonly prefix: Prefix;
  readonly pageSize: number;
  readonly budget: Budget | undefined;
  readonly callerSignIn?: CallerSignIn | undefined;
  readonly waitForTasks?: boolean | undefined;
}

/** What the operations of a host share. */
export class Hub {
  readonly board: Switchboard;
  readonly guard: Guard;
  readonly news: News;
  readonly subscriptions: Subscriptions;
  readonly pageSize: number;
  readonly budget: Budget | undefined;
  readonly callerSignIn: CallerSignIn | undefined;
  /** Names of the host's own tools for a server. */
  readonly ownNames: Names;
  readonly #prefix: Prefix;
  readonly #waitForTasks: boolean | undefined;
  readonly #catalogs = new Map<string, HostCatalog>();
  /** One request asks for its audience several times. */
  readonly #audiences = new WeakMap<Whom, Audience>();
  readonly #levels = new WeakMap<Session, LoggingLevel>();

  constructor(board: Switchboard, guard: Guard, { prefix, pageSize, budget, callerSignIn, waitForTasks }: HubOptions) {
    this.callerSignIn = callerSignIn;
    this.#waitForTasks = waitForTasks;
    this.ownNames = createNames({ servers: board.servers, prefix: 'always' });
    this.board = board;
    this.guard = guard;
    this.pageSize = pageSize;
    this.budget = budget;
    this.news = new News(board.clock);
    this.subscriptions = new Subscriptions(error => guard.problem(error));
    this.#prefix = prefix;
  }

  audience(whom: Whom): Audience {
    const known = this.#audiences.get(whom);
    if (known) return known;
    const audience = audienceOf(whom, this.#waitForTasks);
    this.#audiences.set(whom, audience);
    this.news.attend(audience);
    return audience;
  }

  catalog(audience: Audience): HostCatalog {
    const { key, session } = audience;
    const known = this.#catalogs.get(key);
    const catalog = known ?? new HostCatalog(this.board, audience, this.#prefix, this.guard.admit);
    this.#catalogs.delete(key);
    this.#catalogs.set(key, catalog);
    if (known) return known;
    session?.whenOver(() => this.#catalogs.delete(key));
    const [eldest] = this.#catalogs.keys();
    if (this.#catalogs.size > MAX_CATALOGS && eldest !== undefined) this.#catalogs.delete(eldest);
    return catalog;
  }

  /** A line was made: all who use it hear of what changes there. */
  follow(line: Line): void {
    const { audience, lists, server } = line;
    const upstream = this.board.upstreams.get(server);
    lists.onChange(list => this.news.changedWhere(each => upstream?.scope(each).key === audience.key, list));
    const level = audience.session && this.#levels.get(audience.session);
    if (level) line.presetLogLevel(level);
  }

  /** The lines of a session send log messages of this level from here on. A server that does not say so soon is not waited for. */
  async setLogLevel(session: Session, level: LoggingLevel): Promise<void> {
    this.#levels.set(session, level);
    const lines = this.linesOf(session);
    for (const line of lines) line.presetLogLevel(level);
    const all = lines.filter(({ open }) => open).map(line => line.setLogLevel(level));
    const told = Promise.all(all).catch(error => this.guard.problem(TenonError.from(error)));
    await withinTime(this.board.clock, LEVEL_PATIENCE, told);
  }

  linesOf(session: Session): Line[] {
    return [...this.board.upstreams.values()].flatMap(upstream => [...upstream.linesOf(session)]);
  }

  /** A caller has signed in to a server, or out of it: the server offers something else to that caller. */
  changeCredentials(server: string, caller: CallerIdentity): void {
    for (const line of this.board.upstreams.get(server)?.linesOfOwner(caller) ?? []) {
      line.lists.forget();
      for (const list of ['tools', 'prompts', 'resources'] as const) this.news.changed(line.audience, list);
    }
  }

  /** What is offered may be something else from now on: to everybody. */
  reconsider(): void {
    this.#catalogs.clear();
    for (const list of ['tools', 'prompts', 'resources'] as const) this.news.changedForAll(list);
  }

  close(): void {
    this.news.close();
    this.#catalogs.clear();
  }
}
