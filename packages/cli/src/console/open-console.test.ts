import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createServer, protocolVersions, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { afterEach, describe, expect, it } from 'vitest';
import { openTestConsole } from './fixtures/console-page.js';

const text = (name: string) => ({ type: 'object' as const, properties: { [name]: { type: 'string' as const } } });

const server = createServer({
  name: 'fixture',
  version: '1.0.0',
  tools: {
    echo: tool({ input: text('message'), run: ({ message }) => `said ${String(message)}` }),
    greet: tool({
      input: text('topic'),
      async run(_, ctx) {
        const { action, content } = await ctx.elicit({
          message: 'Who are you?',
          input: { ...text('name'), required: ['name'] },
        });
        return `${action} ${JSON.stringify(content ?? null)}`;
      },
    }),
    wrong: tool({
      input: { type: 'object' },
      output: { type: 'object', properties: { count: { type: 'integer' } } },
      run: () => ({ count: 1 }),
    }),
    slow: tool({
      input: { type: 'object' },
      run: (_, { signal }) =>
        new Promise<string>(resolve => signal.addEventListener('abort', () => resolve('stopped'))),
    }),
    burst: tool({
      input: { type: 'object' },
      run(_, { progress }) {
        for (let count = 1; count <= 200; count += 1) progress(count, 200);
        return 'sent';
      },
    }),
    ['__proto__']: tool({ input: { type: 'object' }, run: () => 'a plain name' }),
  },
});
const target = { resolved: { target: server, label: 'fixture' } };

let page: Awaited<ReturnType<typeof openTestConsole>> | undefined;
afterEach(async () => {
  await page?.close();
  page = undefined;
});

async function openConnected(version?: string) {
  page = await openTestConsole({
    targets: [{ target, name: 'fixture' }],
    ...(version === undefined ? {} : { connection: { protocolVersion: version } }),
  });
  await page.waitFor('server', event => event.server.counts !== null);
  return page;
}

const start = (opened: Awaited<ReturnType<typeof openTestConsole>>, name: string, args: object = {}) =>
  opened.call('POST', 'calls', { server: 'fixture', method: 'tools/call', params: { name, arguments: args } });

