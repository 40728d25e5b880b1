// @ts-check
/**
 * The gateway of Tenon in a process of its own: `node tenon.mjs '{"transport":"http","guard":"screened","server":{"url":"…"}}'`.
 * Over HTTP its URL is the first line of its output.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allow, ask, createHost, deny, openAudit } from '@tenon/host';

/** @typedef {{ transport: 'http' | 'stdio', guard: string, server: import('@tenon/host').HostServer }} Setup */

/** @type {Setup} */
const { transport, guard, server } = JSON.parse(process.argv[2] ?? '');

/** Ten rules, of which the last one fits. */
const policy = [
  ...['rm*', 'drop*', 'delete*', 'exec*'].map(name => deny(`*/${name}`)),
  ...['write*', 'send*', 'pay*'].map(name => ask(`*/${name}`)),
  deny({ arguments: { path: '/etc/*' } }),
  ask({ server: 'production', destructive: true }),
  allow('*/*'),
];

const folder = mkdtempSync(join(tmpdir(), 'tenon-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const isAudited = guard.startsWith('audited');
const audit = isAudited
  ? await openAudit(join(folder, 'audit.jsonl'), { sync: guard === 'audited-batch' ? 'batch' : 'always' })
  : undefined;

const host = await createHost({
  servers: { upstream: server },
  prefix: 'never',
  ...(guard === 'bare' || guard === 'audited-bare' ? { screening: false } : {}),
  ...(guard === 'ruled' || isAudited ? { policy } : {}),
  ...(audit ? { audit } : {}),
});

if (transport === 'http') {
  const { serveHttp } = await import('tenon/node');
  const { url } = await serveHttp(host.toServer(), { port: 0 });
  console.log(url);
  process.on('SIGTERM', () => void host.close().finally(() => process.exit(0)));
} else {
  const { serveStdio } = await import('tenon/stdio');
  await serveStdio(host.toServer(), { onClose: () => host.close() });
}
