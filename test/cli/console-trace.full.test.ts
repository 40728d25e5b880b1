/** A call over a gateway and two replicas, each a process of its own, whose recordings become one trace. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server, request as send } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { RecordingExport, TraceView } from '@tenon/console/api';
import { connect } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestConsole } from '../../packages/cli/src/console/fixtures/console-page.js';
import { buildCommand, buildConsolePage, projectWith, type Serving, serving } from './command.js';

const SERVER = fileURLToPath(new URL('fixtures/booking-server.mjs', import.meta.url));
/** Keys that all replicas of the gateway share. */
const KEYS = `shared:${Buffer.alloc(32, 7).toString('base64')}`;
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

/** Sends each call of a tool to the next replica, as a balancer without sessions does. */
async function startBalancer(urls: readonly string[]): Promise<{ readonly url: string; readonly server: Server }> {
  let calls = 0;
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const index = body.includes('"tools/call"') ? calls++ : 0;
    const { method, headers } = request;
    const forwarded = send(urls[index % urls.length] ?? '', { method, headers }, answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on('error', () => response.destroy());
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    response.on('close', () => forwarded.destroy());
    forwarded.end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp`, server };
}

describe('the trace of a call over a gateway and two replicas', () => {
  let project: Awaited<ReturnType<typeof projectWith>>;
  const running: Serving[] = [];
  let balancer: Awaited<ReturnType<typeof startBalancer>> | undefined;

  beforeAll(async () => {
    await buildCommand();
    await buildConsolePage();
    project = await projectWith({});
  });
  afterAll(async () => {
    for (const each of running) await each.end();
    balancer?.server.closeAllConnections();
    balancer?.server.close();
    await project?.remove();
  });

  /** Saves the messages that a gateway has logged, in the form of a recording. */
  const exportFrom = async (gateway: Serving): Promise<string> => {
    const { url } = await gateway.waitForEvent<{ readonly url: string }>(({ event }) => event === 'console');
    const { origin, hash } = new URL(url);
    const headers = { 'x-tenon-token': hash.slice('#token='.length), 'content-type': 'application/json' };
    const response = await fetch(`${origin}/api/recordings`, { method: 'POST', headers, body: '{}' });
    return ((await response.json()) as RecordingExport).text;
  };

  /** Opens recordings, and returns the bars of the first call of the first one, without those of the gateways themselves. */
  const readBars = async (recordings: readonly { readonly name: string; readonly text: string }[]) => {
    const page = await openTestConsole({ recordings });
    try {
      const first = recordings[0]?.name;
      const { rows } = (await (await page.send('GET', `recordings/${first}?after=0`)).json()) as {
        readonly rows: readonly { readonly seq: number; readonly method: string; readonly kind: string }[];
      };
      const row = rows.find(({ method, kind }) => method === 'tools/call' && kind === 'request');
      const trace = (await (await page.send('GET', `recordings/${first}/trace/${row?.seq}`)).json()) as TraceView;
      expect(trace.bars.filter(({ isCertain }) => !isCertain)).toEqual([]);
      return trace.bars
        .filter(({ kind }) => kind !== 'own')
        .map(
          ({ depth, recording, hop, label, outcome }) =>
            `${'  '.repeat(depth)}${recording}: ${hop}, ${label}, ${outcome}`,
        );
    } finally {
      await page.close();
    }
  };

  const start = async (command: string, ...args: string[]) => {
    const started = await serving(project.folder, [command, '--port', '0', '--json', ...args], { KEYS });
    running.push(started);
    return started;
  };

  it('joins the recordings of the three processes into one waterfall [con.traces]', async () => {
    const record = (name: string) => start('record', '-o', name, '--name', 'booking', '--', process.execPath, SERVER);
    const replicas = [await record('a.ndjson'), await record('b.ndjson')];
    balancer = await startBalancer(replicas.map(({ url }) => url));
    await project.write('mcp.json', { mcpServers: { booking: { url: balancer.url } } });
    const gateway = await start('gateway', '--trust', '--console');
    const client = await connect(gateway.url, { elicit: () => ({ action: 'accept', content: { window: true } }) });
    const meta = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };
    const result = await client.callTool('booking__book', {}, { meta });
    await client.close();
    expect(result.content).toMatchObject([{ text: expect.stringMatching(/^booked after accept by process \d+$/) }]);
    const text = await exportFrom(gateway);
    for (const each of running.splice(0).reverse()) await each.end();
    const recordings = [
      { name: 'gateway.ndjson', text },
      ...(await Promise.all(
        ['a.ndjson', 'b.ndjson'].map(async name => ({ name, text: await readFile(project.path(name), 'utf8') })),
      )),
    ];
    expect(await readBars(recordings)).toEqual([
      'gateway.ndjson: caller → gateway, tools/call booking__book, 2 requests',
      '  gateway.ndjson: caller → gateway, tools/call booking__book, input_required',
      '    gateway.ndjson: gateway → booking, tools/call book, input_required',
      '      a.ndjson: client → booking, tools/call book, input_required',
      '  gateway.ndjson: caller, elicitation/create, answered: accept',
      '  gateway.ndjson: caller → gateway, tools/call booking__book, result',
      '    gateway.ndjson: gateway → booking, tools/call book, result',
      '      b.ndjson: client → booking, tools/call book, result',
    ]);
  });

  it('joins the rounds of a call at two replicas of the gateway [con.traces]', async () => {
    const server = await start('record', '-o', 'c.ndjson', '--name', 'booking', '--', process.execPath, SERVER);
    await project.write('mcp.json', { mcpServers: { booking: { url: server.url } } });
    const args = ['--trust', '--console', '--no-control', '--store', 'state.sqlite', '--keys-env', 'KEYS'];
    const gateways = [await start('gateway', ...args), await start('gateway', ...args)];
    balancer?.server.close();
    balancer = await startBalancer(gateways.map(({ url }) => url));
    const client = await connect(balancer.url, { elicit: () => ({ action: 'accept', content: { window: true } }) });
    const meta = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };
    const result = await client.callTool('booking__book', {}, { meta });
    await client.close();
    expect(result.content).toMatchObject([{ text: expect.stringMatching(/^booked after accept by process \d+$/) }]);
    const [one = '', other = ''] = await Promise.all(gateways.map(exportFrom));
    for (const each of running.splice(0).reverse()) await each.end();
    const recordings = [
      { name: 'one.ndjson', text: one },
      { name: 'other.ndjson', text: other },
      { name: 'c.ndjson', text: await readFile(project.path('c.ndjson'), 'utf8') },
    ];
    // The second replica connects to its server with the first call.
    const bars = (await readBars(recordings)).filter(line => /tools\/call|elicitation/.test(line));
    expect(bars).toEqual([
      'one.ndjson: caller → gateway, tools/call booking__book, 2 requests',
      '  one.ndjson: caller → gateway, tools/call booking__book, input_required',
      '    one.ndjson: gateway → booking, tools/call book, input_required',
      '      c.ndjson: client → booking, tools/call book, input_required',
      '  one.ndjson: caller, elicitation/create, answered: accept',
      '  other.ndjson: caller → gateway, tools/call booking__book, result',
      '    other.ndjson: gateway → booking, tools/call book, result',
      '      c.ndjson: client → booking, tools/call book, result',
    ]);
  });
});
