import { describe, expect, it } from 'vitest';
import { createNodeRequester } from '../../runtimes/node/http/http-requester.js';
import { json, serve } from '../../transports/http/client/fixtures/scripted-server.js';
import { connectTo } from '../connect.js';
import { createClientEndpoint } from './http-endpoint.js';
import { memoryVersionCache } from './version-cache.js';

describe('connect to an HTTP server that fails the probe', () => {
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

  it.each([400, 404, 405])('sends the handshake after status %i', async status => {
    const { connecting, methods } = await start(status);
    const client = await connecting;
    expect(methods()).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
    await client.close();
  });

  it.each([408, 425, 429, 500, 501, 502, 503, 504])(
    'rejects without a handshake after status %i, and probes again with the next client [compat.http-5xx-not-era-signal]',
    async status => {
      const versionCache = memoryVersionCache();
      const { connecting, methods, url } = await start(status, versionCache);
      await expect(connecting).rejects.toMatchObject({
        status,
        method: 'server/discover',
        hint: expect.stringContaining('set `protocolVersion`'),
      });
      const again = connectTo(createClientEndpoint({ url }, createNodeRequester()), { versionCache });
      await expect(again).rejects.toMatchObject({ status });
      expect(methods()).toEqual(['server/discover', 'server/discover']);
      const client = await connectTo(createClientEndpoint({ url }, createNodeRequester()), {
        versionCache,
        protocolVersion: '2025-11-25',
      });
      expect(client.server.protocolVersion).toBe('2025-11-25');
      await client.close();
    },
  );

  it.each([401, 403])('rejects without a handshake after status %i, which concerns authorization', async status => {
    const { connecting, methods } = await start(status);
    await expect(connecting).rejects.toMatchObject({ status });
    expect(methods()).toEqual(['server/discover']);
  });
});

describe('connect to an HTTP server that closes the connection during the probe', () => {
  /** Serves a script of statuses, or of closed connections, by method and version. */
  const start = async (script: (method: string, version: string | undefined) => number | 'close' | 'accept') => {
    const { url, seen } = await serve(({ method, body }, response) => {
      if (method !== 'POST') return void response.writeHead(405).end();
      const { id, method: called, params } = JSON.parse(body);
      if (id === undefined) return void response.writeHead(202).end();
      const { protocolVersion } = params;
      const action = script(called, protocolVersion);
      if (action === 'close') return void response.destroy();
      if (action !== 'accept') return void response.writeHead(action).end('not this version');
      const serverInfo = { name: 'o', version: '1' };
      json(response, { jsonrpc: '2.0', id, result: { protocolVersion, capabilities: {}, serverInfo } });
    });
    const versionCache = memoryVersionCache();
    return {
      versionCache,
      url,
      connect: (transport?: 'http') =>
        connectTo(createClientEndpoint({ url, transport }, createNodeRequester()), { versionCache }),
      sent: () =>
        seen
          .map(({ body }) => JSON.parse(body || '{}'))
          .filter(({ id }) => id !== undefined)
          .map(({ method, params }) => params.protocolVersion ?? method),
    };
  };

  it('sends one handshake, and remembers the version until it fails', async () => {
    let isBroken = false;
    const { connect, sent, versionCache, url } = await start(method =>
      method === 'server/discover' || isBroken ? 'close' : 'accept',
    );
    for (const _ of [1, 2]) await (await connect()).close();
    expect(sent()).toEqual(['server/discover', '2025-11-25', '2025-11-25']);
    isBroken = true;
    await expect(connect()).rejects.toMatchObject({ code: 'http/interrupted' });
    expect(sent()).toHaveLength(4);
    expect(versionCache.get(url)).toBeUndefined();
    await expect(connect()).rejects.toMatchObject({ code: 'http/interrupted' });
    expect(sent().slice(4)).toEqual(['server/discover', '2025-11-25']);
  });

  it.each([
    [400, undefined],
    [422, undefined],
    [400, 'http'],
  ] as const)('tries older versions after a plain %i', async (status, transport) => {
    const { connect, sent } = await start((method, version) =>
      method === 'initialize' && version === '2025-06-18' ? 'accept' : status,
    );
    expect((await connect(transport)).server.protocolVersion).toBe('2025-06-18');
    expect(sent()).toEqual(['server/discover', '2025-11-25', '2025-06-18']);
  });

  it.each([401, 403, 404, 429, 500, 503])(
    'tries no older version after %i [compat.http-401-not-era-signal compat.http-5xx-not-era-signal]',
    async status => {
      const { connect, sent } = await start(method => (method === 'initialize' ? status : 'close'));
      await expect(connect('http')).rejects.toMatchObject({ status });
      expect(sent()).toEqual(['server/discover', '2025-11-25']);
    },
  );

  it.each([401, 403, 503])('keeps the remembered version of a server that responds %i', async status => {
    let isFailing = false;
    const { connect, versionCache, url } = await start(method => {
      if (isFailing) return status;
      return method === 'initialize' ? 'accept' : 'close';
    });
    await (await connect()).close();
    isFailing = true;
    await expect(connect()).rejects.toMatchObject({ status });
    expect(versionCache.get(url)).toBe('2025-11-25');
  });

  it('opens no older version in the session of a refused one', async () => {
    const { url, seen } = await serve(({ method, body, headers }, response) => {
      if (method !== 'POST') return void response.writeHead(method === 'DELETE' ? 204 : 405).end();
      const { id, method: called, params } = JSON.parse(body);
      if (id === undefined) return void response.writeHead(202).end();
      const reject = (message: string) =>
        json(response, { jsonrpc: '2.0', id, error: { code: -32600, message } }, 200, { 'mcp-session-id': 's' });
      if (called !== 'initialize') return void response.writeHead(400).end();
      if (headers['mcp-session-id'] !== undefined) return reject('already initialized');
      if (params.protocolVersion !== '2025-06-18') return reject('unknown version');
      const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'o', version: '1' } };
      json(response, { jsonrpc: '2.0', id, result });
    });
    const client = await connectTo(createClientEndpoint({ url }, createNodeRequester()), {
      versionCache: memoryVersionCache(),
    });
    expect(client.server.protocolVersion).toBe('2025-06-18');
    expect(seen.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
  });
});

describe('connect to a path that serves nothing', () => {
  it('reports the missing endpoint, not a missing shared version', async () => {
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

  it.each([404, 405])('reports the status of the first request when the other transport gets %i', async status => {
    const { url } = await serve(
      ({ method }, response) => void response.writeHead(method === 'POST' ? 404 : status).end(),
    );
    const connecting = connectTo(createClientEndpoint({ url }, createNodeRequester()), {
      versionCache: memoryVersionCache(),
    });
    await expect(connecting).rejects.toMatchObject({ code: 'http/status', status: 404 });
  });

  it('reports the error of the other transport when that endpoint exists', async () => {
    const { url } = await serve(({ method }, response) => void response.writeHead(method === 'POST' ? 404 : 503).end());
    const connecting = connectTo(createClientEndpoint({ url }, createNodeRequester()), {
      versionCache: memoryVersionCache(),
    });
    await expect(connecting).rejects.toMatchObject({ status: 503 });
  });
});
