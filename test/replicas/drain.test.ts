import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer, memoryStores, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { afterEach, describe, expect, it } from 'vitest';
import { findFreePort } from '../../packages/tenon/src/stores/fixtures/find-free-port.js';
import { getProgram, hasPrograms } from '../../scripts/optional-programs.mjs';
import { getText } from '../interop/collect.js';
import { retryUntilPasses } from '../interop/retry.js';

const readFile = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const readExample = () => readFile('examples/replicas/haproxy.cfg');

/** Returns the block of a page that begins with a line. */
function readBlock(page: string, firstLine: string): string {
  const blocks = readFile(page).matchAll(/^```[^\n]*\n([\s\S]*?)^```$/gm);
  const found = [...blocks].map(([, text = '']) => text).find(text => text.startsWith(`${firstLine}\n`));
  if (found === undefined) throw new Error(`${page} has no block that begins with "${firstLine}"`);
  return found;
}

/** Returns the reference to a variable in a configuration of HAProxy. */
const toVariable = (name: string) => `"\${${name}}"`;

/** The configurations that the project publishes. Only addresses are replaced. */
const configurations = {
  'examples/replicas/haproxy.cfg': readExample,
  'docs/deploy/reverse-proxies.md': () =>
    readBlock('docs/deploy/reverse-proxies.md', 'global')
      .replace(/^ {2}bind .*$/m, `  bind ${toVariable('LISTEN')}`)
      .replace('127.0.0.1:3000', toVariable('REPLICA_ONE'))
      .replace('127.0.0.1:3001', toVariable('REPLICA_TWO')),
  'docs/deploy/replicas.md': () => {
    const [defaults = ''] = readExample().split('\nbackend ');
    const backend = readBlock('docs/deploy/replicas.md', 'backend tenon');
    return `${defaults.replace('default_backend replicas', 'default_backend tenon')}\n${backend}`
      .replace('10.0.0.1:3000', toVariable('REPLICA_ONE'))
      .replace('10.0.0.2:3000', toVariable('REPLICA_TWO'));
  },
};

/** Starts replicas with shared stores in this process, and HAProxy in front of them. */
async function startReplicas(configuration: string) {
  const shared = { ...memoryStores(), durable: true, close: async () => {} };
  const closing: (() => Promise<unknown>)[] = [];
  let executed = 0;
  const waiting: (() => void)[] = [];
  const busy = new Set<string>();
  const replicas = await Promise.all(
    ['one', 'two', 'three'].map(async name => {
      const server = createServer({
        name: 'drain',
        version: '1.0.0',
        stores: shared,
        tools: {
          where: tool({ run: () => name }),
          // Runs until the test releases it.
          work: tool({
            async run() {
              executed += 1;
              busy.add(name);
              await new Promise<void>(resolve => waiting.push(resolve));
              return name;
            },
          }),
        },
      });
      const http = await serveHttp(server, { port: 0, health: true });
      closing.push(() => http.close({ timeout: 0 }));
      return { name, http, address: new URL(http.url).host };
    }),
  );
  const folder = mkdtempSync(join(tmpdir(), 'tenon-drain-'));
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, configuration);
  const listen = `127.0.0.1:${await findFreePort()}`;
  const [one, two, three] = replicas.map(({ address }) => address);
  const env = { ...process.env, LISTEN: listen, REPLICA_ONE: one, REPLICA_TWO: two, REPLICA_THREE: three };
  const balancer: ChildProcess = spawn(getProgram('haproxy'), ['-db', '-f', file], { env, stdio: 'ignore' });
  closing.push(async () => {
    const exited = once(balancer, 'exit');
    balancer.kill('SIGKILL');
    await exited;
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  await retryUntilPasses(async () => expect((await fetch(`http://${listen}/readyz`)).status).toBe(200));
  return {
    url: `http://${listen}/mcp`,
    replicas,
    countExecuted: () => executed,
    /** Returns a replica that runs calls. Under load, HAProxy may use only some of them. */
    findBusy: () => replicas.find(({ name }) => busy.has(name)),
    release: () => {
      for (const resolve of waiting.splice(0)) resolve();
    },
    async close() {
      for (const close of closing.reverse()) await close();
    },
  };
}

describe.skipIf(!hasPrograms('haproxy'))('HAProxy with a published configuration', () => {
  let site: Awaited<ReturnType<typeof startReplicas>> | undefined;
  afterEach(async () => {
    await site?.close();
    site = undefined;
  });

  /** Drains one replica while calls run. Returns their outcomes. */
  async function drain(configuration: string, ...versions: ('2026-07-28' | '2025-11-25')[]) {
    site = await startReplicas(configuration);
    const { url, findBusy, countExecuted, release } = site;
    const clients = await Promise.all(versions.map(protocolVersion => connect(url, { protocolVersion })));
    const running = Array.from({ length: 12 }, (_, index) =>
      clients[index % clients.length]?.callTool('work').then(
        result => getText(result),
        error => String(error),
      ),
    );
    await retryUntilPasses(() => expect(countExecuted()).toBe(12));
    const drained = findBusy();
    const closed = drained?.http.close({ delay: 4000, timeout: 60_000 });
    // HAProxy has noticed when it passes several requests in turn to other replicas only.
    const visitor = await connect(url, { protocolVersion: '2026-07-28' });
    await retryUntilPasses(async () => {
      const places = await Promise.all(Array.from({ length: 9 }, () => visitor.callTool('where').then(getText)));
      expect(places).not.toContain(drained?.name);
    });
    release();
    const outcomes = await Promise.all(running);
    await Promise.all([...clients, visitor].map(client => client.close()));
    await closed;
    return { outcomes, executed: countExecuted(), drained: drained?.name };
  }

  const published = [
    'examples/replicas/haproxy.cfg',
    'docs/deploy/reverse-proxies.md',
    'docs/deploy/replicas.md',
  ] as const;
  it.each(published)('loses no call of a replica that drains: %s [so.drain]', async name => {
    const { outcomes, executed, drained } = await drain(configurations[name](), '2026-07-28', '2025-11-25');
    expect(outcomes.filter(each => !['one', 'two', 'three'].includes(String(each)))).toEqual([]);
    expect(outcomes).toContain(drained);
    expect([outcomes.length, executed]).toEqual([12, 12]);
  });

  it('loses calls with `on-marked-down shutdown-sessions`, which the pages advise against', async () => {
    const configuration = readExample().replace('rise 1', 'rise 1 on-marked-down shutdown-sessions');
    const { outcomes } = await drain(configuration, '2026-07-28');
    expect(outcomes.filter(each => String(each).startsWith('TenonError'))).not.toEqual([]);
  });

  it.each(Object.entries(configurations))('accepts the configuration of %s', (_, read) => {
    const folder = mkdtempSync(join(tmpdir(), 'tenon-haproxy-'));
    writeFileSync(join(folder, 'haproxy.cfg'), read());
    const addresses = { REPLICA_ONE: '127.0.0.1:3001', REPLICA_TWO: '127.0.0.1:3002', REPLICA_THREE: '127.0.0.1:3003' };
    const { status, stderr } = spawnSync(getProgram('haproxy'), ['-c', '-f', join(folder, 'haproxy.cfg')], {
      env: { ...process.env, LISTEN: '127.0.0.1:8080', ...addresses },
      encoding: 'utf8',
    });
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    expect({ status, alerts: /ALERT|WARNING/.test(stderr) }).toEqual({ status: 0, alerts: false });
  });
});
