import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../packages/tenon/src/stores/fixtures/find-free-port.js';
import {
  hasRedis,
  isInstalled,
  type RedisServer,
  startRedis,
} from '../../packages/tenon/src/stores/redis/fixtures/start-redis.js';
import { bundleProgram, type HttpPeer, startHttpPeer } from '../interop/process.js';
import { retryUntilPasses } from '../interop/retry.js';

/** Replicas of a server with one Redis, behind HAProxy, which sends each request to the next of them. */
export interface Cluster {
  /** Endpoint of Streamable HTTP at HAProxy. */
  readonly url: string;
  /** Stream of HTTP+SSE at HAProxy. */
  readonly sseUrl: string;
  /** Endpoints of the replicas themselves. */
  readonly replicaUrls: readonly string[];
  readonly redis: RedisServer;
  /** Ends a replica as `kill -9` does, and starts another one in its place. */
  replace(index: number): Promise<void>;
  kill(index: number): Promise<void>;
  close(): Promise<void>;
}

/** True if the Debian packages `redis-server` and `haproxy` are installed. */
export const canStartCluster = hasRedis && isInstalled('haproxy', '-v');

const replica = bundleProgram(new URL('./replica.ts', import.meta.url));

export async function startCluster(count = 3): Promise<Cluster> {
  const redis = await startRedis();
  const env = { REDIS_URL: redis.url };
  const ports = await Promise.all(Array.from({ length: count }, findFreePort));
  const peers: HttpPeer[] = await Promise.all(ports.map(port => startHttpPeer(replica, env, port)));
  const balancer = await startBalancer(ports);
  const kill = async (index: number) => peers[index]?.stop();
  return {
    url: `http://127.0.0.1:${balancer.port}/mcp`,
    sseUrl: `http://127.0.0.1:${balancer.port}/sse`,
    replicaUrls: ports.map(port => `http://127.0.0.1:${port}/mcp`),
    redis,
    kill,
    async replace(index) {
      await kill(index);
      peers[index] = await startHttpPeer(replica, env, ports[index]);
    },
    async close() {
      await balancer.close();
      await Promise.all(peers.map(peer => peer.stop()));
      await redis.close();
    },
  };
}

interface Balancer {
  readonly port: number;
  close(): Promise<void>;
}

/** Starts HAProxy without stickiness. A request that reached no replica is sent to another one. */
async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const port = await findFreePort();
  const folder = mkdtempSync(join(tmpdir(), 'tenon-haproxy-'));
  const file = join(folder, 'haproxy.cfg');
  const servers = ports.map((each, index) => `  server r${index} 127.0.0.1:${each} check inter 200 fall 1 rise 1`);
  writeFileSync(file, `${CONFIGURATION.replace('PORT', String(port))}${servers.join('\n')}\n`);
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  await retryUntilPasses(async () => {
    await fetch(`http://127.0.0.1:${port}/mcp`);
  });
  return {
    port,
    async close() {
      child.kill('SIGKILL');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const CONFIGURATION = `
global
  maxconn 4000
defaults
  mode http
  timeout connect 2s
  timeout client 120s
  timeout server 120s
  retries 3
  option redispatch 1
  option http-no-delay
  retry-on conn-failure
frontend mcp
  bind 127.0.0.1:PORT
  default_backend replicas
backend replicas
  balance roundrobin
`;
