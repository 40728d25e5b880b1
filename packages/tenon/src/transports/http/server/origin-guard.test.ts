import { describe, expect, it } from 'vitest';
import { createFakeService } from '../fixtures/fake-service.js';
import { alone, runtimes } from '../fixtures/sites.js';
import { createOriginGuard } from './admission.js';

describe('createOriginGuard', () => {
  it.each([
    ['localhost'],
    ['localhost:3000'],
    ['LOCALHOST:3000'],
    ['127.0.0.1'],
    ['127.0.0.1:80'],
    ['[::1]:3000'],
    ['192.168.1.7:3000'],
  ])('allows the host %s, which cannot be rebound', host => {
    expect(createOriginGuard({})(host, undefined)).toBeUndefined();
  });

  it.each([
    ['evil.example.com'],
    ['localhost.evil.example.com'],
    ['127.0.0.1.evil.example.com'],
    ['evil.example.com:3000'],
    ['localhost@evil.example.com'],
    ['xlocalhost'],
    [''],
    [undefined],
  ])('refuses the host %s [http.origin.validated]', host => {
    expect(createOriginGuard({})(host, undefined)).toBeTypeOf('string');
  });

  it('allows configured hosts, with their port or any', () => {
    const guard = createOriginGuard({ allowedHosts: ['MCP.example.com', 'other.example.com:8443'] });
    for (const host of ['mcp.example.com', 'mcp.example.com:444', 'Other.example.com:8443']) {
      expect(guard(host, undefined)).toBeUndefined();
    }
    expect(guard('other.example.com:1', undefined)).toBeTypeOf('string');
    expect(createOriginGuard({ allowedHosts: '*' })('evil.example.com', undefined)).toBeUndefined();
  });

  it.each([
    ['localhost:3000', 'http://localhost:5173'],
    ['127.0.0.1:3000', 'http://[::1]:1'],
    ['192.168.1.7:3000', 'http://192.168.1.7:3000'],
    ['mcp.example.com', 'https://mcp.example.com'],
    ['mcp.example.com', 'https://app.example.com'],
    ['mcp.example.com', 'https://cors.example.com'],
  ])('on %s allows pages of %s', (host, origin) => {
    const cors = { origins: ['https://cors.example.com'] };
    const guard = createOriginGuard({
      allowedHosts: ['mcp.example.com'],
      allowedOrigins: ['https://app.example.com'],
      cors,
    });
    expect(guard(host, origin)).toBeUndefined();
  });

  it.each([
    ['localhost:3000', 'http://evil.example.com'],
    ['localhost:3000', 'null'],
    ['localhost:3000', 'http://localhost.evil.example.com'],
    ['localhost:3000', 'file://'],
    ['localhost:3000', 'https://192.168.1.7'],
    ['mcp.example.com', 'http://localhost:3000'],
    ['mcp.example.com', 'http://mcp.example.com:81'],
    ['192.168.1.7:3000', 'http://localhost'],
  ])('on %s refuses pages of %s [http.origin.invalid-403]', (host, origin) => {
    expect(createOriginGuard({ allowedHosts: ['mcp.example.com'] })(host, origin)).toBeTypeOf('string');
  });

  it('returns no text that could break a log or a page', () => {
    expect(createOriginGuard({})('<script>"\r\n\u202e'.repeat(100), undefined)).toMatch(/^[\x20-\x7e]{0,250}$/);
    expect(createOriginGuard({})('<script>', undefined)).not.toContain('<');
  });
});

describe.each(runtimes)('browsers, over $name', ({ open }) => {
  const from = (origin: string, path = alone('tools/list')) => ({ ...path, headers: { ...path.headers, origin } });

  it('are refused by their Origin before any other check [http.origin.invalid-403] [sse-legacy.origin-validated]', async () => {
    const service = createFakeService();
    const site = await open(service, { authorize: () => expect.fail('not asked') });
    for (const path of ['/mcp', '/sse', '/messages', '/other']) {
      const response = await site.send(path, from('http://evil.example.com'));
      expect(response.status).toBe(403);
      expect(await response.json()).toEqual({ jsonrpc: '2.0', error: { code: -32600, message: expect.any(String) } });
    }
    expect(service.alone).toHaveLength(0);
    await site.close();
  });

  it('need no Origin, and may have a local one [http.origin-absent-allowed]', async () => {
    const site = await open(createFakeService());
    expect((await site.send('/mcp', alone('tools/list'))).status).toBe(200);
    expect((await site.send('/mcp', from('http://localhost:1234'))).status).toBe(200);
    expect((await site.send('/mcp', from(site.origin))).status).toBe(200);
    await site.close();
  });

  it('may not read responses unless CORS is enabled', async () => {
    const site = await open(createFakeService());
    const response = await site.send('/mcp', from('http://localhost:1234'));
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    expect((await site.send('/mcp', { method: 'OPTIONS' })).status).toBe(405);
    await site.close();
  });

  it('may read what CORS allows, errors included', async () => {
    const origin = 'https://app.example.com';
    const site = await open(createFakeService(), { cors: { origins: [origin], headers: ['x-tenant'], maxAge: 5000 } });
    const asking = { origin, 'access-control-request-headers': 'mcp-param-region,cookie,content-type' };
    const preflight = await site.send('/mcp', { method: 'OPTIONS', headers: asking });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, POST, DELETE, OPTIONS');
    expect(preflight.headers.get('access-control-max-age')).toBe('5');
    const allowed = preflight.headers.get('access-control-allow-headers')?.split(', ');
    expect(allowed).toEqual(
      expect.arrayContaining(['mcp-session-id', 'mcp-protocol-version', 'x-tenant', 'mcp-param-region']),
    );
    expect(allowed).not.toContain('cookie');
    for (const path of ['/mcp', '/nothing']) {
      const response = await site.send(path, from(origin));
      expect(response.headers.get('access-control-allow-origin')).toBe(origin);
      expect(response.headers.get('access-control-expose-headers')).toContain('mcp-session-id');
      expect(response.headers.get('vary')).toBe('Origin');
    }
    expect((await site.send('/mcp', from('https://other.example.com'))).status).toBe(403);
    await site.close();
  });

  it('never send cookies to a server that is open to all', async () => {
    const site = await open(createFakeService(), { cors: { origins: '*', credentials: true } });
    const response = await site.send('/mcp', from('https://any.example.com'));
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
    await site.close();
  });
});
