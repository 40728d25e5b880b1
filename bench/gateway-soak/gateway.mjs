// @ts-check
/**
 * The gateway of the soak: `node gateway.mjs URL` serves two upstream servers, one over stdio and one at this URL. The times
 * after which unused sessions and connections end are short. Its URL is the first line of its output.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { allow, createHost, deny, openAudit } from '@tenon/host';
import { serveHttp } from 'tenon/node';

const [, , url = ''] = process.argv;
const args = [fileURLToPath(new URL('upstream.mjs', import.meta.url))];
const folder = mkdtempSync(join(tmpdir(), 'tenon-soak-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
process.on('SIGTERM', () => void host.close().finally(() => process.exit(0)));

const host = await createHost({
  servers: { local: { command: process.execPath, args }, remote: { url } },
  connectionIdleTimeout: 4000,
  inputRequests: { ttl: 5000, suspendTimeout: 5000, maxSuspended: 1000 },
  maxConnectionsPerServer: 64,
  maxProcesses: 8,
  maxShare: 1,
  policy: [deny('*/remove*'), allow('*/*')],
  audit: await openAudit(join(folder, 'audit.jsonl')),
  rateLimits: false,
  onError: () => {},
});
const limits = {
  sessionIdleTimeout: 3000,
  minIdleBeforeEviction: 500,
  unattendedTimeout: 2000,
  keepAliveInterval: 500,
  maxReplayEvents: 32,
};
const served = await serveHttp(host.toServer(), { port: 0, limits });
console.log(served.url);
