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

  const start = async (command: string, ...args: string[]) => {
    const started = await serving(project.folder, [command, '--port', '0', '--json', ...args]);
    running.push(started);
    return started;
  };

  it('joins the recordings of the three processes into one waterfall [con.traces]', async () => {
    const record = (name: string) => start('record', '-o', name, '--name', 'booking', '--', process.execPath, SERVER);
    const replicas = [await record('a.ndjson'), await record('b.ndjson')];
    balancer = await startBalancer(replicas.map(({ url }) => url));
    await project.write('mcp.json', { mcpServers: { booking: { url: balancer.url } } });
    const gateway = await start('gateway', '--trust', '--console');
    const { url } = await gateway.waitForEvent<{ readonly url: string }>(({ event }) => event === 'console');
    const client = await connect(gateway.url, { elicit: () => ({ action: 'accept', content: { window: true } }) });
    const meta = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };
    const result = await client.callTool('booking__book', {}, { meta });
    await client.close();
    expect(result.content).toMatchObject([{ text: expect.stringMatching(/^booked after accept by process \d+$/) }]);
    const { origin, hash } = new URL(url);
    const headers = { 'x-tenon-token': hash.slice('#token='.length), 'content-type': 'application/json' };
    const response = await fetch(`${origin}/api/recordings`, { method: 'POST', headers, body: '{}' });
    const exported = (await response.json()) as RecordingExport;
    for (const each of running.splice(0).reverse()) await each.end();
    const recordings = [
      { name: 'gateway.ndjson', text: exported.text },
      ...(await Promise.all(
        ['a.ndjson', 'b.ndjson'].map(async name => ({ name, text: await readFile(project.path(name), 'utf8') })),
      )),
    ];
    const page = await openTestConsole({ recordings });
    try {
      const { rows } = (await (await page.send('GET', 'recordings/gateway.ndjson?after=0')).json()) as {
        readonly rows: readonly { readonly seq: number; readonly method: string; readonly kind: string }[];
      };
      const first = rows.find(({ method, kind }) => method === 'tools/call' && kind === 'request');
      const trace = (await (
        await page.send('GET', `recordings/gateway.ndjson/trace/${first?.seq}`)
      ).json()) as TraceView;
      const lines = trace.bars
        .filter(({ kind }) => kind !== 'own')
        .map(
          ({ depth, recording, hop, label, outcome }) =>
            `${'  '.repeat(depth)}${recording}: ${hop}, ${label}, ${outcome}`,
        );
      expect(lines).toEqual([
        'gateway.ndjson: caller → gateway, tools/call booking__book, 2 requests',
        '  gateway.ndjson: caller → gateway, tools/call booking__book, input_required',
        '    gateway.ndjson: gateway → booking, tools/call book, input_required',
        '      a.ndjson: client → booking, tools/call book, input_required',
        '  gateway.ndjson: caller, elicitation/create, answered: accept',
        '  gateway.ndjson: caller → gateway, tools/call booking__book, result',
        '    gateway.ndjson: gateway → booking, tools/call book, result',
        '      b.ndjson: client → booking, tools/call book, result',
      ]);
      expect(trace.bars.every(({ isCertain }) => isCertain)).toBe(true);
    } finally {
      await page.close();
    }
  });
});
