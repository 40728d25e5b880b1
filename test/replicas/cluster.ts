import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../packages/tenon/src/stores/fixtures/find-free-port.js';
import { startRedis } from '../../packages/tenon/src/stores/redis/fixtures/start-redis.js';
import { getProgram, hasPrograms } from '../../scripts/optional-programs.mjs';
import { bundleProgram, type HttpPeer, startHttpPeer } from '../interop/process.js';
import { retryUntilPasses } from '../interop/retry.js';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.js';

/** The server of a store. */
export interface StoreServer {
  readonly url: string;
  /** Ends the server as `kill -9` does. Its data is kept. */
  kill(): Promise<void>;
  /** Starts the server again on the same port and with the same data. */
  restart(): Promise<void>;
  /** Ends the server and deletes its data. */
  close(): Promise<void>;
}

/** Replicas of a server with one store, behind HAProxy, which sends each request to the next of them. */
export interface Cluster {
  /** Endpoint of Streamable HTTP at HAProxy. */
  readonly url: string;
  /** Stream of HTTP+SSE at HAProxy. */
  readonly sseUrl: string;
  /** Endpoints of the replicas themselves. */
  readonly replicaUrls: readonly string[];
  readonly store: StoreServer;
  /** The connection of each replica to the store, which the tests can slow down or interrupt. None for a group of servers. */
  readonly links: readonly TcpProxy[];
  /** Sends a signal to a replica, such as SIGSTOP. */
  signal(index: number, signal: NodeJS.Signals): void;
  /** Resident memory of each replica, in MiB. */
  measureMemory(): number[];
  /** Ends a replica as `kill -9` does, and starts another one in its place. */
  replace(index: number): Promise<void>;
  kill(index: number): Promise<void>;
  close(): Promise<void>;
}

/** True if the Debian packages `redis-server` and `haproxy` are installed. */
export const canStartCluster = hasPrograms('redis-server', 'haproxy');

const replica = bundleProgram(new URL('./replica.ts', import.meta.url));

export interface ClusterOptions {
  readonly count?: number;
  /** Environment of all replicas. */
  readonly env?: Readonly<Record<string, string>>;
  /** Difference of the clocks of the replicas to the clock of the machine, in milliseconds. */
  readonly clockOffsets?: readonly number[];
  /**
   * Starts the store.
   * @default starts Redis
   */
  readonly startStore?: () => Promise<StoreServer>;
  /**
   * Sends no requests to replicas whose `/readyz` fails. Needed for replicas that accept connections and do not answer.
   * @default `false`
   */
  readonly isChecking?: boolean;
}

export async function startCluster({
  count = 3,
  env = {},
  clockOffsets = [],
  startStore = startRedis,
  isChecking = false,
}: ClusterOptions = {}): Promise<Cluster> {
  const store = await startStore();
  const isGroup = store.url.includes('+sentinel:');
  const links = isGroup
    ? []
    : await Promise.all(Array.from({ length: count }, () => startTcpProxy(readPort(store.url))));
  const ports = await Promise.all(Array.from({ length: count }, findFreePort));
  const start = (index: number): Promise<HttpPeer> => {
    const link = links[index];
    const STORE_URL = link ? store.url.replace(`:${readPort(store.url)}`, `:${link.port}`) : store.url;
    return startHttpPeer(replica, { STORE_URL, CLOCK_OFFSET: String(clockOffsets[index] ?? 0), ...env }, ports[index]);
  };
  const peers = await Promise.all(ports.map((_, index) => start(index)));
  const balancer = await startBalancer(ports, isChecking);
  const kill = async (index: number) => peers[index]?.stop();
  return {
    url: `http://127.0.0.1:${balancer.port}/mcp`,
    sseUrl: `http://127.0.0.1:${balancer.port}/sse`,
    replicaUrls: ports.map(port => `http://127.0.0.1:${port}/mcp`),
    store,
    links,
    signal: (index, signal) => peers[index]?.signal(signal),
    measureMemory: () => peers.map(({ pid }) => readResidentMemory(pid)),
    kill,
    async replace(index) {
      await kill(index);
      peers[index] = await start(index);
    },
    async close() {
      await balancer.close();
      await Promise.all(peers.map(peer => peer.stop()));
      await Promise.all(links.map(link => link.close()));
      await store.close();
    },
  };
}

const readPort = (url: string): number => Number(new URL(url).port);

/** Returns the resident memory of a process, in MiB. */
function readResidentMemory(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024);
}

export interface Balancer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Starts HAProxy with the configuration of `examples/replicas`, and its health checks only on request. Without them, HAProxy
 * uses each replica that accepts a connection, however slowly a busy machine lets it answer. A request that reached no
 * replica is sent to another one. `drain.test.ts` tests the health checks.
 */
export async function startBalancer(ports: readonly number[], isChecking = false): Promise<Balancer> {
  const port = await findFreePort();
  const folder = mkdtempSync(join(tmpdir(), 'tenon-haproxy-'));
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, createConfiguration(ports, isChecking));
  const env = { ...process.env, LISTEN: `127.0.0.1:${port}` };
  const child = spawn(getProgram('haproxy'), ['-db', '-f', file], { stdio: 'ignore', env });
  const exited = once(child, 'exit');
  await retryUntilPasses(async () => {
    await fetch(`http://127.0.0.1:${port}/mcp`);
  });
  return {
    port,
    async close() {
      child.kill('SIGKILL');
      await exited;
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** Creates the published configuration with these replicas. */
function createConfiguration(ports: readonly number[], isChecking: boolean): string {
  const published = readFileSync(new URL('../../examples/replicas/haproxy.cfg', import.meta.url), 'utf8');
  const servers = ports.map((port, index) => `  server r${index} 127.0.0.1:${port}\n`).join('');
  const withServers = published.replace(/(?: {2}server .*\n)+/, servers);
  return isChecking
    ? withServers
    : withServers.replace(/default-server check inter \d+ fall \d+ rise \d+/, 'default-server');
}
