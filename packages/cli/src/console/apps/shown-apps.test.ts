import { app } from '@tenon/apps';
import type { OpenedApp } from '@tenon/console/api';
import { createServer, tool } from 'tenon';
import { afterEach, describe, expect, it } from 'vitest';
import { openTestConsole } from '../fixtures/console-page.js';

const input = { type: 'object' as const, properties: { item: { type: 'string' as const } } };
const KEY = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
const prices = app({ uri: 'ui://shop/prices.html', html: '<p>prices' });
const server = createServer({
  name: 'shop',
  version: '1.0.0',
  tools: {
    price: prices.tool(tool({ input, run: ({ item }) => `${String(item)} costs ${KEY}` })),
    hidden: prices.tool(tool({ input, run: () => 'for models' }), { visibility: ['model'] }),
    plain: tool({ input, run: () => 'plain' }),
    fails: prices.tool(
      tool({
        input,
        run() {
          throw new Error('no price');
        },
      }),
    ),
  },
  resources: { ...prices.resources },
});

let page: Awaited<ReturnType<typeof openTestConsole>> | undefined;
afterEach(async () => {
  await page?.close();
  page = undefined;
});

async function openConnected() {
  const opened = await openTestConsole({
    targets: [{ name: 'shop', target: { resolved: { target: server, label: 'shop' } } }],
  });
  page = opened;
  await opened.waitFor('server', event => event.server.counts?.apps === 3);
  const post = async (path: string, body: unknown): Promise<unknown> => (await opened.send('POST', path, body)).json();
  const callTool = async (name: string) => {
    const params = { name, arguments: { item: 'glue' } };
    const { id } = await opened.call('POST', 'calls', { server: 'shop', method: 'tools/call', params });
    await opened.waitFor('call', ({ call }) => call.id === id && call.took !== null);
    return id;
  };
  const openApp = async (more: object = {}) =>
    (await post('apps', { server: 'shop', tool: 'price', origin: opened.origin, ...more })) as OpenedApp;
  return { ...opened, post, callTool, openApp };
}

