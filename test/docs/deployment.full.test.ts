import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect } from 'tenon';
import { afterAll, describe, expect, it } from 'vitest';
import { Fleet } from '../../examples/deployment/fleet.ts';
import type { Deployer } from '../../examples/deployment/server.ts';
import { findFreePort } from '../../packages/tenon/src/stores/fixtures/find-free-port.js';
import { root } from './pages.js';
import { run } from './workshop.js';

const tsx = join(root, 'node_modules/tsx/dist/loader.mjs');
const folder = mkdtempSync(join(tmpdir(), 'tenon-deployment-'));
const alive = new Set<ChildProcess>();

afterAll(() => {
  for (const child of alive) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

async function serve(port: number): Promise<ChildProcess> {
  const args = ['--port', String(port), '--folder', folder, '--minute', '400'];
  const child = spawn(process.execPath, ['--import', tsx, join(root, 'examples/deployment/http.ts'), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  alive.add(child);
  child.once('exit', () => alive.delete(child));
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    if (line.includes('is served at')) break;
  }
  child.stdout?.resume();
  return child;
}

const ended = (child: ChildProcess) => new Promise(resolve => child.once('exit', resolve));

describe('examples/deployment', () => {
  it('continues after it was killed, and ends what it began', async () => {
    const port = await findFreePort();
    const url = `http://127.0.0.1:${port}/mcp`;
    const server = await serve(port);
    const client = await connect<Deployer>(url, { elicit: () => ({ action: 'accept', content: {} }) });
    const { id = '' } = await client.tasks.start('deploy', { app: 'shop', version: '1.13.0' });
    const task = client.tasks.resume(id, { tool: 'deploy' });
    for await (const { statusMessage } of task) if (statusMessage === 'rolling out to us') break;
    const dead = ended(server);
    server.kill('SIGKILL');
    await dead;
    await client.close();

    const again = await serve(port);
    const back = ['--import', tsx, join(root, 'examples/deployment/client.ts'), url, '--resume', id, '--yes'];
    const { output, errors } = await run(back, root, 30_000);
    expect(output + errors).toContain("rolledBack: [ 'us', 'asia' ]");
    const history = new Fleet(join(folder, 'fleet.log'), 0).history.map(line => line.replace(/: .*/, ''));
    // The one that was cut in the middle is the only one that may stand there twice.
    const twice = history.filter((line, at) => history.indexOf(line) !== at);
    expect(new Set(history).size).toBeGreaterThanOrEqual(5);
    expect(twice.length).toBeLessThanOrEqual(1);
    const lost = ended(again);
    again.kill('SIGTERM');
    expect(await lost).toBe(0);
  }, 60_000);
});