describe('a call of the console', () => {
  it('counts in the figures of its server [con.latency]', async () => {
    const opened = await openConnected();
    for (let count = 0; count < 3; count += 1) await start(opened, 'echo', { message: 'hi' });
    const { server: counted } = await opened.waitFor('server', event => event.server.calls === 3);
    const { durations, median, p95 } = counted;
    const sorted = durations.toSorted((a, b) => a - b);
    expect([median, p95]).toEqual([sorted[1], sorted[2]]);
  });

  it.each([...protocolVersions])(
    'returns the result, the messages and their durations on %s [con.revision]',
    async version => {
      const opened = await openConnected(version);
      const { id } = await start(opened, 'echo', { message: 'hi' });
      const { call } = await opened.waitFor('call', event => event.call.id === id && event.call.took !== null);
      expect(call).toMatchObject({ state: 'done', protocolVersion: version, rounds: 1, messages: 2, isError: false });
      expect(await opened.call('GET', `calls/${id}`)).toMatchObject({
        result: { content: [{ type: 'text', text: 'said hi' }] },
        tokens: expect.any(Number),
      });
      await opened.waitFor('wire', ({ rows }) => rows.some(row => row.call === id && row.kind === 'result'));
      const own = opened.rows().filter(row => row.call === id);
      expect(own).toMatchObject([
        { from: 'client', kind: 'request', method: 'tools/call', name: 'echo' },
        {
          from: 'server',
          kind: 'result',
          method: 'tools/call',
          name: 'echo',
          request: own[0]?.seq,
          took: expect.any(Number),
        },
      ]);
    },
  );

  it.each([...protocolVersions].filter(version => version >= '2025-06-18'))(
    'waits for the input response of the user within the call on %s [con.ask]',
    async version => {
      const opened = await openConnected(version);
      const { id } = await start(opened, 'greet');
      const { request } = await opened.waitFor('input-request');
      expect(request).toMatchObject({
        server: 'fixture',
        call: id,
        kind: 'form',
        message: 'Who are you?',
        state: 'open',
      });
      await opened.waitFor('call', ({ call }) => call.id === id && call.state === 'waiting');
      const response = { action: 'accept', content: { name: 'Ann' } };
      expect(await opened.call('POST', `input-requests/${request.id}`, response)).toEqual({});
      await opened.waitFor('call', ({ call }) => call.id === id && call.took !== null);
      const { result } = await opened.call('GET', `calls/${id}`);
      expect(result.content).toEqual([{ type: 'text', text: 'accept {"name":"Ann"}' }]);
      // Another page may answer at the same time.
      expect(await opened.call('POST', `input-requests/${request.id}`, response)).toMatchObject({
        error: { code: 'console/answered' },
      });
    },
  );

  it('is cancelled, and repeated with the same arguments', async () => {
    const opened = await openConnected();
    const { id } = await start(opened, 'slow');
    await opened.call('POST', `calls/${id}/cancel`);
    const { call } = await opened.waitFor('call', event => event.call.id === id && event.call.took !== null);
    expect(call.state).toBe('cancelled');
    const first = await start(opened, 'echo', { message: 'twice' });
    const again = await opened.call('POST', `calls/${first.id}/repeat`);
    await opened.waitFor('call', event => event.call.id === again.id && event.call.state === 'done');
    expect(await opened.call('GET', `calls/${again.id}`)).toMatchObject({
      result: { content: [{ text: 'said twice' }] },
    });
  });

  it('sends all messages of a burst, and each state once for many of them', async () => {
    const opened = await openConnected();
    const { id } = await start(opened, 'burst');
    await opened.waitFor('wire', ({ rows }) => rows.some(row => row.call === id && row.kind === 'result'));
    const { call } = await opened.waitFor('call', event => event.call.id === id && event.call.took !== null);
    // A server of this library drops reports that follow each other too fast.
    expect(call.messages).toBeGreaterThan(50);
    expect(opened.rows().filter(row => row.call === id)).toHaveLength(call.messages);
    expect(opened.events.filter(event => event.type === 'call' && event.call.id === id).length).toBeLessThan(100);
  });

  it('calls a tool named __proto__ [con.untrusted]', async () => {
    const opened = await openConnected();
    const { id } = await start(opened, '__proto__');
    await opened.waitFor('call', event => event.call.id === id && event.call.state === 'done');
    expect(await opened.call('GET', `calls/${id}`)).toMatchObject({ result: { content: [{ text: 'a plain name' }] } });
  });

  it('checks structured content by the output schema of the tool [con.output]', async () => {
    const opened = await openConnected();
    const { id } = await start(opened, 'wrong');
    await opened.waitFor('call', event => event.call.id === id && event.call.took !== null);
    expect(await opened.call('GET', `calls/${id}`)).toMatchObject({
      issues: [],
      result: { structuredContent: { count: 1 } },
    });
  });
});

describe('the messages of the console', () => {
  it('have no secrets, are found by their text, and are read one by one [con.wire]', async () => {
    const opened = await openConnected();
    const secret = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
    const { id } = await start(opened, 'echo', { message: `needle ${secret}` });
    await opened.waitFor('call', event => event.call.id === id && event.call.took !== null);
    const { found, last } = await opened.call('POST', 'wire/search', { texts: ['NEEDLE', 'none'], after: 0 });
    expect(found).toEqual([[expect.any(Number), expect.any(Number)], []]);
    expect((await opened.call('POST', 'wire/search', { texts: ['NEEDLE'], after: last })).found).toEqual([[]]);
    const message = await opened.call('GET', `wire/${found[0]?.[0]}`);
    expect(message).toMatchObject({
      row: { seq: found[0]?.[0], call: id, version: protocolVersions[0] },
      cuts: [],
    });
    const text = await opened.call('GET', `wire/${found[0]?.[0]}/text`);
    expect(text.text).toContain('needle');
    expect(text.text).not.toContain(secret);
    expect(JSON.stringify([message, await opened.call('GET', `calls/${id}`)])).not.toContain(secret);
    expect((await opened.call('POST', 'wire/search', { texts: [secret], after: 0 })).found).toEqual([[]]);
  });
});

