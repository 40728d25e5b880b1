import { describe, expect, it } from 'vitest';
import { createNodeRequester } from '../../runtimes/node/http/http-requester.js';
import { json, serve } from '../../transports/http/client/fixtures/scripted-server.js';
import { connectTo } from '../connect.js';
import { createClientEndpoint } from './http-endpoint.js';
import { memoryVersionCache } from './version-cache.js';

describe('a server over HTTP that fails when it is probed', () => {
  const start = async (status: number, versionCache = memoryVersionCache()) => {
    const { url, seen } = await serve(({ method, body }, response) => {
      if (method !== 'POST') return void response.writeHead(405).end();
      const { id, method: called, params } = JSON.parse(body);
      if (called === 'server/discover') return void response.writeHead(status).end('no');
      if (id === undefined) return void response.writeHead(202).end();
      const { protocolVersion } = params;
      json(response, {
        jsonrpc: '2.0',
        id,
        result: { protocolVersion, capabilities: {}, serverInfo: { name: 'o', version: '1' } },
      });
    });
    const connecting = connectTo(createClientEndpoint({ url }, createNodeRequester()), { versionCache });
    return {
      url,
      connecting,
      methods: () => seen.filter(({ body }) => body !== '').map(({ body }) => JSON.parse(body).method),
    };
  };

  it.each([400, 404, 500, 501, 503])('with %i is opened by a handshake', async status => {
    const { connecting, methods } = await start(status);
    const client = await connecting;
    expect(methods()).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
    await client.close();
  });

  it.each([500, 503])('with %i is probed anew by the next client [compat.http-5xx-not-era-signal]', async status => {
    const versionCache = memoryVersionCache();
    const { connecting, methods, url } = await start(status, versionCache);
    const client = await connecting;
    const again = await connectTo(createClientEndpoint({ url }, createNodeRequester()), { versionCache });
    expect(methods().filter(method => method === 'server/discover')).toHaveLength(2);
    await Promise.all([client.close(), again.close()]);
  });

  it.each([401, 403])('with %i is not: that is about authorization', async status => {
    const { connecting, methods } = await start(status);
    await expect(connecting).rejects.toMatchObject({ status });
    expect(methods()).toEqual(['server/discover']);
  });
});

describe('a path at which nothing is served', () => {
  it('is reported as such, not as a server without a shared version', async () => {
    const { url } = await serve((_, response) => {
      const error = { code: -32600, message: 'Not found. The path of the MCP endpoint is /mcp' };
      json(response, { jsonrpc: '2.0', id: null, error }, 404);
    });
    const connecting = connectTo(createClientEndpoint({ url }, createNodeRequester()), {
      versionCache: memoryVersionCache(),
    });
    await expect(connecting).rejects.toMatchObject({
      status: 404,
      code: expect.not.stringMatching(/^connect\//),
      message: expect.stringContaining('the MCP endpoint is /mcp'),
    });
  });
});
