import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGuardedFetch, createUrlGuard } from '@tenon/base';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { getProgram, hasPrograms } from '../../../../../../scripts/optional-programs.mjs';
import { startConnectProxy } from '../../../../../../test/support/connect-proxy.js';
import { fetchWithAddressCheck } from '../auth/address-checked-fetch.js';
import { createNodeRequester } from './http-requester.js';

const NAMES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'];
const CREDENTIALS = `Basic ${Buffer.from('ada:p@ss').toString('base64')}`;

type Proxy = Awaited<ReturnType<typeof startConnectProxy>>;
let server: Server;
let port = 0;
let proxy: Proxy;
let headersAtServer: NodeJS.Dict<string | string[]>[] = [];

const listen = (listening: Server) =>
  new Promise<number>(resolve =>
    listening.listen(0, '127.0.0.1', () => resolve((listening.address() as AddressInfo).port)),
  );

beforeEach(async () => {
  for (const name of NAMES.flatMap(each => [each, each.toLowerCase()])) vi.stubEnv(name, '');
  headersAtServer = [];
  server = createServer((request, response) => {
    headersAtServer.push(request.headers);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    // The second event follows only when the first has arrived.
    response.write('data: first\n\n');
    request.resume().on('end', () => response.end('data: last\n\n'));
  });
  port = await listen(server);
  proxy = await startConnectProxy({ hosts: { 'mcp.example.com': port }, credentials: CREDENTIALS });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
  await proxy.close();
});

const get = async (url: string) =>
  (await createNodeRequester()({ method: 'GET', url, headers: { authorization: 'Bearer t' } })).text(1_000);
const failure = (url: string) => get(url).catch((error: unknown) => error as Error & { hint?: string });