describe('the servers of the console', () => {
  it('start no program that the user typed into the page before the user allows it', async () => {
    page = await openTestConsole();
    const { name } = await page.call('POST', 'servers', { target: 'node --eval "process.exit(3)"' });
    const { request } = await page.waitFor('input-request');
    expect(request).toMatchObject({
      server: name,
      kind: 'approval',
      details: expect.stringContaining('process.exit(3)'),
    });
    expect(page.rows()).toEqual([]);
    await page.call('POST', `input-requests/${request.id}`, { action: 'decline' });
    const { server: refused } = await page.waitFor('server', event => event.server.state === 'failed');
    expect(refused.error).toMatchObject({ code: 'config/not-approved' });
  });

  it('show why one is not connected, and connect again with another version [con.multi]', async () => {
    const opened = await openConnected();
    await opened.call('POST', 'servers/fixture/reconnect', { version: '2025-03-26' });
    const { server: connected } = await opened.waitFor(
      'server',
      event => event.server.protocolVersion === '2025-03-26',
    );
    expect(connected).toMatchObject({ requestedVersion: '2025-03-26', info: { name: 'fixture' } });
    const { name } = await opened.call('POST', 'servers', { target: 'http://127.0.0.1:9/mcp' });
    const { server: failed } = await opened.waitFor(
      'server',
      event => event.server.name === name && event.server.finding !== null,
    );
    expect(failed).toMatchObject({ state: 'failed', error: { code: 'http/unreachable', fix: expect.any(String) } });
    expect(await opened.call('GET', `servers/${encodeURIComponent(name)}`)).toMatchObject({
      error: { code: 'console/not-connected' },
    });
    await opened.call('DELETE', `servers/${encodeURIComponent(name)}`);
    await opened.waitFor('removed', event => event.server === name);
  });

  it('use the newest version on request, although the command was started with another one [con.revision]', async () => {
    const opened = await openConnected('2025-03-26');
    await opened.call('POST', 'servers/fixture/reconnect', { version: null });
    const { server: connected } = await opened.waitFor(
      'server',
      event => event.server.state === 'connected' && event.server.requestedVersion === null,
    );
    expect(connected.protocolVersion).toBe(protocolVersions[0]);
    expect(opened.events.find(event => event.type === 'hello')).toMatchObject({ protocolVersion: '2025-03-26' });
  });

  it('follow the targets of the command: new ones are connected, and those that are gone are removed', async () => {
    const page = await openTestConsole();
    const toTarget = (name: string) => ({ name, target: { resolved: { target: server, label: name } } });
    await page.setTargets([toTarget('one'), toTarget('two')]);
    await page.waitFor('server', event => event.server.name === 'two' && event.server.counts !== null);
    await page.setTargets([toTarget('two'), toTarget('three')]);
    await page.waitFor('removed', event => event.server === 'one');
    await page.waitFor('server', event => event.server.name === 'three' && event.server.state === 'connected');
    expect(page.events.filter(event => event.type === 'removed')).toHaveLength(1);
    await page.close();
  });

  it('read their lists again when they change, also without a call', async () => {
    const changing = createServer({ name: 'changing', version: '1.0.0', tools: { one: tool({ run: () => '1' }) } });
    page = await openTestConsole({
      targets: [{ name: 'changing', target: { resolved: { target: changing, label: 'changing' } } }],
    });
    await page.waitFor('server', event => event.server.counts !== null);
    await page.waitFor('wire', ({ rows }) =>
      rows.some(({ method }) => method === 'notifications/subscriptions/acknowledged'),
    );
    changing.tools.set('two', tool({ run: () => '2' }));
    const { server: changed } = await page.waitFor('server', event => event.server.counts?.tools === 2);
    expect(changed.toolNames).toEqual(['one', 'two']);
  });

  it('list their tools as `tenon list --json` prints them', async () => {
    const opened = await openConnected();
    const listing = await opened.call('GET', 'servers/fixture');
    expect(listing.tools[0]).toMatchObject({ name: 'echo', signature: expect.any(String), tokens: expect.any(Number) });
  });
});

