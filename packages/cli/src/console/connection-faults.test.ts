import type { FaultPlan } from '@tenon/console/api';
import { createServer, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ConnectionFaults } from './connection-faults.js';
import { openTestConsole } from './fixtures/console-page.js';

let runs = 0;
const server = createServer({
  name: 'fixture',
  version: '1.0.0',
  tools: {
    say: tool({
      run(_, { progress }) {
        runs += 1;
        progress(1, 2);
        return 'said';
      },
    }),
  },
});

async function open(url?: string) {
  runs = 0;
  const target = url === undefined ? { target: server, label: 'fixture' } : { target: { url }, label: url };
  const page = await openTestConsole({
    targets: [{ target: { resolved: target }, name: 'fixture' }],
    connection: { protocolVersion: '2025-11-25' },
  });
  onTestFinished(() => page.close());
  await page.waitFor('server', event => event.server.counts !== null);
  const plan = (body: object) => page.send('POST', 'servers/fixture/faults', body);
  const call = async (timeout = 10_000) => {
    const params = { name: 'say', arguments: {} };
    const { id } = await page.call('POST', 'calls', { server: 'fixture', method: 'tools/call', params, timeout });
    const ended = await page.waitFor('call', event => event.call.id === id && event.call.took !== null);
    const find = () => page.rows().filter(row => row.call === id && row.method === 'tools/call');
    await expect.poll(() => find().length).toBeGreaterThan(0);
    return { state: ended.call.state, rows: find().map(({ kind, fault }) => [kind, fault]) };
  };
  return { page, plan, call };
}

describe('a planned fault of a console', () => {
  it('loses the request of the next call only, and marks its row', async () => {
    const { plan, call } = await open();
    await plan({ kind: 'drop', on: 'request', repeat: false });
    expect(await call(200)).toEqual({ state: 'failed', rows: [['request', 'drop']] });
    expect(runs).toBe(0);
    expect(await call()).toMatchObject({ state: 'done' });
  });

  it('makes each response malformed until it is removed', async () => {
    const { plan, call } = await open();
    await plan({ kind: 'malformed', on: 'response', repeat: true });
    for (let count = 0; count < 2; count += 1) expect(await call()).toMatchObject({ state: 'failed' });
    await plan({ kind: null });
    expect(await call()).toMatchObject({ state: 'done' });
  });

  it('gives the client another result than the server has sent', async () => {
    const { page, plan, call } = await open();
    const result = { content: [{ type: 'text', text: 'a lie' }] };
    await plan({ kind: 'replace', on: 'response', repeat: false, result });
    expect(await call()).toMatchObject({
      state: 'done',
      rows: [
        ['request', undefined],
        ['result', 'replace'],
      ],
    });
    expect(await page.call('GET', 'calls/1')).toMatchObject({ result });
  });

  it('cuts the stream of a call before the response, and the client resumes it', async () => {
    const served = await serveHttp(server, { port: 0 });
    onTestFinished(() => served.close());
    const { plan, call } = await open(served.url);
    await plan({ kind: 'cut', on: 'response', repeat: true });
    expect(await call()).toEqual({
      state: 'done',
      rows: [
        ['request', undefined],
        ['result', 'cut'],
        ['result', undefined],
      ],
    });
    expect(runs).toBe(1);
  });

  it('cuts the notifications of each call once, so that the client resumes the stream', async () => {
    const served = await serveHttp(server, { port: 0 });
    onTestFinished(() => served.close());
    const { page, plan, call } = await open(served.url);
    await plan({ kind: 'cut', on: 'notifications', repeat: true });
    for (let count = 1; count <= 2; count += 1) {
      expect(await call()).toMatchObject({ state: 'done' });
      const cuts = page.rows().filter(row => row.kind === 'notification' && row.fault === 'cut');
      expect(cuts).toHaveLength(count);
    }
    expect(runs).toBe(2);
  });

  it('cuts a stream without a call once for each plan', () => {
    let plan: FaultPlan = { kind: 'cut', on: 'notifications', repeat: true };
    const faults = new ConnectionFaults(
      () => plan,
      () => {},
    );
    const choose = (relatedTo?: string) =>
      faults.chooseReceived({ jsonrpc: '2.0', method: 'notifications/message' }, undefined, relatedTo)?.kind;
    expect([choose(), choose(), choose('listen'), choose('listen')]).toEqual(['cut', undefined, 'cut', undefined]);
    plan = { ...plan };
    expect([choose(), choose()]).toEqual(['cut', undefined]);
  });

  it('is refused with an unknown kind, and for a page that is read-only', async () => {
    const { page, plan } = await open();
    expect((await plan({ kind: 'burn', on: 'request' })).status).toBe(400);
    const headers = { 'x-tenon-token': page.readOnlyToken, 'content-type': 'application/json' };
    const body = JSON.stringify({ kind: 'drop', on: 'request', repeat: true });
    const refused = await fetch(`${page.origin}/api/servers/fixture/faults`, { method: 'POST', headers, body });
    expect(refused.status).toBe(403);
  });
});
