import { connect } from 'tenon';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { takePart } from '../support/extent.js';
import { buildCommand, projectWith, runTenon, serving, shopEntry } from './command.js';

const ORIGIN = 'https://app.example.com';
let project: Awaited<ReturnType<typeof projectWith>>;
const closing: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  await buildCommand();
  project = await projectWith({ shop: shopEntry() });
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
afterAll(() => project.remove());

const { command, args } = shopEntry();

const commands = [
  ['gateway', ['gateway', '--trust'], [], '__price'],
  ['bridge', ['bridge'], ['--', command, ...args], 'price'],
] as const;

describe.each(takePart(commands, 0, 2))('tenon %s', (_, before, after, tool) => {
  const start = async (...options: string[]) => {
    const server = await serving(project.folder, [...before, '--port', '0', '--json', ...options, ...after]);
    closing.push(() => server.end());
    return server;
  };

  it('serves all endpoints below --base-path, also by HTTP+SSE, and responds to probes', async () => {
    const { url } = await start('--base-path', '/tools/v1/');
    const { origin, pathname } = new URL(url);
    expect(pathname).toBe('/tools/v1/mcp');
    for (const path of ['/tools/v1/healthz', '/tools/v1/readyz']) expect((await fetch(origin + path)).status).toBe(200);
    for (const path of ['/healthz', '/mcp']) expect((await fetch(origin + path)).status).toBe(404);
    for (const [path, transport] of [
      ['/tools/v1/mcp', 'http'],
      ['/tools/v1/sse', 'http-sse'],
    ] as const) {
      const client = await connect({ url: origin + path, transport });
      closing.push(() => client.close());
      const { tools } = await client.call('tools/list');
      expect(tools.some(({ name }) => name.endsWith(tool))).toBe(true);
    }
  });

  it('lets the pages of --cors read responses, and no others', async () => {
    const { url } = await start('--cors', ORIGIN, 'https://two.example');
    const preflight = (origin: string) =>
      fetch(url, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } });
    for (const origin of [ORIGIN, 'https://two.example'])
      expect((await preflight(origin)).headers.get('access-control-allow-origin')).toBe(origin);
    const other = await preflight('https://evil.example');
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('responds to probes at /healthz and /readyz, unless --no-health', async () => {
    const { url } = await start();
    for (const path of ['/healthz', '/readyz']) expect((await fetch(new URL(path, url))).status).toBe(200);
    const without = await start('--no-health');
    expect((await fetch(new URL('/healthz', without.url))).status).toBe(404);
  });

  it.each([
    ['--base-path', 'tools'],
    ['--base-path', '/a/../b'],
    ['--cors', 'app.example.com'],
    ['--cors', 'https://app.example.com/path'],
  ])('refuses %s %s', async (option, value) => {
    const { code, err } = await runTenon(project.folder, [...before, option, value, ...after]);
    expect(code).toBe(2);
    expect(err).toContain('Expected');
  });
});