describe('a server that is added to the console', () => {
  const entry = '{ "type": "http", "url": "http://127.0.0.1:9/mcp" }';

  it.each([
    ['mcp.json', `{ "mcpServers": { "one": ${entry} } }`, ['one']],
    ['VS Code', `// comment\n{ "servers": { "one": ${entry}, "two": ${entry} } }`, ['one', 'two']],
    ['Zed', '{ "context_servers": { "one": { "url": "http://127.0.0.1:9/mcp" } } }', ['one']],
    ['Codex', '[mcp_servers.one]\nurl = "http://127.0.0.1:9/mcp"', ['one']],
    ['Continue', 'mcpServers:\n  - name: one\n    type: streamable-http\n    url: http://127.0.0.1:9/mcp', ['one']],
    ['servers by their names', `{ "one": ${entry} }`, ['one']],
    ['a member', `"one": ${entry}`, ['one']],
    ['an entry', entry, ['pasted']],
  ])('may be pasted in the form of %s [con.multi]', async (_, target, names) => {
    page = await openTestConsole();
    expect(await page.call('POST', 'servers', { target })).toEqual({ name: names[0] });
    // A URL of a configuration needs the approval of the user, too.
    for (const name of names) await page.waitFor('input-request', ({ request }) => request.server === name);
  });

  it('starts no pasted program before the user allows it, and gets the variables of the page', async () => {
    page = await openTestConsole();
    const script = "require('node:fs').writeFileSync(process.env.TENON_PLACE, process.env.TENON_TEAM)";
    const target = JSON.stringify({ mcpServers: { one: { command: process.execPath, args: ['-e', script] } } });
    const [opened, place] = [page, join(page.folder, 'team.txt')];
    for (const action of ['decline', 'accept']) {
      const { name } = await opened.call('POST', 'servers', {
        target,
        env: { TENON_PLACE: place, TENON_TEAM: 'notes' },
      });
      const { request } = await opened.waitFor('input-request', event => event.request.server === name);
      expect(request).toMatchObject({ kind: 'approval', details: expect.stringContaining('writeFileSync') });
      expect(existsSync(place)).toBe(false);
      await opened.call('POST', `input-requests/${request.id}`, { action });
      // The program is no server, so it never connects.
      await opened.waitFor('server', event => event.server.name === name && event.server.state === 'failed');
      expect(existsSync(place)).toBe(action === 'accept');
    }
    // Doctor starts the program again, to find out why it did not connect, and so the file may be empty for a moment.
    await expect.poll(() => readFile(place, 'utf8')).toBe('notes');
    expect(await page.call('POST', 'servers', { target: '{ "mcpServers": {} }' })).toMatchObject({
      error: { code: 'cli/usage', cause: expect.stringContaining('no server') },
    });
  });

  it('shows the HTTP requests of a call with their headers, without secrets, and a secret on request [con.wire]', async () => {
    const http = await serveHttp(server, { port: 0, allowUnauthenticated: true });
    try {
      page = await openTestConsole();
      const headers = { authorization: 'Bearer ghp_abcdefghijklmnopqrstuvwxyz0123456789', 'x-team': 'notes' };
      const { name } = await page.call('POST', 'servers', { target: http.url, headers });
      await page.waitFor('server', event => event.server.counts !== null);
      const params = { name: 'echo', arguments: { message: 'hi', password: 'swordfish' } };
      const { id } = await page.call('POST', 'calls', { server: name, method: 'tools/call', params });
      const { call } = await page.waitFor('call', event => event.call.id === id && event.call.took !== null);
      expect(call.state).toBe('done');
      const { messages } = await page.call('GET', `calls/${id}/http`);
      const [exchange] = messages[0]?.exchanges ?? [];
      expect(messages).toHaveLength(1);
      expect(exchange).toMatchObject({ method: 'POST', url: http.url, status: 200, firstByte: expect.any(Number) });
      expect(exchange?.requestHeaders).toContainEqual(['x-team', 'notes']);
      expect(exchange?.responseHeaders.map(([header]) => header.toLowerCase())).toContain('content-type');
      const seq = messages[0]?.seq ?? 0;
      const message = await page.call('GET', `wire/${seq}`);
      expect(message).toMatchObject({ http: [{ status: 200 }] });
      expect(JSON.stringify([message, messages])).not.toMatch(/ghp_|swordfish/);
      const index = exchange?.requestHeaders.findIndex(([header]) => header === 'authorization');
      const place = { exchange: 0, side: 'request', index };
      expect(await page.call('POST', `wire/${seq}/reveal`, place)).toEqual({ value: headers.authorization });
      const path = ['params', 'arguments', 'password'];
      expect(await page.call('POST', `wire/${seq}/reveal`, { path })).toEqual({ value: 'swordfish' });
      expect(page.screen()).toContain(`the page shows a masked value of message ${seq}: params.arguments.password`);
      expect(page.screen()).not.toContain('swordfish');
    } finally {
      await http.close({ timeout: 0 });
    }
  });
});
