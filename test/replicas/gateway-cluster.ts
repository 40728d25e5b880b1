import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../packages/tenon/src/stores/fixtures/find-free-port.js';
import { bundleProgram, type HttpPeer, startHttpPeer } from '../interop/process.js';
import { startBalancer } from './cluster.js';
import { type ShopServer, startShop } from './shop-server.js';

/** Processes of a gateway with one store, behind HAProxy without stickiness, and the server behind them. */
export interface GatewayCluster {
  /** Endpoint at HAProxy. */
  readonly url: string;
  /** Endpoints of the processes themselves. */
  readonly replicaUrls: readonly string[];
  readonly shop: ShopServer;
  readonly storeUrl: string;
  /** Folder of the audit logs. */
  readonly folder: string;
  /** Names of the audit logs of all processes. Each process has its own. */
  readonly auditFiles: readonly string[];
  /** Ends a process as `kill -9` does, and starts another one in its place. */
  replace(index: number): Promise<void>;
  /** Ends a process as `kill -9` does. */
  kill(index: number): Promise<void>;
  /** Ends all processes with SIGTERM. */
  terminate(): Promise<void>;
  close(): Promise<void>;
}

const program = bundleProgram(new URL('./gateway-replica.ts', import.meta.url));

export async function startGateways(storeUrl: string, count = 2): Promise<GatewayCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-gateways-'));
  const shop = await startShop();
  const auditFiles: string[] = [];
  const start = (port: number): Promise<HttpPeer> => {
    const file = `${auditFiles.length}.jsonl`;
    auditFiles.push(file);
    const AUDIT_FILE = join(folder, file);
    return startHttpPeer(program, { STORE_URL: storeUrl, SERVER_URL: shop.url, AUDIT_FILE }, port);
  };
  const ports = await Promise.all(Array.from({ length: count }, findFreePort));
  const peers = await Promise.all(ports.map(start));
  const balancer = await startBalancer(ports);
  const kill = async (index: number) => peers[index]?.stop();
  return {
    url: `http://127.0.0.1:${balancer.port}/mcp`,
    replicaUrls: ports.map(port => `http://127.0.0.1:${port}/mcp`),
    shop,
    storeUrl,
    folder,
    auditFiles,
    kill,
    async replace(index) {
      await kill(index);
      peers[index] = await start(ports[index] as number);
    },
    async terminate() {
      for (const peer of peers) peer.signal('SIGTERM');
      await Promise.all(peers.map(peer => peer.exited));
    },
    async close() {
      await balancer.close();
      await Promise.all(peers.map(peer => peer.stop()));
      await shop.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
