import { execFile } from 'node:child_process';
import { request } from 'node:http';
import { promisify } from 'node:util';
import { createServer, tool } from 'tenon';
import { protect } from 'tenon/auth';
import { type HttpServer, type ServeHttpOptions, serveHttp } from 'tenon/node';
import { afterEach, describe, expect, it } from 'vitest';
import { findCurlBlocks } from './curl-blocks.js';

const NAME = 'Notes <script>alert(1)</script>';
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const run = promisify(execFile);
const hasCurl = await run('curl', ['--version']).then(
  () => true,
  () => false,
);

let http: HttpServer | undefined;
afterEach(async () => {
  await http?.close();
  http = undefined;
});

async function start(options: ServeHttpOptions = {}, protocolVersions?: readonly string[]): Promise<string> {
  const server = createServer({
    name: 'notes',
    title: NAME,
    version: '1.0.0',
    tools: { hello: tool({ run: () => 'hello' }) },
    ...(protocolVersions === undefined ? {} : { protocolVersions }),
  });
  http = await serveHttp(server, { port: 0, ...options });
  return http.url;
}

/** Sends a request with any `Host`, which `fetch` does not let a caller choose. */
function get(url: string, headers: Record<string, string>): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    request(url, { headers }, response => {
      let body = '';
      response.on('data', chunk => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, body }));
    })
      .on('error', reject)
      .end();
  });
}

const post = (url: string, body: object, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

describe('a browser that opens the endpoint', () => {
  it('gets a page with the name of the server and the ways to connect', async () => {
    const url = await start();
    const response = await fetch(url, { headers: { accept: BROWSER } });
    const page = await response.text();
    expect(response.status).toBe(405);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('allow')).toContain('POST');
    expect(page).toContain('Notes &lt;script&gt;');
    expect(page).toContain(`npx @tenon/cli list ${url}`);
    expect(page).toContain('tools/list');
    expect(page.length).toBeLessThan(2_000);
  });

  it('gets a page without scripts that cannot be framed', async () => {
    const response = await fetch(await start(), { headers: { accept: BROWSER } });
    const policy = response.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(response.headers.get('x-frame-options')).toBe('DENY');
    expect(await response.text()).not.toMatch(/<script|<style| on\w+=/);
  });

  it.each<[string, ServeHttpOptions]>([
    ['auth', { auth: protect({ resource: 'http://127.0.0.1:3000/mcp', issuers: ['http://127.0.0.1:3001'] }) }],
    ['authorize', { authorize: () => ({ auth: { principal: 'ada' } }) }],
  ])('does not get the name of a server with %s', async (_, options) => {
    const url = await start(options);
    const { status, body } = await get(url, { accept: BROWSER });
    expect(status).toBe(405);
    expect(body).not.toMatch(/notes/i);
    expect(body).toContain(`npx @tenon/cli list ${url}`);
    expect(body).not.toContain('curl');
  });

  it('gets the refusal of `authorize`', async () => {
    const url = await start({ authorize: () => ({ status: 302, headers: { location: '/sign-in' } }) });
    expect((await get(url, { accept: BROWSER })).status).toBe(302);
  });

  it('gets 403 for a forbidden Host, and 404 at another path', async () => {
    const url = await start();
    expect((await get(url, { accept: BROWSER, host: 'evil.example' })).status).toBe(403);
    expect((await get(new URL('/other', url).href, { accept: BROWSER })).status).toBe(404);
  });

  it('gets no characters of Host or path that could leave the page or the command line', async () => {
    const url = await start({ allowedHosts: '*', path: '*' });
    for (const host of ["evil.example'; rm", 'a"b', '<b>', '$(id)']) {
      const { body } = await get(`${url}a'b`, { accept: BROWSER, host });
      expect(body).toContain('list https://SERVER/mcp');
      expect(body).not.toContain(host);
    }
  });

  it.each([
    'text/event-stream',
    'text/html, text/event-stream',
    'application/json',
    '*/*',
    'text/html;q=0, application/json',
    'text/html5',
  ])('is not assumed from Accept: %s', async accept => {
    const response = await fetch(await start(), { headers: { accept } });
    expect([response.status, response.headers.get('content-type')]).toEqual([405, 'application/json']);
  });
});

describe('a first request by hand', () => {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const readError = async (response: Response) =>
    ((await response.json()) as { error: { code: number; message: string; data: { curl: string } } }).error;

  it('is refused without the type of JSON, with a command line that works', async () => {
    const url = await start();
    // The type that curl sends with `-d`.
    const type = 'application/x-www-form-urlencoded';
    const response = await post(url, list, { 'content-type': type });
    const { code, message, data } = await readError(response);
    expect([response.status, code]).toEqual([415, -32600]);
    expect(message).toContain('Content-Type must be application/json');
    expect(data.curl).toContain(`curl ${url} `);
  });

  it('is refused without a session, with a command line that works', async () => {
    const url = await start();
    const response = await post(url, list);
    const { code, message, data } = await readError(response);
    expect([response.status, code]).toEqual([400, -32600]);
    expect(message).toContain('The Mcp-Session-Id is missing');
    expect(message).toContain(`npx @tenon/cli list ${url}`);
    expect(data.curl).toContain(`curl ${url} `);
  });

  it('is refused without _meta, with a command line that works', async () => {
    const response = await post(await start(), list, {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/list',
    });
    const { message, data } = await readError(response);
    expect(message).toContain('_meta');
    expect(data.curl).toContain('io.modelcontextprotocol/clientCapabilities');
  });

  it.skipIf(!hasCurl).each([
    ['2026-07-28', undefined, 'hello'],
    ['2025-11-25', ['2025-11-25', '2025-03-26'], 'serverInfo'],
    ['2025-03-26', ['2025-03-26'], 'serverInfo'],
  ])('succeeds with the command line of the error: %s', async (version, versions, expected) => {
    const { data } = await readError(await post(await start({}, versions), list));
    expect(data.curl).toContain(version);
    const { stdout } = await run('sh', ['-c', `${data.curl} --silent --show-error --max-time 20`]);
    expect(stdout).toContain(expected);
    expect(stdout).not.toContain('"error"');
  });

  it.skipIf(!hasCurl)('succeeds with the command line of the page on HTTP', async () => {
    const url = await start();
    const lines = findCurlBlocks('docs/deploy/http.md').map(line => line.replace('http://127.0.0.1:3000/mcp', url));
    expect(lines).toHaveLength(2);
    for (const line of lines) {
      const { stdout } = await run('sh', ['-c', `${line} --silent --max-time 20`]);
      expect(stdout).toMatch(/"result"/);
    }
  });
});
