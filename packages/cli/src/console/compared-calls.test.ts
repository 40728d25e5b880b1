import { createRequire } from 'node:module';
import { createServer, protocolVersions, tool } from 'tenon';
import { afterEach, describe, expect, it } from 'vitest';
import { openTestConsole } from './fixtures/console-page.js';
import type { NamedTarget } from './open-console.js';

const text = (name: string) => ({ type: 'object' as const, properties: { [name]: { type: 'string' as const } } });
let orders = 0;

const server = createServer({
  name: 'fixture',
  version: '1.0.0',
  tools: {
    greet: tool({
      annotations: { readOnlyHint: true },
      input: text('topic'),
      async run(_, ctx) {
        const { content } = await ctx.elicit({
          message: 'Who are you?',
          input: { ...text('name'), required: ['name'] },
        });
        return `hello ${JSON.stringify(content)}`;
      },
    }),
    order: tool({
      input: text('item'),
      run({ item }) {
        orders += 1;
        return `ordered ${String(item)}`;
      },
    }),
    version: tool({
      annotations: { idempotentHint: true },
      input: { type: 'object' },
      run: (_, ctx) => ctx.protocolVersion,
    }),
  },
});
const fixture = { name: 'fixture', target: { resolved: { target: server, label: 'fixture' } } };

let page: Awaited<ReturnType<typeof openTestConsole>> | undefined;
afterEach(async () => {
  await page?.close();
  page = undefined;
  orders = 0;
});

async function openConnected(target: NamedTarget = fixture, version?: string) {
  const opened = await openTestConsole({
    targets: [target],
    ...(version === undefined ? {} : { connection: { protocolVersion: version } }),
  });
  page = opened;
  await opened.waitFor('server', event => event.server.counts !== null);
  return opened;
}

type Page = Awaited<ReturnType<typeof openConnected>>;

const call = (opened: Page, name: string, args: object = {}) =>
  opened.call('POST', 'calls', { server: 'fixture', method: 'tools/call', params: { name, arguments: args } });

const waitForRuns = (opened: Page, id: number, state: string, count: number) =>
  opened.waitFor(
    'comparison',
    ({ comparison: { call: base, runs } }) =>
      base === id && runs.length === count && runs.every(run => run.state === state),
  );

describe('a call on several protocol versions', () => {
  it('is made on all five with the same arguments, each on a connection of its own [con.revision]', async () => {
    const opened = await openConnected();
    const { id } = await call(opened, 'version');
    const versions = [...protocolVersions].slice(1);
    expect(await opened.call('POST', `calls/${id}/compare`, { versions: protocolVersions })).toMatchObject({
      call: id,
    });
    const { comparison } = await waitForRuns(opened, id, 'called', versions.length);
    expect(comparison.runs.map(run => run.protocolVersion)).toEqual(versions);
    for (const run of comparison.runs) {
      await opened.waitFor('call', event => event.call.id === run.call && event.call.took !== null);
      expect(await opened.call('GET', `calls/${run.call}`)).toMatchObject({
        protocolVersion: run.protocolVersion,
        result: { content: [{ text: run.protocolVersion }] },
      });
    }
    const connections = opened.rows().flatMap(row => (row.method === 'tools/call' ? [row.connection] : []));
    expect(new Set(connections).size).toBe(5);
  });

  it('pauses for the input of each version, and shows the messages of each [con.revision] [con.ask]', async () => {
    const opened = await openConnected(fixture, '2026-07-28');
    const { id } = await call(opened, 'greet');
    await opened.call('POST', `calls/${id}/compare`, { versions: ['2025-11-25'] });
    const { comparison } = await waitForRuns(opened, id, 'called', 1);
    const other = comparison.runs[0]?.call;
    for (const each of [id, other]) {
      const { request } = await opened.waitFor(
        'input-request',
        event => event.request.call === each && event.request.state === 'open',
      );
      await opened.call('POST', `input-requests/${request.id}`, { action: 'accept', content: { name: 'Ann' } });
      await opened.waitFor('call', event => event.call.id === each && event.call.state === 'done');
      expect(await opened.call('GET', `calls/${each}`)).toMatchObject({
        result: { content: [{ text: 'hello {"name":"Ann"}' }] },
      });
    }
    const rows = (owner: number | null | undefined) =>
      opened
        .rows()
        .flatMap(row => (row.call === owner ? [`${row.from} ${row.kind} ${row.inputs?.join() ?? row.method}`] : []));
    await expect.poll(() => rows(other).at(-1)).toBe('server result tools/call');
    expect(rows(id)).toEqual([
      'client request tools/call',
      'server result elicitation/create',
      'client request tools/call',
      'server result tools/call',
    ]);
    expect(rows(other)).toEqual([
      'client request tools/call',
      'server request elicitation/create',
      'client result elicitation/create',
      'server result tools/call',
    ]);
  });

  it('asks before a tool that may have an effect is called again', async () => {
    const opened = await openConnected();
    const { id } = await call(opened, 'order', { item: 'tea' });
    await opened.waitFor('call', event => event.call.id === id && event.call.state === 'done');
    await opened.call('POST', `calls/${id}/compare`, { versions: ['2025-06-18'] });
    const { request } = await opened.waitFor('input-request', event => event.request.state === 'open');
    expect(request).toMatchObject({ kind: 'approval', call: id, message: 'Call order again on 2025-06-18?' });
    expect(request.details).toContain('"item": "tea"');
    await opened.call('POST', `input-requests/${request.id}`, { action: 'decline' });
    await waitForRuns(opened, id, 'refused', 1);
    expect(orders).toBe(1);
    await opened.call('POST', `calls/${id}/compare`, { versions: ['2025-06-18'] });
    const again = await opened.waitFor(
      'input-request',
      event => event.request.state === 'open' && event.request.id !== request.id,
    );
    await opened.call('POST', `input-requests/${again.request.id}`, { action: 'accept' });
    const { comparison } = await waitForRuns(opened, id, 'called', 1);
    await opened.waitFor('call', event => event.call.id === comparison.runs[0]?.call && event.call.state === 'done');
    expect(orders).toBe(2);
  });

  it('says which version a server of the SDK v1 does not speak, and calls on the others', async () => {
    const script = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
    const target = { command: process.execPath, args: [script] };
    const opened = await openConnected({ name: 'fixture', target: { resolved: { target, label: 'everything' } } });
    const { id } = await call(opened, 'echo', { message: 'hi' });
    await opened.call('POST', `calls/${id}/compare`, { versions: ['2025-06-18', '2026-07-28'] });
    const { request } = await opened.waitFor('input-request', event => event.request.state === 'open');
    await opened.call('POST', `input-requests/${request.id}`, { action: 'accept' });
    const { comparison } = await opened.waitFor('comparison', event =>
      event.comparison.runs.every(run => run.state === 'called' || run.state === 'failed'),
    );
    expect(comparison.runs).toMatchObject([
      { protocolVersion: '2025-06-18', state: 'called' },
      {
        protocolVersion: '2026-07-28',
        state: 'failed',
        call: null,
        error: { cause: expect.stringContaining('2026-07-28') },
      },
    ]);
  });

  it('refuses versions that do not exist', async () => {
    const opened = await openConnected();
    const { id } = await call(opened, 'version');
    expect(await opened.call('POST', `calls/${id}/compare`, { versions: ['2030-01-01'] })).toMatchObject({
      error: { cause: expect.stringContaining('2030-01-01') },
    });
  });
});
