import * as http from 'node:http';
import type { Clock } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { loopbackRedirect } from './loopback-redirect.js';

const never = () => new AbortController().signal;
const AUTHORIZE = new URL('https://as.example.com/authorize?state=right');

function ask(uri: string, { method = 'GET', host }: { method?: string; host?: string } = {}) {
  return new Promise<{ status: number; body: string; headers: http.IncomingHttpHeaders }>((resolve, reject) => {
    const headers = host === undefined ? {} : { host };
    http
      .request(uri, { method, headers, agent: false }, reply => {
        let body = '';
        reply
          .on('data', chunk => (body += chunk))
          .on('end', () => resolve({ status: reply.statusCode ?? 0, body, headers: reply.headers }));
      })
      .on('error', reject)
      .end();
  });
}

async function begun(
  options: Parameters<typeof loopbackRedirect>[0] = {},
  known: string[] = [],
  signal = never(),
  issuerPath?: string,
) {
  const printed: string[] = [];
  const redirect = loopbackRedirect({ open: false, print: text => printed.push(text), ...options });
  const attempt = await redirect.begin(known, signal, issuerPath);
  return { attempt, printed, back: () => attempt.authorize(AUTHORIZE, signal) };
}

describe('the loopback redirect', () => {
  it('listens on a free port at an unguessable path, for one response [auth.security.redirect-localhost-or-https]', async () => {
    const { attempt, printed, back } = await begun();
    expect(attempt.uri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback\/[\w-]{22}$/);
    const came = back();
    const page = await ask(`${attempt.uri}?code=c&state=right`);
    expect(String(await came)).toBe(`${attempt.uri}?code=c&state=right`);
    expect(page.status).toBe(200);
    expect(page.body).not.toMatch(/script|code=c/);
    expect(page.headers).toMatchObject({
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    });
    expect(printed.join()).toContain(AUTHORIZE.href);
    await attempt.close();
    await expect(ask(attempt.uri)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('refuses other requests, and continues to wait', async () => {
    const { attempt, back } = await begun();
    const came = back();
    const right = `${attempt.uri}?code=c&state=right`;
    const { origin } = new URL(attempt.uri);
    const statuses = [
      (await ask(right, { host: 'evil.example.com' })).status,
      (await ask(`${origin}/?code=c&state=right`)).status,
      (await ask(right, { method: 'POST' })).status,
      (await ask(`${attempt.uri}?code=c&state=wrong`)).status,
      (await ask(`${attempt.uri}?code=c&state=right&state=wrong`)).status,
    ];
    expect(statuses).toEqual([421, 404, 405, 400, 400]);
    expect((await ask(right, { method: 'POST' })).headers.allow).toBe('GET');
    await ask(right);
    expect(String(await came)).toBe(right);
    await attempt.close();
  });

  it('says that a sign-in has ended whose page another program opened before', async () => {
    const { attempt, back } = await begun();
    const came = back();
    expect((await ask(`${attempt.uri}?code=c&state=earlier`)).body).toContain('This sign-in has ended.');
    await ask(`${attempt.uri}?code=c&state=right`);
    await came;
    await attempt.close();
  });

  it('uses the former port if it is free', async () => {
    const first = await begun();
    const second = await begun({}, [first.attempt.uri]);
    expect(second.attempt.uri).not.toBe(first.attempt.uri);
    await first.attempt.close();
    const third = await begun({}, [first.attempt.uri]);
    expect(third.attempt.uri).toBe(first.attempt.uri);
    await Promise.all([second.attempt.close(), third.attempt.close()]);
  });

  it('has a path for each authorization server, also if another one was registered before', async () => {
    const before = await begun();
    await before.attempt.close();
    const first = await begun({}, [before.attempt.uri], never(), 'of-issuer');
    expect(new URL(first.attempt.uri).pathname).toBe('/callback/of-issuer');
    await first.attempt.close();
    const again = await begun({}, [before.attempt.uri, first.attempt.uri], never(), 'of-issuer');
    expect(again.attempt.uri).toBe(first.attempt.uri);
    await again.attempt.close();
    const named = await begun({ host: 'localhost', path: '/cb' });
    expect(named.attempt.uri).toMatch(/^http:\/\/localhost:\d+\/cb$/);
    const came = named.back();
    const right = `${named.attempt.uri}?code=c&state=right`;
    expect((await ask(right.replace('localhost', '127.0.0.1'))).status).toBe(421);
    await ask(right.replace('localhost', '127.0.0.1'), { host: new URL(right).host });
    expect(String(await came)).toBe(right);
    await named.attempt.close();
    const fixed = await begun({ path: '/cb' }, [], never(), 'of-issuer');
    expect(new URL(fixed.attempt.uri).pathname).toBe('/cb');
    await fixed.attempt.close();
  });

  it('accepts a configured port and path, and uses another port when it is taken', async () => {
    const blocker = http.createServer();
    const port = await new Promise<number>(resolve => {
      blocker.listen(0, '127.0.0.1', () => resolve((blocker.address() as { port: number }).port));
    });
    const { attempt } = await begun({ port, path: '/cb' });
    expect(new URL(attempt.uri).pathname).toBe('/cb');
    expect(new URL(attempt.uri).port).not.toBe(String(port));
    await attempt.close();
    blocker.close();
  });

  it('closes when the sign-in is aborted', async () => {
    const controller = new AbortController();
    const { attempt, back } = await begun({}, [], controller.signal);
    const came = back();
    controller.abort(new Error('enough'));
    await expect(came).rejects.toThrow('enough');
    await expect(ask(attempt.uri)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('closes after its timeout', async () => {
    let fire = () => {};
    const clock: Clock = {
      now: () => 0,
      elapsed: () => 0,
      after(_, run) {
        fire = run;
        return () => {};
      },
    };
    const { attempt, back } = await begun({ clock });
    const came = back();
    fire();
    await expect(came).rejects.toMatchObject({ code: 'auth/timeout' });
    await attempt.close();
  });
});
