import { readFile } from 'node:fs/promises';
import type { ApprovalsView, GatewayToolsView, GatewayView, ToolSearchView } from '@tenon/console/api';
import { allow, ask, createHost } from '@tenon/host';
import { createServer, tool } from 'tenon';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SERVER_CHANGES } from '../../gateway/control-socket.js';
import { listServerStates } from '../../gateway/gateway-status.js';
import { createLogTelemetry } from '../../serving/trace-ids.js';
import { openTestConsole } from '../fixtures/console-page.js';
import { createTestGateway, type TestGateway } from '../fixtures/test-gateway.js';
import { createGatewayTarget } from '../open-gateway-console.js';
import { FEATURES } from '../server-features.js';
import { CallFigures } from './call-figures.js';
import { ConsoleGateway } from './console-gateway.js';

let gateway: TestGateway;
let page: Awaited<ReturnType<typeof openTestConsole>>;
let time = 0;
beforeAll(async () => {
  gateway = await createTestGateway(() => (time += 5));
  page = await openTestConsole(gateway.console);
});
afterAll(async () => {
  await page.close();
  await gateway.host.close();
});

const read = async <T>(path: string): Promise<T> => (await page.send('GET', path)).json() as Promise<T>;
const findServer = async (name: string) =>
  (await read<GatewayView>('gateway')).servers.find(server => server.name === name);

/** Requests with a body that a page may send although it is read-only. */
const READING = [
  'POST wire/search',
  'POST recordings/x/wire',
  'POST recordings/x/wire/search',
  'POST recordings',
  'POST tests',
];

/** Lists all requests of the API that are no GET, from its source. */
async function listChanges(): Promise<string[]> {
  const source = await readFile(new URL('../console-api.ts', import.meta.url), 'utf8');
  const routes = [...source.matchAll(/case '(POST|DELETE) ([^']+)'/g)].map(([, method, path]) => `${method} ${path}`);
  const features = Object.keys(FEATURES).map(feature => `POST servers/…/${feature}`);
  const changes = SERVER_CHANGES.map(change => `POST gateway/…/${change}`);
  const approvals = ['POST approvals/x', 'DELETE approvals/x'];
  return [...routes, ...features, ...changes, ...approvals].map(route => route.replace('…', 'notes'));
}

describe('the console of a gateway', () => {
  it('counts the calls of all callers, their errors, and their durations [con.latency]', async () => {
    await page.waitFor('server', ({ server }) => server.name === 'notes' && server.counts !== null);
    for (const name of ['notes__add', 'notes__add', 'notes__lose']) await gateway.host.callTool(name, {});
    expect((await findServer('notes'))?.figures).toEqual({ calls: 3, errors: 1, median: 5, p95: 5, p99: 5 });
    expect((await findServer('pages'))?.figures).toEqual({ calls: 0, errors: 0, median: null, p95: null, p99: null });
  });

  it('describes servers as `tenon gateway status`, also one that is skipped', async () => {
    expect(await findServer('notes')).toMatchObject({ state: 'connected', serverVersion: '1.2.0', tools: 2 });
    expect(await findServer('typo')).toMatchObject({ state: 'skipped', reason: 'unknown setting "comand"' });
  });

  it('lists the tools of a server with their tokens and the figures of their calls [con.budget]', async () => {
    const { tools, tokens } = await read<GatewayToolsView>('gateway/notes/tools');
    expect(tools.map(({ name }) => name).sort()).toEqual(['notes__add', 'notes__lose']);
    const figures = Object.fromEntries(tools.map(tool => [tool.name, tool.figures]));
    expect(figures).toEqual({
      notes__add: { calls: 2, errors: 0, median: 5, p95: 5, p99: 5 },
      notes__lose: { calls: 1, errors: 1, median: 5, p95: 5, p99: 5 },
    });
    expect(tokens).toBe(tools.reduce((sum, tool) => sum + tool.tokens, 0));
  });

  it('searches tools as a model does, though the gateway has no budget [con.budget]', async () => {
    const { tool, tools, tokens } = await read<ToolSearchView>('gateway/search?query=browser');
    expect(tool).toBe('search_tools');
    expect(tools).toEqual([
      { name: 'pages__open', server: 'pages', description: 'Opens a page in a browser.', tokens: expect.any(Number) },
    ]);
    expect(tokens).toBeGreaterThanOrEqual(tools[0]?.tokens ?? 0);
    const listed: string[] = [];
    for await (const { name } of gateway.host.client.listTools()) listed.push(name);
    expect(listed).toContain('notes__add');
  });

  it('changes a server by the functions of the control socket', async () => {
    const disabled = await page.send('POST', 'gateway/notes/disable');
    expect(await disabled.json()).toMatchObject({ name: 'notes', state: 'disabled' });
    expect((await findServer('notes'))?.state).toBe('disabled');
    for (const change of ['enable', 'restart', 'reconnect'])
      expect(await (await page.send('POST', `gateway/notes/${change}`)).json()).toMatchObject({ state: 'connected' });
    expect(gateway.changes).toEqual(['disable notes', 'enable notes', 'restart notes', 'reconnect notes']);
    expect(await (await page.send('POST', 'gateway/typo/restart')).json()).toMatchObject({
      error: { code: 'cli/unusable-server', cause: expect.stringContaining('unknown setting "comand"') },
    });
    expect((await page.send('POST', 'gateway/notes/forget')).status).toBe(404);
  });
});