describe('a request through a proxy', () => {
  it.each(['HTTP_PROXY', 'http_proxy', 'ALL_PROXY'])('uses the proxy of %s, which resolves the name', async name => {
    vi.stubEnv(name, `http://ada:p%40ss@${proxy.address}`);
    expect(await get('http://mcp.example.com/mcp?a=1')).toBe('data: first\n\ndata: last\n\n');
    expect(proxy.seen).toEqual([{ method: 'GET', target: 'http://mcp.example.com/mcp?a=1', credentials: CREDENTIALS }]);
    expect(headersAtServer).toMatchObject([{ host: 'mcp.example.com', authorization: 'Bearer t' }]);
    expect(JSON.stringify(headersAtServer)).not.toContain('proxy-authorization');
  });

  it('accepts a proxy without a scheme', async () => {
    vi.stubEnv('HTTP_PROXY', `ada:p%40ss@${proxy.address}`);
    expect(await get('http://mcp.example.com/')).toContain('last');
  });

  it.each(['127.0.0.1', 'localhost'])('uses no proxy for %s, nor for hosts in NO_PROXY', async host => {
    vi.stubEnv('HTTP_PROXY', `http://${proxy.address}`);
    vi.stubEnv('NO_PROXY', '.example.com');
    expect(await get(`http://${host}:${port}/`)).toContain('last');
    expect(await failure('http://sub.example.com:1/')).toMatchObject({ code: 'http/unreachable' });
    expect(proxy.seen).toEqual([]);
  });

  it.each(['socks5://ada:secret@proxy.example:1080', 'http://ada:secret@:bad:'])(
    'refuses the proxy %s, without its credentials in the error',
    async value => {
      vi.stubEnv('HTTP_PROXY', value);
      const error = await failure('http://mcp.example.com/');
      expect(error).toMatchObject({ code: 'http/proxy' });
      expect(`${(error as Error).message}${JSON.stringify(error)}`).not.toMatch(/secret|ada/);
    },
  );

  it.each(['https://mcp.example.com/', 'http://mcp.example.com/'])(
    'names the proxy that cannot be reached, and not the server: %s',
    async url => {
      vi.stubEnv('HTTPS_PROXY', 'http://ada:secret@127.0.0.1:1');
      vi.stubEnv('HTTP_PROXY', 'http://ada:secret@127.0.0.1:1');
      const error = await failure(url);
      expect(error).toMatchObject({
        code: 'http/unreachable',
        summary: 'cannot connect: the proxy cannot be reached',
        received: expect.stringContaining('ECONNREFUSED'),
        hint: expect.stringContaining('NO_PROXY'),
      });
      expect((error as Error).message).not.toMatch(/secret|ada/);
    },
  );

  it('reports that the proxy refused a tunnel, and why', async () => {
    vi.stubEnv('HTTPS_PROXY', `http://ada:wrong@${proxy.address}`);
    const denied = await failure('https://mcp.example.com/');
    expect(denied).toMatchObject({ code: 'http/unreachable', received: 'HTTP 407 from the proxy' });
    expect(`${(denied as Error).message}`).not.toContain('wrong');
    vi.stubEnv('HTTPS_PROXY', `http://ada:p%40ss@${proxy.address}`);
    expect(await failure('https://other.example.com/')).toMatchObject({
      received: 'HTTP 403 from the proxy',
      hint: expect.stringContaining('NO_PROXY'),
    });
    expect(proxy.seen.map(({ method, target }) => `${method} ${target}`)).toEqual([
      'CONNECT mcp.example.com:443',
      'CONNECT other.example.com:443',
    ]);
  });

  it('checks names and addresses of authorization servers before the proxy gets them', async () => {
    vi.stubEnv('HTTPS_PROXY', `http://ada:p%40ss@${proxy.address}`);
    const guard = createUrlGuard('https://mcp.example.com');
    const fetch = createGuardedFetch({ fetch: fetchWithAddressCheck, guard });
    for (const host of [
      '10.0.0.1',
      '169.254.169.254',
      'metadata.google.internal',
      'db.internal',
      '[fd00::1]',
      'intranet',
    ])
      await expect(fetch(`https://${host}/`)).rejects.toMatchObject({ code: 'auth/unsafe-url' });
    const init = { method: 'GET', headers: {}, signal: new AbortController().signal, redirect: 'manual' as const };
    await expect(fetchWithAddressCheck('https://10.0.0.1/', init, guard)).rejects.toMatchObject({
      code: 'auth/unsafe-url',
    });
    expect(proxy.seen).toEqual([]);
    await expect(fetch('https://other.example.com/')).rejects.toMatchObject({ received: 'HTTP 403 from the proxy' });
  });
});

describe.skipIf(!hasPrograms('openssl'))('a tunnel through a proxy', () => {
  it('carries TLS to the server, whose certificate is verified', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tenon-proxy-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const subject = ['-subj', '/CN=mcp.example.com', '-addext', 'subjectAltName=DNS:mcp.example.com'];
    const form = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '30'];
    execFileSync(getProgram('openssl'), ['req', ...form, '-keyout', key, '-out', cert, ...subject], {
      stdio: 'ignore',
    });
    const authorizations: (string | undefined)[] = [];
    const secure = createSecureServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
      authorizations.push(request.headers['proxy-authorization']);
      response.end('secret of the server');
    });
    const tunnelled = await startConnectProxy({ hosts: { 'mcp.example.com:443': await listen(secure) } });
    vi.stubEnv('HTTPS_PROXY', `http://ada:p%40ss@${tunnelled.address}`);
    try {
      expect(await failure('https://mcp.example.com/')).toMatchObject({
        code: 'http/unreachable',
        message: expect.stringContaining('self-signed certificate'),
      });
      vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
      expect(await get('https://mcp.example.com/')).toBe('secret of the server');
      expect(authorizations).toEqual([undefined]);
      expect(tunnelled.seen.map(({ target }) => target)).toEqual(['mcp.example.com:443', 'mcp.example.com:443']);
    } finally {
      secure.closeAllConnections();
      secure.close();
      await tunnelled.close();
      rmSync(folder, { recursive: true, maxRetries: 10 });
    }
  });
});
