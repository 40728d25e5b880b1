import type { TraceView, WireRow } from '@tenon/console/api';
import { type Client, connect } from 'tenon';
import { serveHttp } from 'tenon/node';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTestConsole } from '../fixtures/console-page.js';
import { createTracedGateway, type TracedGateway } from '../fixtures/traced-gateway.js';

let gateway: TracedGateway;
let page: Awaited<ReturnType<typeof openTestConsole>>;
let client: Client;

beforeEach(async () => {
  gateway = await createTracedGateway();
  page = await openTestConsole(gateway.console);
  client = await connect(gateway.host.toServer(), { elicit: async () => ({ action: 'accept', content: {} }) });
});
afterEach(async () => {
  await client?.close();
  await page.close();
  await gateway.host.close();
});

const readTrace = async (seq: number): Promise<TraceView> =>
  JSON.parse(await (await page.send('GET', `trace/${seq}`)).text());
const draw = ({ bars }: TraceView) =>
  bars
    .filter(({ kind }) => kind !== 'own')
    .map(({ depth, kind, hop, label, outcome }) => `${'  '.repeat(depth)}${kind}: ${hop}, ${label}: ${outcome}`);

/** Waits for the request of a caller, and its response. */
async function findCall(name: string): Promise<WireRow> {
  const find = () => page.rows().find(row => row.hop === 'caller' && row.name === name && row.kind === 'request');
  await expect.poll(() => page.rows().some(row => row.request !== undefined && row.request === find()?.seq)).toBe(true);
  return find()!;
}

it('joins the rounds of a call of a caller with those of the server [con.traces]', async () => {
  await client.callTool('booking__book', {});
  const trace = await readTrace((await findCall('booking__book')).seq);
  expect(draw(trace)).toEqual([
    'call: caller → gateway, tools/call booking__book: 2 requests',
    '  request: caller → gateway, tools/call booking__book: input_required',
    '    request: gateway → booking, tools/call book: input_required',
    '  input: caller, elicitation/create: answered: accept',
    '  request: caller → gateway, tools/call booking__book: result',
    '    request: gateway → booking, tools/call book: result',
  ]);
  expect(trace.bars.every(({ isCertain }) => isCertain)).toBe(true);
});

it('shows the error of a server in the trace of the call', async () => {
  await client.callTool('mail__fail', {});
  expect(draw(await readTrace((await findCall('mail__fail')).seq))).toEqual([
    'request: caller → gateway, tools/call mail__fail: isError',
    '  request: gateway → mail, tools/call fail: isError',
  ]);
});

it('shows the wait for an approval in the trace of the call', async () => {
  const silent = await connect(gateway.host.toServer());
  const sending = silent.callTool('mail__send', {});
  const { approvals } = gateway.host;
  await expect.poll(async () => (await approvals.listPending()).length).toBe(1);
  for (const { id } of await approvals.listPending()) await approvals.answer(id, 'allow');
  await sending;
  await silent.close();
  const trace = await readTrace((await findCall('mail__send')).seq);
  expect(draw(trace)).toEqual([
    'request: caller → gateway, tools/call mail__send: result',
    '  approval: gateway, waits for an approval: ',
    '  request: gateway → mail, tools/call send: result',
  ]);
  expect(trace.bars[0]?.marks).toContainEqual(expect.objectContaining({ kind: 'decision', label: 'policy: ask' }));
});

it('joins a call of the console with the messages of the gateway, and logs none of them twice', async () => {
  await page.waitFor('server', ({ server }) => server.name === 'mail' && server.state === 'connected');
  const params = { name: 'mail__fail', arguments: {} };
  const { id } = await page.call('POST', 'calls', { server: 'mail', method: 'tools/call', params });
  await page.waitFor('call', event => event.call.id === id && event.call.took !== null);
  await expect.poll(() => page.rows().some(row => row.call === id)).toBe(true);
  const seq = page.rows().find(row => row.call === id)?.seq ?? 0;
  expect(draw(await readTrace(seq))).toEqual([
    'request: console → gateway, tools/call mail__fail: isError',
    '  request: gateway → mail, tools/call fail: isError',
  ]);
  expect(page.rows().filter(({ name, kind }) => name === 'mail__fail' && kind === 'request')).toHaveLength(1);
});

it('keeps the causes of requests in a saved session', async () => {
  await client.callTool('mail__fail', {});
  await findCall('mail__fail');
  const { text } = await page.call('POST', 'recordings', {});
  const { name } = await page.call('POST', 'recordings/open', { name: 'gateway.ndjson', text });
  const { rows } = JSON.parse(await (await page.send('GET', `recordings/${name}?after=0`)).text()) as {
    readonly rows: readonly WireRow[];
  };
  const call = rows.find(row => row.name === 'mail__fail' && row.kind === 'request');
  const response = await page.send('GET', `recordings/${name}/trace/${call?.seq}`);
  expect(draw(JSON.parse(await response.text()))).toEqual([
    'request: caller → gateway, tools/call mail__fail: isError',
    '  request: gateway → mail, tools/call fail: isError',
  ]);
});

it('logs the requests of callers without a session over HTTP, each with its response', async () => {
  const served = await serveHttp(gateway.host.toServer(), { port: 0 });
  const caller = await connect(served.url, { protocolVersion: '2026-07-28' });
  await caller.callTool('mail__fail', {});
  await caller.callTool('mail__none', {}).catch(() => {});
  await caller.close();
  await served.close();
  expect(draw(await readTrace((await findCall('mail__fail')).seq))).toEqual([
    'request: caller → gateway, tools/call mail__fail: isError',
    '  request: gateway → mail, tools/call fail: isError',
  ]);
  expect(draw(await readTrace((await findCall('mail__none')).seq))).toEqual([
    'request: caller → gateway, tools/call mail__none: error',
  ]);
});

it('explains the decision about a call of a tool that the gateway has renamed [con.policy]', async () => {
  await page.waitFor('server', ({ server }) => server.name === 'mail' && server.state === 'connected');
  const params = { name: 'mail__erase', arguments: {} };
  const { id } = await page.call('POST', 'calls', { server: 'mail', method: 'tools/call', params });
  await page.waitFor('call', event => event.call.id === id && event.call.took !== null);
  expect(await page.call('GET', `policy/explain?call=${id}`)).toMatchObject({
    decision: { server: 'mail', name: 'remove', action: 'deny', reason: 'denied by rule 2: mails are kept' },
  });
});