describe('the approvals of a gateway', () => {
  const findApprovals = (): ApprovalsView | undefined =>
    page.events.findLast((event): event is Extract<typeof event, { type: 'approvals' }> => event.type === 'approvals')
      ?.approvals;
  const waitForPending = async (count: number) => {
    await expect.poll(() => findApprovals()?.pending.length, { timeout: 10_000 }).toBe(count);
    return findApprovals()?.pending ?? [];
  };
  const erase = (args: object) => gateway.host.callTool('archive__erase', { ...args });
  afterEach(() => waitForPending(0));

  it('shows a waiting call with its caller, its effects and the reason, and carries it out when it is allowed [con.approvals]', async () => {
    const call = erase({ page: 'a', token: 'sk-live-0123456789abcdefghijkl' });
    const [pending] = await waitForPending(1);
    expect(pending).toMatchObject({
      kind: 'tool',
      server: 'archive',
      name: 'erase',
      caller: {},
      description: 'Erases for good.',
      hints: ['may destroy data'],
      reason: expect.stringContaining('erasing cannot be undone'),
      isCut: false,
    });
    expect(pending?.arguments).toContain('"page": "a"');
    expect(pending?.arguments).not.toContain('sk-live');
    expect((await page.send('POST', `approvals/${pending?.id}`, { decision: 'allow' })).status).toBe(200);
    expect(JSON.stringify(await call)).toContain('erased');
  });

  it('denies a call, and shows the same decision only once [con.approvals]', async () => {
    const call = erase({ page: 'b' });
    const [pending] = await waitForPending(1);
    const send = () => page.send('POST', `approvals/${pending?.id}`, { decision: 'deny' });
    expect((await send()).status).toBe(200);
    expect(await call).toMatchObject({ isError: true });
    expect(await (await send()).json()).toMatchObject({
      error: { code: expect.stringMatching(/^policy\/(answered|no-pending-approval)$/) },
    });
  });

  it('remembers an approval for these arguments until it is revoked [con.approvals]', async () => {
    const call = erase({ page: 'c' });
    const [pending] = await waitForPending(1);
    await page.send('POST', `approvals/${pending?.id}`, { decision: 'allow', remember: 'exact' });
    await call;
    expect(JSON.stringify(await erase({ page: 'c' }))).toContain('erased');
    await expect.poll(() => findApprovals()?.remembered.length).toBe(1);
    const [remembered] = findApprovals()?.remembered ?? [];
    expect(remembered).toMatchObject({ server: 'archive', name: 'erase', scope: 'the same arguments' });
    expect((await page.send('DELETE', `approvals/${remembered?.id}`)).status).toBe(200);
    await expect.poll(() => findApprovals()?.remembered).toEqual([]);
    expect(await (await page.send('DELETE', `approvals/${remembered?.id}`)).json()).toMatchObject({
      error: { code: 'console/unknown' },
    });
    const again = erase({ page: 'c' });
    const [next] = await waitForPending(1);
    await page.send('POST', `approvals/${next?.id}`, { decision: 'deny' });
    await again;
  });

  it('shows what another process answers in the same store [con.approvals]', async () => {
    const call = erase({ page: 'd' });
    const [pending] = await waitForPending(1);
    await gateway.host.approvals.answer(pending?.id ?? '', 'deny', { by: 'olga' });
    await call;
  });

  it('refuses an unknown decision, scope and id', async () => {
    for (const body of [{}, { decision: 'maybe' }, { decision: 'allow', remember: 'forever' }])
      expect(await (await page.send('POST', 'approvals/x', body)).json()).toMatchObject({
        error: { code: 'cli/usage' },
      });
    for (const id of ['x', '__proto__', '..%2f..', 'a'.repeat(3000)])
      expect(await (await page.send('POST', `approvals/${id}`, { decision: 'allow' })).json()).toMatchObject({
        error: { code: 'policy/no-pending-approval' },
      });
    expect((await page.send('POST', 'approvals/x/allow', {})).status).toBe(404);
    expect((await page.send('GET', 'approvals/x')).status).toBe(404);
  });
});

