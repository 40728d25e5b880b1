import { connectPair, createRecorder, createRecordingProxy } from '@tenon/testing';
import { expect, it } from 'vitest';
import { createNodeRequester } from '../../runtimes/node/http/http-requester.js';
import { data, serve } from '../../transports/http/client/fixtures/scripted-server.js';
import { createHttpTransport } from '../../transports/http/client/http-transport.js';
import { connectTo } from '../connect.js';
import type { ClientOptions } from '../options.js';
import { createClientEndpoint } from './http-endpoint.js';
import { memoryVersionCache } from './version-cache.js';

/** Serves one tool over HTTP, and repeats the IDs of requests as strings. */
async function serveStringIds(isStream: boolean) {
  const { url } = await serve(({ method, body }, response) => {
    if (method !== 'POST') return void response.writeHead(method === 'DELETE' ? 204 : 405).end();
    const { id, method: name, params } = JSON.parse(body);
    if (id === undefined) return void response.writeHead(202).end();
    const results: Record<string, object> = {
      initialize: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 's', version: '1' },
      },
      'tools/call': { content: [{ type: 'text', text: 'done' }] },
    };
    const result = results[name];
    const error = { code: -32601, message: 'no' };
    const message = { jsonrpc: '2.0', id: String(id), ...(result ? { result } : { error }) };
    const type = isStream ? 'text/event-stream' : 'application/json';
    response
      .writeHead(200, { 'content-type': type, 'mcp-session-id': 's' })
      .end(isStream ? data(message) : JSON.stringify(message));
  });
  return url;
}

const connect = (url: string, options: ClientOptions = {}) =>
  connectTo(createClientEndpoint({ url, transport: 'http' }, createNodeRequester()), {
    validate: 'off',
    versionCache: memoryVersionCache(),
    ...options,
  });

it.each([false, true])('calls a tool of a server that sends ids as strings, in a stream: %s', async isStream => {
  const client = await connect(await serveStringIds(isStream));
  const deviations: unknown[] = [];
  client.on('error', ({ data: deviation }) => void deviations.push(deviation));
  for (let n = 0; n < 2; n++) expect(await client.callTool('x')).toMatchObject({ content: [{ text: 'done' }] });
  expect(deviations).toEqual([{ deviation: 'string-id' }]);
  await client.close();
});

it('refuses ids as strings with `strict`', async () => {
  const connecting = connect(await serveStringIds(false), { strict: true, protocolVersion: '2025-11-25' });
  await expect(connecting).rejects.toMatchObject({ code: 'peer/unknown-response' });
});

it('records a server that sends ids as strings, and responds to its client', async () => {
  const url = await serveStringIds(false);
  const lines: string[] = [];
  const proxy = createRecordingProxy({
    recorder: createRecorder({ server: 's', write: line => lines.push(line) }),
    openUpstream: async () => createHttpTransport(url, { requester: createNodeRequester() }),
  });
  const client = await connectPair(proxy, { protocolVersion: '2025-11-25', validate: 'off', strict: true });
  expect(await client.callTool('x')).toMatchObject({ content: [{ text: 'done' }] });
  await client.close();
  await proxy.close();
  expect(lines.join('')).toContain('"id":"1"');
});
