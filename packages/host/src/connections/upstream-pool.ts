import type { Clock } from '@tenon/base';
import type { HostServer } from '../host-options.js';
import type { UpstreamServer } from './upstream-server.js';

/** Maximum time for the calls of a removed server to finish, in milliseconds. Then they are cancelled. */
const DRAIN_TIMEOUT = 10_000;
/** Time between two checks for running calls, in milliseconds. */
const DRAIN_INTERVAL = 50;

/** Names of the servers that an update of a host has changed. */
export interface ServerChanges {
  /** Names of the added servers. */
  readonly added: readonly string[];
  /** Names of the removed and disabled servers. */
  readonly removed: readonly string[];
  /** Names of the servers with other settings. */
  readonly changed: readonly string[];
}

interface PooledServer {
  readonly settings: HostServer;
  readonly upstream: UpstreamServer;
}

/** Servers of a host. They can be replaced while other servers have running calls. */
export class UpstreamPool {
  readonly #createUpstream: (name: string, settings: HostServer) => UpstreamServer;
  readonly #clock: Clock;
  #pooled: ReadonlyMap<string, PooledServer> = new Map();
  /** Names of disabled servers. */
  disabled: readonly string[] = [];
  #isRunning = false;
  readonly #draining = new Map<UpstreamServer, Promise<void>>();

  constructor(createUpstream: (name: string, settings: HostServer) => UpstreamServer, clock: Clock) {
    this.#createUpstream = createUpstream;
    this.#clock = clock;
  }

  get upstreams(): ReadonlyMap<string, UpstreamServer> {
    return new Map([...this.#pooled].map(([name, { upstream }]) => [name, upstream]));
  }

  /**
   * Replaces the servers. A server whose connection settings are equal keeps its connections. The running calls of the
   * other ones may finish. A server that is enabled again connects after its former processes have ended.
   */
  update(servers: Readonly<Record<string, HostServer>>): ServerChanges {
    const before = this.#pooled;
    const isRunning = this.#isRunning;
    this.#isRunning = true;
    const enabled = Object.entries(servers).filter(([, { disabled }]) => !disabled);
    this.disabled = Object.keys(servers).filter(name => servers[name]?.disabled);
    const pooled = new Map<string, PooledServer>();
    const changed: string[] = [];
    for (const [name, settings] of enabled) {
      const known = before.get(name);
      const isKept = known !== undefined && isSameValue(toConnection(known.settings), toConnection(settings));
      const create = known ? this.#createUpstream : this.#createAfterDrain;
      const upstream = isKept ? known.upstream : create.call(this, name, settings);
      upstream.wasAdded ||= !isKept && isRunning;
      pooled.set(name, { settings, upstream });
      if (known && !(isKept && isSameValue(toFilter(known.settings), toFilter(settings)))) changed.push(name);
    }
    this.#pooled = pooled;
    for (const [name, { upstream }] of before) if (pooled.get(name)?.upstream !== upstream) void this.#drain(upstream);
    return {
      added: [...pooled.keys()].filter(name => !before.has(name)),
      removed: [...before.keys()].filter(name => !pooled.has(name)),
      changed,
    };
  }

  async close(): Promise<void> {
    const pooled = [...this.#pooled.values()].map(({ upstream }) => upstream);
    await Promise.all([...pooled, ...this.#draining.keys()].map(upstream => upstream.close()));
  }

  /**
   * Replaces a server by one with the same settings. The new one connects when the running calls have finished and the
   * processes have ended, because two processes may not share their files or ports.
   */
  restart(name: string): void {
    const { settings, upstream } = this.#pooled.get(name) ?? {};
    if (!settings || !upstream) return;
    void this.#drain(upstream);
    const next = this.#createAfterDrain(name, settings);
    // Lists do not wait for the former processes.
    next.wasAdded = true;
    this.#pooled = new Map(this.#pooled).set(name, { settings, upstream: next });
  }

  /** Waits until the processes of removed and disabled servers with this name have ended. */
  async waitForDrain(name: string): Promise<void> {
    await Promise.all([...this.#draining].flatMap(([upstream, drained]) => (upstream.name === name ? [drained] : [])));
  }

  #createAfterDrain(name: string, settings: HostServer): UpstreamServer {
    const drained = this.waitForDrain(name);
    const beforeStart = async () => {
      await drained;
      await settings.beforeStart?.();
    };
    return this.#createUpstream(name, { ...settings, beforeStart });
  }

  #drain(upstream: UpstreamServer): Promise<void> {
    const drained = this.#closeAfterCalls(upstream).finally(() => void this.#draining.delete(upstream));
    this.#draining.set(upstream, drained);
    return drained;
  }

  /** Waits for the running calls of a server, and closes it. */
  async #closeAfterCalls(upstream: UpstreamServer): Promise<void> {
    const until = this.#clock.elapsed() + DRAIN_TIMEOUT;
    while (upstream.hasCalls && this.#clock.elapsed() < until)
      await new Promise<void>(resolve => void this.#clock.after(DRAIN_INTERVAL, resolve));
    await upstream.close();
  }
}

/** Returns the settings that apply to connections. The other ones apply to lists and calls. */
function toConnection({ origin: _, disabled: __, tools: ___, beforeStart: ____, ...connection }: HostServer): object {
  return connection;
}

const toFilter = ({ tools }: HostServer): unknown => tools;

/** Compares plain data member by member, and everything else by identity. */
function isSameValue(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (one instanceof URL && other instanceof URL) return one.href === other.href;
  const prototype: unknown = Object.getPrototypeOf(one);
  if (prototype !== Object.getPrototypeOf(other)) return false;
  if (prototype !== Object.prototype && prototype !== Array.prototype && prototype !== null) return false;
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].every(key => isSameValue(Reflect.get(one, key), Reflect.get(other, key)));
}
