import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHost, type Host } from '@tenon/host';
import { type Client, connect, TenonError } from 'tenon';
import { afterEach, describe, expect, it } from 'vitest';

type Answer = (response: ServerResponse, id: unknown) => void;

const V = { jsonrpc: '2.0' };
const TOO_LARGE = 17 * 1024 * 1024;

const send = (response: ServerResponse, status: number, type: string, body: string) =>
  void response.writeHead(status, { 'content-type': type }).end(body);
const json = (response: ServerResponse, value: unknown, status = 200) =>
  send(response, status, 'application/json', JSON.stringify(value));

const results: { readonly [method: string]: (params: { readonly protocolVersion?: string }) => object } = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: 'odd', version: '1' },
  }),
  'tools/list': () => ({ tools: [{ name: 'write', inputSchema: { type: 'object' } }] }),
};

/** A server over HTTP that answers `tools/call` and `resources/read` as it is told to, and all else well. */
async function serve(answer: Answer) {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(body);
    if (id === undefined) return void response.writeHead(202).end();
    if (method === 'tools/call' || method === 'resources/read') return answer(response, id);
    const result = results[method]?.(params);
    json(response, { ...V, id, ...(result ? { result } : { error: { code: -32601, message: 'Method not found' } }) });
  });
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  const close = () =>
    new Promise<unknown>(done => {
      server.close(done);
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, close };
}

const unusable: { readonly [name: string]: Answer } = {
  'no JSON': response => send(response, 200, 'application/json', '{"jsonrpc":"2.0","id":'),
  'more than 16 MiB': (response, id) => json(response, { ...V, id, result: { text: 'x'.repeat(TOO_LARGE) } }),
  'another id': response => json(response, { ...V, id: 'another', result: {} }),
  '202': response => send(response, 202, 'text/plain', ''),
  '200 and HTML': response => send(response, 200, 'text/html', '<p>hello'),
  '500': response => send(response, 500, 'text/plain', 'out of order'),
  '502': response => send(response, 502, 'text/html', '<h1>Bad Gateway</h1>'),
  '504': response => send(response, 504, 'text/html', '<h1>Gateway Timeout</h1>'),
  'a stream that ends': response => send(response, 200, 'text/event-stream', ': nothing\n\n'),
  'a stream without JSON': response => send(response, 200, 'text/event-stream', 'data: {oops\n\n'),
  'a connection that breaks': response => response.destroy(),
};

const refused: { readonly [name: string]: Answer } = {
  '400': response => send(response, 400, 'text/plain', 'no'),
  '429': response => send(response, 429, 'text/plain', 'too many'),
  'a JSON-RPC error': (response, id) => json(response, { ...V, id, error: { code: -32000, message: 'locked' } }),
};

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function start(answer: Answer): Promise<{ host: Host; client: Client }> {
  const { url, close } = await serve(answer);
  const host = await createHost({ prefix: 'auto', servers: { odd: { url } }, onError: () => {} });
  const client = await connect(host.toServer());
  closing.push(
    close,
    () => host.close(),
    () => client.close(),
  );
  return { host, client };
}

const failure = (work: Promise<unknown>): Promise<TenonError> =>
  work.then(
    () => expect.unreachable('it succeeded'),
    error => (TenonError.is(error) ? error : expect.unreachable(String(error))),
  );

describe('a gateway after the response of a server with', () => {
  it.each(Object.keys(unusable))('%s: states that the call may have been carried out', async name => {
    const { host, client } = await start(unusable[name] as Answer);
    const reported = await failure(client.callTool('write'));
    expect(reported).toMatchObject({ rpcCode: -32603, data: { server: 'odd', outcome: 'unknown' } });
    expect(reported.summary).toMatch(
      /^The server "odd" did not respond correctly to tools\/call .* It may have been carried out\.$/s,
    );
    expect((await failure(host.callTool('write', {}))).message).toContain('It may have been carried out.');
    const read = await failure(client.readResource('a:1'));
    expect([read.summary, JSON.stringify(read.data)].join()).not.toMatch(/carried out|"outcome"/);
  });

  it.each(Object.keys(refused))('%s: does not state that', async name => {
    const { client } = await start(refused[name] as Answer);
    const reported = await failure(client.callTool('write'));
    expect([reported.summary, JSON.stringify(reported.data)].join()).not.toMatch(/carried out|unknown/);
  });

  it('no connection: does not state that', async () => {
    const { client } = await start(() => {});
    await client.listTools()[Symbol.asyncIterator]().next();
    await closing[0]?.();
    const reported = await failure(client.callTool('write'));
    expect(reported.summary).toContain('"odd"');
    expect([reported.summary, JSON.stringify(reported.data)].join()).not.toMatch(/carried out|"outcome"/);
  });
});
