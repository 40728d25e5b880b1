import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHost, type NodeHostOptions } from '@tenon/host';
import { createServer, inputRequired, tool } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../packages/base/src/json/json-object.js';
import { createTransportPair } from '../../packages/tenon/src/transports/memory.js';
import { callTool, getRetry, getText, type WireResponse } from '../input-requests/wire.js';

/** A server whose tool returns two questions with a state of its own. */
function asking() {
  const entries: JsonObject[] = [];
  const requestedSchema = { type: 'object' as const, properties: {} };
  const server = createServer({
    name: 'asking',
    version: '1',
    tools: {
      ask: tool({
        input: { type: 'object' },
        run(_, { inputs }) {
          entries.push({ ...inputs });
          if (inputs.inputResponses !== undefined) return `went on from ${inputs.requestState}`;
          return inputRequired({
            inputRequests: {
              sure: { method: 'elicitation/create', params: { message: 'Sure?', requestedSchema } },
              roots: { method: 'roots/list' },
            },
            requestState: 'here',
          });
        },
      }),
    },
  });
  const service = async () => {
    const pair = createTransportPair();
    await server.connect(pair.server);
    return pair.client;
  };
  return { entries, service };
}

async function hosted(options: Partial<NodeHostOptions>) {
  const host = await createHost({ prefix: 'auto', onError: () => {}, ...options } as NodeHostOptions);
  onTestFinished(() => host.close());
  return host.toServer();
}

const openKeys = ({ result }: WireResponse) => Object.keys(result?.inputRequests ?? {});

describe('a host with a server that returns input requests', () => {
  it('seals requestState of the server and returns it, with the responses to all requests and no others [mrtr.request-state-integrity mrtr.missing-responses-reasked mrtr.extra-responses-ignored]', async () => {
    const { entries, service } = asking();
    const host = await hosted({ servers: { asking: { service } } });
    const first = await callTool(host, 'ask');
    const { requestState, inputResponses } = getRetry(first);
    const second = await callTool(host, 'ask', { requestState, inputResponses: { sure: inputResponses.sure } });
    expect(openKeys(second)).toEqual(['roots']);
    expect(entries).toHaveLength(1);
    const last = getRetry(second);
    const given = { ...last.inputResponses, other: { roots: [] } };
    expect(getText(await callTool(host, 'ask', { ...last, inputResponses: given }))).toBe('went on from here');
    expect(entries).toEqual([{}, { requestState: 'here', inputResponses }]);
  });

  it('refuses requestState that it did not seal for this call, and sends the server nothing [mrtr.request-state-untrusted mrtr.request-state-request-bound]', async () => {
    const { entries, service } = asking();
    const host = await hosted({ servers: { asking: { service } } });
    const { requestState, inputResponses } = getRetry(await callTool(host, 'ask'));
    const forged = await callTool(host, 'ask', { requestState: 'here', inputResponses });
    const moved = await callTool(host, 'ask', { requestState, inputResponses, arguments: { n: 1 } });
    expect([forged.error?.code, moved.error?.code]).toEqual([-32602, -32602]);
    expect(entries).toHaveLength(1);
  });

  it('accepts responses without requestState if they are complete', async () => {
    const { entries, service } = asking();
    const host = await hosted({ servers: { asking: { service } } });
    const { inputResponses } = getRetry(await callTool(host, 'ask'));
    expect(getText(await callTool(host, 'ask', { inputResponses }))).toBe('went on from here');
    expect(entries.at(-1)).toEqual({ requestState: 'here', inputResponses });
  });

  it('passes no input request with an invalid method on [mrtr.input-request-kinds]', async () => {
    const url = await serveOdd();
    const errors: Error[] = [];
    const host = await hosted({ servers: { odd: { url } }, onError: error => void errors.push(error) });
    const { error, result } = await callTool(host, 'ask');
    expect(result).toBeUndefined();
    expect(error?.code).toBe(-32603);
    expect(`${error?.message} ${errors.map(({ message }) => message)}`).toContain(
      'server "odd": invalid method of the input request "files"',
    );
  });
});

const odd: { readonly [method: string]: JsonObject } = {
  'server/discover': {
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {} },
    serverInfo: { name: 'odd', version: '1' },
  },
  'tools/list': { tools: [{ name: 'ask', inputSchema: { type: 'object' } }] },
  'tools/call': { resultType: 'input_required', inputRequests: { files: { method: 'files/list' } } },
};

/** A server of 2026-07-28 whose tool asks by a method that is none. */
async function serveOdd(): Promise<string> {
  const server = createHttpServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method } = JSON.parse(body);
    if (id === undefined) return void response.writeHead(202).end();
    const result = { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...odd[method] };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}