describe('an app of the console', () => {
  it('gets the definition of its tool, and the arguments and result of an earlier call with masked secrets', async () => {
    const { callTool, openApp, call } = await openConnected();
    const id = await callTool('price');
    const shown = await openApp({ call: id });
    expect(shown.tool).toMatchObject({ name: 'price', _meta: { ui: { resourceUri: 'ui://shop/prices.html' } } });
    expect(shown.tool).not.toHaveProperty('tokens');
    expect(shown.call?.arguments).toEqual({ item: 'glue' });
    expect(JSON.stringify(shown.call?.result)).toContain('glue costs');
    expect(JSON.stringify(shown.call)).not.toContain(KEY);
    expect(await call('GET', `calls/${id}`)).toMatchObject({ hasApp: true });
    expect(await call('GET', `calls/${await callTool('plain')}`)).toMatchObject({ hasApp: false });
  });

  it('is refused for a tool without one, for a call of another tool, and for another origin', async () => {
    const { callTool, post, origin } = await openConnected();
    const id = await callTool('plain');
    const open = (body: object) => post('apps', { server: 'shop', tool: 'price', origin, ...body });
    expect(await open({ tool: 'plain' })).toMatchObject({ error: { cause: 'tool "plain": no app' } });
    expect(await open({ call: id })).toMatchObject({ error: { cause: `call ${id}: not of this tool` } });
    expect(await open({ origin: 'https://attacker.example' })).toMatchObject({ error: { code: 'cli/usage' } });
    expect(await open({ server: 'other' })).toMatchObject({ error: { code: 'console/unknown' } });
    expect(await open({ origin: origin.replace('127.0.0.1', 'localhost') })).toMatchObject({ id: 1 });
  });

  it('gets results as the server sent them, while the page shows them without secrets', async () => {
    const { openApp, post, call, waitFor } = await openConnected();
    const { id } = await openApp();
    const params = { name: 'price', arguments: { item: 'glue' } };
    const started = (await post(`apps/${id}/calls`, { method: 'tools/call', params })) as { id: number };
    const result = await post(`apps/${id}/results`, { call: started.id });
    expect(result).toMatchObject({ content: [{ type: 'text', text: `glue costs ${KEY}` }] });
    await waitFor('call', event => event.call.id === started.id && event.call.state === 'done');
    expect(JSON.stringify(await call('GET', `calls/${started.id}`))).not.toContain(KEY);
    expect(await post(`apps/${id}/results`, { call: started.id })).toMatchObject({
      error: { code: 'console/unknown' },
    });
    const { id: other } = await openApp();
    expect(await post(`apps/${other}/results`, { call: started.id })).toMatchObject({
      error: { code: 'console/unknown' },
    });
  });

  it('reads resources of its server, and calls neither hidden tools nor other methods', async () => {
    const { openApp, post } = await openConnected();
    const { id } = await openApp();
    const run = (method: string, params: object) => post(`apps/${id}/calls`, { method, params });
    const read = (await run('resources/read', { uri: 'ui://shop/prices.html' })) as { id: number };
    expect(await post(`apps/${id}/results`, { call: read.id })).toMatchObject({ contents: [{ text: '<p>prices' }] });
    const failed = (await run('resources/read', { uri: 'ui://shop/none' })) as { id: number };
    expect(await post(`apps/${id}/results`, { call: failed.id })).toMatchObject({
      error: { rpcCode: expect.any(Number) },
    });
    for (const name of ['hidden', 'none'])
      expect(await run('tools/call', { name })).toMatchObject({
        error: { cause: `tool "${name}": not visible to apps` },
      });
    expect(await run('prompts/get', { name: 'a' })).toMatchObject({ error: { code: 'cli/usage' } });
    await page?.send('DELETE', `apps/${id}`);
    expect(await run('tools/call', { name: 'price' })).toMatchObject({ error: { cause: `app ${id}: not open` } });
  });

  it('calls no tool of another server, also if it names the server', async () => {
    const paid: unknown[] = [];
    const bank = createServer({
      name: 'bank',
      version: '1.0.0',
      tools: {
        pay: tool({ input, run: args => String(paid.push(args)) }),
        price: tool({ input, run: args => String(paid.push(args)) }),
      },
    });
    const opened = await openTestConsole({
      targets: [
        { name: 'shop', target: { resolved: { target: server, label: 'shop' } } },
        { name: 'bank', target: { resolved: { target: bank, label: 'bank' } } },
      ],
    });
    page = opened;
    for (const name of ['shop', 'bank'])
      await opened.waitFor('server', event => event.server.name === name && event.server.counts !== null);
    const { id } = await opened.call('POST', 'apps', { server: 'shop', tool: 'price', origin: opened.origin });
    const post = async (place: string, body: object) => (await opened.send('POST', `apps/${id}/${place}`, body)).json();
    const other = { server: 'bank' };
    expect(await post('calls', { ...other, method: 'tools/call', params: { ...other, name: 'pay' } })).toMatchObject({
      error: { cause: 'tool "pay": not visible to apps' },
    });
    // The tool of its own server has the same name, and the app reaches only that one.
    const params = { ...other, name: 'price', arguments: { item: 'glue' } };
    const started: unknown = await post('calls', { ...other, method: 'tools/call', params });
    expect(started).toMatchObject({ server: 'shop' });
    const { call } = await opened.waitFor('call', event => event.call.took !== null);
    expect(call).toMatchObject({ server: 'shop', state: 'done' });
    expect(paid).toEqual([]);
  });

  it('has its messages in the log without secrets, in no recording, and under its own hop in a trace', async () => {
    const { openApp, post, call, waitFor, rows, send } = await openConnected();
    const { id } = await openApp();
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'price', arguments: { token: KEY } },
    };
    const messages = [
      { from: 'client', time: 1000, message },
      { from: 'server', time: 1250, message: { jsonrpc: '2.0', id: 1, result: { content: [] } } },
      { from: 'other', time: 0, message },
      { from: 'client', time: 0, message: 'none' },
      null,
    ];
    await post(`apps/${id}/messages`, { messages });
    await waitFor('wire', event => event.rows.some(({ hop }) => hop === 'app'));
    const own = rows().filter(({ hop }) => hop === 'app');
    expect(own).toMatchObject([
      { from: 'client', kind: 'request', method: 'tools/call', name: 'price', server: 'shop', time: 1000 },
      { from: 'server', kind: 'result', took: 250 },
    ]);
    expect(JSON.stringify(await call('GET', `wire/${own[0]?.seq}`))).not.toContain(KEY);
    expect((await call('POST', 'recordings', {})).text).not.toContain('tools/call');
    expect(await (await send('GET', `trace/${own[0]?.seq}`)).json()).toMatchObject({
      bars: [{ hop: 'app → console' }],
    });
    expect(await post(`apps/${id}/messages`, { messages: 'none' })).toMatchObject({ error: { code: 'cli/usage' } });
  });

  it('has each finding once, and at most 50', async () => {
    const { openApp, waitFor } = await openConnected();
    const { id, sandboxUrl } = await openApp();
    const report = (blocked: string) =>
      fetch(`${sandboxUrl}/report`, {
        method: 'POST',
        body: JSON.stringify({ 'csp-report': { 'effective-directive': 'img-src', 'blocked-uri': blocked } }),
      });
    for (let at = 0; at < 120; at += 1) await report(`https://a.example/${Math.floor(at / 2)}?x=${at}`);
    const { app: shown } = await waitFor('app', event => event.app.id === id && event.app.findings.length >= 50);
    expect(new Set(shown.findings.map(({ blocked }) => blocked)).size).toBe(50);
    expect(shown.findings).toHaveLength(50);
  });

  it('ends when 50 newer ones are open', async () => {
    const { openApp, post } = await openConnected();
    const first = await openApp();
    for (let at = 0; at < 50; at += 1) await openApp();
    expect(await post(`apps/${first.id}/messages`, { messages: [] })).toMatchObject({
      error: { code: 'console/unknown' },
    });
    expect((await fetch(first.sandboxUrl)).status).toBe(404);
  });

  it('gives the page a policy that allows frames of its origin only', async () => {
    const { openApp, origin } = await openConnected();
    const readPolicy = async () => (await fetch(origin)).headers.get('content-security-policy');
    expect(await readPolicy()).toContain("frame-src 'none';");
    const { sandboxUrl } = await openApp();
    expect(await readPolicy()).toContain(`frame-src ${new URL(sandboxUrl).origin};`);
  });
});