describe('the console of a gateway with changed names', () => {
  it('finds the figures and the description of tools whose names the gateway has changed', async () => {
    const figures = new CallFigures();
    const run = () => 'done';
    const service = createServer({
      name: 'notes',
      version: '1.0.0',
      tools: {
        'files.read': tool({ description: 'Reads a file.', input: { type: 'object' }, run }),
        add: tool({ description: 'Adds a note.', input: { type: 'object' }, run }),
        drop: tool({ description: 'Drops a note.', input: { type: 'object' }, run }),
      },
    });
    const overrides = { add: { name: 'write' } };
    const host = await createHost({
      servers: { 'My Notes!': { service, tools: { overrides } } },
      policy: [ask('*/drop'), allow()],
      telemetry: figures.observe(createLogTelemetry()),
    });
    const controlled = new ConsoleGateway({
      host,
      figures,
      getStatus: () => ({
        files: [],
        endpoints: [],
        stdio: true,
        servers: listServerStates(host.describeServers(), []),
      }),
      onChange: () => {},
    });
    const changed = await openTestConsole({ gateway: controlled, targets: [createGatewayTarget(host, 'My Notes!')] });
    try {
      const [read, write, drop] = ['files.read', 'add', 'drop'].map(name => host.getToolName('My Notes!', name) ?? '');
      for (const name of [read, write, write]) await host.callTool(name ?? '', {});
      const response = await changed.send('GET', `gateway/${encodeURIComponent('My Notes!')}/tools`);
      const { tools } = (await response.json()) as GatewayToolsView;
      expect(tools.map(({ name, figures: { calls } }) => [name, calls]).sort()).toEqual(
        [
          [read, 1],
          [write, 2],
          [drop, 0],
        ].sort(),
      );
      expect(write).toMatch(/__write$/);
      await changed.waitFor('server', ({ server }) => server.counts !== null);
      const call = host.callTool(drop ?? '', {});
      const { approvals } = await changed.waitFor('approvals', event => event.approvals.pending.length === 1);
      expect(approvals.pending[0]).toMatchObject({ name: 'drop', description: 'Drops a note.' });
      await host.approvals.answer(approvals.pending[0]?.id ?? '', 'deny', { by: 'olga' });
      await call;
    } finally {
      await changed.close();
      await host.close();
    }
  });
});

describe('the read-only token of a console', () => {
  const sendReadOnly = (method: string, path: string, body: unknown = {}) =>
    fetch(`${page.origin}/api/${path}`, {
      method,
      headers: { 'x-tenon-token': page.readOnlyToken, 'content-type': 'application/json' },
      ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
    });

  it('refuses each request that changes something, calls, answers or reveals, with 403', async () => {
    const all = await listChanges();
    expect(all.length).toBeGreaterThan(25);
    const refused = all.filter(route => !READING.includes(route));
    for (const route of refused) {
      const [method = '', path = ''] = route.split(' ');
      expect(`${route} ${(await sendReadOnly(method, path)).status}`).toBe(`${route} 403`);
    }
    expect(gateway.changes).toHaveLength(4);
  });

  it('refuses real attacks with valid bodies, and leaves no trace of them', async () => {
    const before = await read('gateway');
    const call = { server: 'notes', method: 'tools/call', params: { name: 'add', arguments: {} } };
    const attacks = [
      ['POST', 'calls', call],
      ['POST', 'calls/1/repeat', {}],
      ['POST', 'input-requests/1', { action: 'accept' }],
      ['POST', 'servers', { target: '-- node -e 0' }],
      ['DELETE', 'servers/notes', {}],
      ['POST', 'wire/1/reveal', { path: [] }],
      ['POST', 'wire/search/../1/reveal', { path: [] }],
      ['POST', 'wire%2Fsearch', { texts: [], after: 0 }],
      ['POST', 'gateway/notes/disable', {}],
      ['POST', 'approvals/x', { decision: 'allow' }],
      ['DELETE', 'approvals/x', {}],
      ['GET', 'servers/notes/doctor', {}],
      ['PUT', 'gateway', {}],
      ['PATCH', 'servers/notes', {}],
    ] as const;
    for (const [method, path, body] of attacks)
      expect(`${method} ${path} ${(await sendReadOnly(method, path, body)).status}`).toBe(`${method} ${path} 403`);
    expect(await read('gateway')).toEqual(before);
    expect(page.events.filter(({ type }) => type === 'call' || type === 'input-request')).toEqual([]);
  });

  it('reads the state, and searches messages', async () => {
    for (const path of ['gateway', 'gateway/notes/tools', 'gateway/search?query=note', 'servers/notes'])
      expect((await sendReadOnly('GET', path)).status).toBe(200);
    expect((await sendReadOnly('POST', 'wire/search', { texts: ['notes'], after: 0 })).status).toBe(200);
  });

  it('tells the page its role, and differs from the token of the operator', async () => {
    expect(page.events[0]).toMatchObject({ type: 'hello', role: 'operator', isGateway: true });
    expect(page.readOnlyToken).not.toBe(page.token);
    expect(Buffer.from(page.readOnlyToken, 'base64url')).toHaveLength(32);
    const headers = { 'x-tenon-token': page.readOnlyToken };
    const { body } = await fetch(`${page.origin}/api/events`, { headers });
    const { value } = (await body?.getReader().read()) ?? {};
    expect(new TextDecoder().decode(value)).toContain('"role":"read-only"');
  });
});
