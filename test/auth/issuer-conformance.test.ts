/** The official suite against our issuer. It waits for a browser, which is us. It needs Node 22 or later, as installed for tests. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createIssuer } from '@tenon/issuer';
import { toNode } from 'tenon/node';
import { afterEach, expect, it } from 'vitest';
import { findFreePort } from '../../packages/tenon/src/stores/fixtures/find-free-port.js';
import { visit } from './issuer-visit.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const node = join(root, 'test/runtimes/node_modules/.bin/node');
const suite = join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');

const open: Server[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  }
});

async function portOf(server: Server): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Runs the suite, and does what it asks the user to do. */
function run(args: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(node, [suite, 'authorization', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let visited = false;
  const read = (chunk: Buffer) => {
    output += chunk;
    const [, url] = /^(http:\S+\/authorize\?\S+)\n/m.exec(output) ?? [];
    if (url === undefined || visited) return;
    visited = true;
    visit(url).catch(error => {
      output += `\nthe user did not return: ${error instanceof Error ? (error.stack ?? error.message) : error}`;
      child.kill();
    });
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  return new Promise(resolve => child.once('close', code => resolve({ code, output })));
}

it.skipIf(!existsSync(node))('passes the official conformance suite of authorization servers', async () => {
  let handle: ReturnType<typeof toNode> | undefined;
  const server = createServer((request, response) => handle?.(request, response));
  const url = `http://127.0.0.1:${await portOf(server)}`;
  open.push(server);
  handle = toNode(createIssuer({ url, clients: [{ id: 'suite', redirects: ['http://127.0.0.1/callback'] }] }));
  const callback = String(await findFreePort());
  const about = ['--url', url, '--client-id', 'suite', '--resource', 'http://127.0.0.1:1/mcp', '-p', callback];
  const { code, output } = await run(about);
  expect(output.match(/✓ authorization-.*/g), output).toEqual([
    '✓ authorization-server-metadata-endpoint: 2 passed, 0 failed',
    '✓ authorization-code-grant: 1 passed, 0 failed',
  ]);
  expect(code, output).toBe(0);
});
