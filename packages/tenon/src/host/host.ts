import type { CallerSignInChange } from '../auth/caller-sign-in/options.js';
import type { Client } from '../client/client.js';
import { connectTo, inProcess } from '../client/connect.js';
import type { CallOptions } from '../client/options.js';
import type { Roads } from '../client/target.js';
import { defaults as askingDefaults } from '../conversation/asking/options.js';
import { newest } from '../dialects/index.js';
import { tasks } from '../extensions/tasks/tasks.js';
import { type Clock, systemClock } from '../jsonrpc/clock.js';
import { TenonError } from '../jsonrpc/error.js';
import type { JsonObject } from '../jsonrpc/message.js';
import { MAX_SHARE } from '../jsonrpc/shared-limit.js';
import { applyDefaults } from '../model/defaults.js';
import type { CallToolResult } from '../model/shapes.js';
import { createServer, type Server } from '../server/server.js';
import { memoryStores } from '../stores/memory.js';
import type { Stores } from '../stores/stores.js';
import { version as ownVersion } from '../version.js';
import { type Audience, audienceOf } from './audience.js';
import { frontOf } from './front.js';
import type { Guard } from './guard.js';
import { createGuard } from './guarding/guarding.js';
import { offeredOn } from './guarding/offered-on.js';
import { Hub } from './hub.js';
import type { Offered } from './offered.js';
import type { HostOptions } from './options.js';
import { ownCaller, ownIdentity } from './own-client.js';
import type { Approvals } from './policy/approval.js';
import { entryOf, reach } from './reach.js';
import { type Absent, Switchboard } from './switchboard.js';
import type { Line } from './upstream/line.js';
import type { Kind } from './upstream/lists.js';
import { ProcessLimit } from './upstream/process-limit.js';
import { Upstream } from './upstream/upstream.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Times are milliseconds. */
export const hostDefaults = {
  startTimeout: 30 * SECOND,
  gatherTimeout: 15 * SECOND,
  restTime: 30 * MINUTE,
  maxLines: 100,
  maxProcesses: 100,
  maxShare: MAX_SHARE,
  pageSize: 1000,
  prefix: 'always',
  name: 'tenon-host',
  version: ownVersion,
} as const;

/** How long a call waits for its caller's answers; it can not be entered again, for it was sent. */
const HOLD_TIME = 30 * MINUTE;
const MAX_HELD = 10_000;

/** How a server stands. */
export interface ServerState {
  readonly name: string;
  /** `resting`: nobody has needed it yet. `waiting`: callers have to sign in to it. */
  readonly state: Line['state'];
  /** Why it is not there, when it was tried. */
  readonly why: string | undefined;
  readonly revision: string | undefined;
}

/** Which servers are offered together, and as what. */
export interface Selection {
  /** Default: the host's. */
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  /** Default: all. */
  readonly servers?: readonly string[] | undefined;
}

export interface Offerings {
  readonly offered: readonly Offered[];
  readonly absent: readonly Absent[];
}

/** Many clients behind one face. */
export interface Host {
  /** The host's own client of all that it offers, by outer names: it lists, calls, reads, watches and follows tasks. */
  readonly client: Client;
  /** Calls a tool by its outer name, and gives its whole result. */
  call(name: string, input?: JsonObject, options?: CallOptions): Promise<CallToolResult>;
  /** How each server stands. */
  servers(): ServerState[];
  /** All that each server offers, in its own names, as it says it: for a lock, or for a report. Starts the servers. */
  offered(): Promise<Offerings>;
  /** What waits for an approval, and what was approved for longer. */
  readonly approvals: Approvals;
  /** Looks anew at what may be offered, and tells callers: after a change was approved with `gate.approve`, say. */
  reconsider(): void;
  /** The host, or a part of it, as one server: for any number of clients, over any transports. */
  asServer(selection?: Selection): Server;
  /** Closes all lines, and ends the servers' processes. */
  close(): Promise<void>;
}

export class RunningHost implements Host {
  #client: Client | undefined;
  readonly #options: HostOptions;
  readonly #prefix: 'always' | 'never';
  readonly #guard: Guard;
  readonly #clock: Clock;
  readonly #stores: Stores;
  readonly #processes: ProcessLimit;
  readonly #upstreams = new Map<string, Upstream>();
  readonly #hubs = new Set<Hub>();
  readonly #served = new Map<string, Server>();
  readonly #closing: (() => Promise<void>)[] = [];

