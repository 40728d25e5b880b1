import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestConsole } from './fixtures/console-page.js';
import { createSecurityHeaders } from './request-guard.js';

let page: Awaited<ReturnType<typeof openTestConsole>>;
beforeAll(async () => {
  page = await openTestConsole();
});
afterAll(() => page.close());

/** Sends a request with any headers, which `fetch` would not send. */
function send(path: string, headers: Record<string, string>, method = 'GET') {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; text: string }>((resolve, reject) => {
    const sent = request(`${page.origin}${path}`, { method, headers }, response => {
      let text = '';
      response.setEncoding('utf8').on('data', chunk => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    sent.on('error', reject).end();
  });
}

/** Creates a token of the right length that nobody has. */
const createGuess = (number: number): string => createHash('sha256').update(String(number)).digest('base64url');

describe('the listener of the console', () => {
  it('refuses the API without the token, with a part of it, and with a longer one [con.token]', async () => {
    const { token } = page;
    const wrong = ['', token.slice(0, -1), `${token}x`, token.toLowerCase(), 'x'.repeat(token.length)];
    for (const given of wrong) {
      const { status, text } = await send('/api/wire/1', given === '' ? {} : { 'x-tenon-token': given });
      expect(status).toBe(401);
      expect(text).not.toContain(token);
    }
    expect((await send(`/api/wire/1?token=${token}`, {})).status).toBe(401);
    expect((await send('/api/wire/1', { 'x-tenon-token': token })).status).toBe(400);
  });

  it('refuses each of 1,000 guessed tokens alike, and still takes the right one [con.token]', async () => {
    const { token } = page;
    const guesses = Array.from({ length: 1000 }, (_, at) =>
      at < token.length ? token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1) : createGuess(at),
    );
    const outcomes = new Set<string>();
    for (let at = 0; at < guesses.length; at += 50)
      for (const { status, headers, text } of await Promise.all(
        guesses.slice(at, at + 50).map(guess => send('/api/wire/1', { 'x-tenon-token': guess })),
      ))
        outcomes.add(JSON.stringify([status, { ...headers, date: undefined }, text]));
    expect([...outcomes].map(each => JSON.parse(each)[0])).toEqual([401]);
    expect((await send('/api/wire/1', { 'x-tenon-token': token })).status).toBe(400);
  });

  it('has a token of 256 bits, and another one for each start [con.token]', async () => {
    const other = await openTestConsole();
    expect(Buffer.from(page.token, 'base64url')).toHaveLength(32);
    expect(other.token).not.toBe(page.token);
    await other.close();
  });

  it('refuses a host name that leads to this machine by DNS [con.token]', async () => {
    const { port } = new URL(page.origin);
    const token = { 'x-tenon-token': page.token };
    for (const host of [
      `attacker.example:${port}`,
      'localhost',
      `127.0.0.1.nip.io:${port}`,
      `[::1]:${port}`,
      '127.0.0.1:1',
    ]) {
      expect((await send('/', { host })).status).toBe(421);
      expect((await send('/api/wire/1', { host, ...token })).status).toBe(421);
    }
    expect((await send('/', { host: `localhost:${port}` })).status).toBe(200);
  });

  it('refuses pages of other origins, also with the token [con.token]', async () => {
    const token = { 'x-tenon-token': page.token };
    const { port } = new URL(page.origin);
    for (const origin of ['https://attacker.example', 'null', `https://127.0.0.1:${port}`, `http://127.0.0.1:1`])
      expect((await send('/api/events', { origin, ...token })).status).toBe(403);
    expect((await send('/api/wire/1', { 'sec-fetch-site': 'cross-site', ...token })).status).toBe(403);
    const preflight = await send('/api/calls', { origin: 'https://attacker.example' }, 'OPTIONS');
    expect(preflight.status).toBe(403);
  });

  it('sends no header of CORS, and a policy that forbids frames, markup and foreign addresses [con.csp]', async () => {
    for (const path of ['/', '/wire', '/api/wire/1', '/assets/none.js']) {
      const { headers } = await send(path, {});
      expect(Object.keys(headers).filter(name => name.startsWith('access-control'))).toEqual([]);
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("require-trusted-types-for 'script'");
      expect(policy).not.toContain('unsafe');
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
  });

  it('allows the styles and the script inside of its page by their digests only [con.csp]', () => {
    const page = '<style>a{color:red}</style><script>first()</script>';
    const policy = String(createSecurityHeaders(page)['content-security-policy']);
    const toDigest = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    expect(policy).toContain(`script-src 'self' ${toDigest('first()')};`);
    expect(policy).toContain(`style-src 'self' ${toDigest('a{color:red}')};`);
  });

  it('names the option that sets the port, if the port is used', async () => {
    const port = Number(new URL(page.origin).port);
    for (const portOption of ['--port', '--console-port'])
      await expect(openTestConsole({ port, portOption })).rejects.toMatchObject({
        code: 'serve/listen',
        hint: `stop the other program, or pass another ${portOption}`,
      });
  });

  it('serves the page for each address of a view, and no file outside of the page [con.url]', async () => {
    expect((await send('/s/notes/tools/a%2Fb', {})).text).toContain('<title>page</title>');
    expect((await send('/../../package.json', {})).text).toContain('<title>page</title>');
    expect((await send('/assets/%2e%2e/%2e%2e/package.json', {})).text).not.toContain('"name"');
    const { status, headers } = await send('/', {}, 'POST');
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
  });

  it('serves addresses that are no URLs, because any page can send one [con.token]', async () => {
    for (const path of ['//', '//:0', '//attacker.example/api/wire/1', '/?a?b'])
      expect((await send(path, {})).text).toContain('<title>page</title>');
    expect((await send('/api//', {})).status).toBe(401);
  });

  it('refuses a body that is not JSON, because a form of any page could send it', async () => {
    const response = await send('/api/servers', { 'x-tenon-token': page.token, 'content-type': 'text/plain' }, 'POST');
    expect(response.status).toBe(400);
    expect(response.text).toContain('application/json');
  });

  it.each(['9007199254740993', '-1e400', '{"id":123456789012345678901}'])(
    'refuses a body with the number %s, because a server would get another one',
    async text => {
      const headers = { 'x-tenon-token': page.token, 'content-type': 'application/json' };
      const body = `{"params":${text},"name":"9007199254740993"}`;
      const response = await fetch(`${page.origin}/api/calls`, { method: 'POST', headers, body });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        error: { code: 'console/request', cause: expect.stringContaining(/-?\d[\de]+/.exec(text)?.[0] ?? '') },
      });
    },
  );
});