  private constructor(options: HostOptions, roads: Roads) {
    const { clock = systemClock } = options;
    this.#options = options;
    this.#clock = clock;
    this.#stores = options.stores ?? memoryStores({ clock });
    const enabled = Object.entries(options.servers).filter(([, server]) => !server.disabled);
    const entries = enabled.map(([name, server]) => [name, entryOf(name, server)] as const);
    this.#prefix = choosePrefix(options);
    this.#processes = new ProcessLimit(options.maxProcesses ?? hostDefaults.maxProcesses, clock);
    this.#guard = createGuard(options, {
      entries: new Map(entries),
      hasPrefix: this.#prefix === 'always',
      stores: this.#stores,
      clock,
      problem: options.onProblem ?? complain,
    });
    const stop = options.callerSignIn?.onChange(change => this.#changeCredentials(change));
    this.#closing.push(async () => {
      stop?.();
      options.callerSignIn?.close();
    });
    for (const [name, server] of enabled) this.#upstreams.set(name, this.#upstream(name, server, roads));
  }

  static async create(options: HostOptions, roads: Roads): Promise<RunningHost> {
    const host = new RunningHost(options, roads);
    host.#client = await connectTo(inProcess(host.asServer()), {
      ...ownIdentity(options),
      clock: host.#clock,
      idleTimeout: Number.POSITIVE_INFINITY,
    });
    return host;
  }

  get client(): Client {
    return this.#client as Client;
  }

  get approvals(): Approvals {
    return this.#guard.approvals;
  }

  call(name: string, input?: JsonObject, options?: CallOptions): Promise<CallToolResult> {
    return this.client.callTool(name, input, options);
  }

  servers(): ServerState[] {
    return [...this.#upstreams.values()].map(({ name, lines }) => {
      const best = lines.find(({ open }) => open) ?? lines[0];
      return {
        name,
        state: best?.state ?? 'resting',
        why: best?.why?.summary,
        revision: best?.open?.server.revision,
      };
    });
  }

  async offered(): Promise<Offerings> {
    const audience = audienceOf({
      caller: ownCaller(this.#options),
      dialect: newest('per-request'),
      session: undefined,
    });
    const all = [...this.#upstreams.values()].map(async upstream => {
      try {
        return await offeredOn(upstream.line(audience));
      } catch (error) {
        return { server: upstream.name, why: TenonError.from(error).summary };
      }
    });
    const found = await Promise.all(all);
    return {
      offered: found.filter((each): each is Offered => 'tools' in each),
      absent: found.filter((each): each is Absent => 'why' in each),
    };
  }

  reconsider(): void {
    this.#guard.reconsider();
    for (const hub of this.#hubs) hub.reconsider();
  }

  asServer(selection: Selection = {}): Server {
    const key = JSON.stringify(selection);
    const server = this.#served.get(key) ?? this.#serve(selection);
    this.#served.set(key, server);
    return server;
  }

  /** Closes something else with it. */
  whenClosed(close: () => Promise<void>): void {
    this.#closing.push(close);
  }

  async close(): Promise<void> {
    await this.#client?.close();
    for (const server of this.#served.values()) server.close();
    await Promise.all([...this.#upstreams.values()].map(upstream => upstream.close()));
    if (this.#options.stores === undefined) await this.#stores.close();
    for (const close of this.#closing) await close();
  }

  #upstream(name: string, server: HostOptions['servers'][string], roads: Roads): Upstream {
    const { startTimeout, restTime, maxLines, maxShare, ...identity } = applyDefaults(hostDefaults, this.#options);
    return new Upstream({
      name,
      ...reach(name, server, roads, this.#guard, this.#options),
      questions: line => this.#guard.questions(line),
      brokers: this.#options.broker !== undefined,
      retryTimeout: this.#options.asking?.life ?? askingDefaults.life,
      startTimeout: server.startTimeout ?? startTimeout,
      restTime,
      maxLines,
      maxShare,
      processes: 'command' in server ? this.#processes : undefined,
      identity: { name: identity.name, version: identity.version },
      clock: this.#clock,
      problem: error => this.#guard.problem(error),
      onLine: line => this.#follow(line),
    });
  }

  #follow(line: Line): void {
    for (const hub of this.#hubs) if (hub.board.upstreams.has(line.server)) hub.follow(line);
    line.onElicited(id => void [...this.#served.values()].some(server => server.elicited(id)));
  }

  #changeCredentials(change: CallerSignInChange): void {
    const { server, caller, elicitationId } = change;
    this.#guard.recordSignIn(change);
    for (const hub of this.#hubs) hub.changeCredentials(server, caller);
    if (elicitationId !== undefined) for (const served of this.#served.values()) served.elicited(elicitationId);
  }

  #serve(selection: Selection): Server {
    const { gatherTimeout, pageSize, ...own } = applyDefaults(hostDefaults, this.#options);
    const { servers, name = own.name, version = own.version } = selection;
    const chosen = [...this.#upstreams].filter(([each]) => servers === undefined || servers.includes(each));
    const { rateLimits, budget, callerSignIn, waitForTasks } = this.#options;
    const late = (audience: Audience, kind: Kind) =>
      hub.news.changed(audience, kind === 'templates' ? 'resources' : kind);
    const disabled = Object.keys(this.#options.servers).filter(each => this.#options.servers[each]?.disabled);
    const board = new Switchboard(new Map(chosen), this.#clock, gatherTimeout, late, disabled);
    const hub = new Hub(board, this.#guard, { prefix: this.#prefix, pageSize, budget, callerSignIn, waitForTasks });
    this.#hubs.add(hub);
    for (const line of board.lines) hub.follow(line);
    return createServer({
      name,
      version,
      stores: this.#stores,
      clock: this.#clock,
      asking: applyDefaults({ holdTime: HOLD_TIME, maxHeld: MAX_HELD }, this.#options.asking ?? {}),
      extensions: [tasks(applyDefaults({ holdTime: HOLD_TIME }, this.#options.tasks ?? {}))],
      rateLimits: rateLimits === false ? false : applyDefaults({ notifications: false } as const, rateLimits ?? {}),
      onProblem: error => this.#guard.problem(error),
      front: frontOf(hub),
    });
  }
}

/** Counts all servers of the options, disabled ones too, so that names do not depend on the servers that are in use. */
function choosePrefix({ prefix = hostDefaults.prefix, servers }: HostOptions): 'always' | 'never' {
  if (prefix !== 'auto') return prefix;
  return Object.keys(servers).length > 1 ? 'always' : 'never';
}

declare const console: { error(...parts: unknown[]): void } | undefined;

function complain(error: TenonError): void {
  console?.error(`tenon: ${error.code}: ${error.message}`);
}
