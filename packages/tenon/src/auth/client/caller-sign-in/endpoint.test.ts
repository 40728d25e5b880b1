import { type AuthExchange, createCookie } from '@tenon/base/oauth';
import { describe, expect, it } from 'vitest';
import { createSignInEndpoint } from './endpoint.js';
import { createPageRedirect, type OpenPage, type PendingSignIn, PendingSignIns } from './pending-sign-ins.js';
import type { VisitRegistry } from './visit-registry.js';

const BASE = 'https://gateway.example/sign-in';
const noVisits = { find: () => undefined } as unknown as VisitRegistry;

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Creates a sign-in whose browser was verified, and a response of the authorization server that waits for its page. */
async function setUp() {
  const pending = new PendingSignIns(BASE, 10);
  const endpoint = createSignInEndpoint(new URL(BASE), pending, noVisits);
  let openPage: (page: OpenPage) => void = () => {};
  const opened = new Promise<OpenPage>(resolve => {
    openPage = resolve;
  });
  const signal = new AbortController().signal;
  const attempt = await createPageRedirect(`${BASE}/callback`, openPage).begin([], signal, 'of-issuer');
  const received = attempt.authorize(new URL('https://as.example/authorize?state=s'), signal);
  const page = await opened;
  let end: (error?: Error) => void = () => {};
  const outcome = new Promise<Error | undefined>(resolve => {
    end = resolve;
  });
  const signIn: PendingSignIn = pending.add('notes', { principal: 'ann' }, page, outcome);
  signIn.browsers.add('secret');

  const send = (method: string, path: string, { query = '', form = '', cookie = '' } = {}): Promise<Reply> =>
    new Promise(resolve => {
      const headers: Record<string, string> = { cookie, 'content-type': 'application/x-www-form-urlencoded' };
      const exchange: AuthExchange = {
        ...{ method, path, query, mount: '' },
        header: name => headers[name],
        body: (_, read) => read({ text: form }),
        reply: (status, body = '', given = {}) => resolve({ status, body, headers: given }),
      };
      endpoint.handle(exchange);
    });
  return { received, page, end, signIn, send, attempt };
}

type Setup = Awaited<ReturnType<typeof setUp>>;

/** Returns the cookie header of a browser. */
const createCookieHeader = ({ signIn }: Setup, secret = 'secret') =>
  `${createCookie(signIn.elicitationId, { secure: true }).name}=${secret}`;

describe('the page of a sign-in', () => {
  it('refuses a response at the redirect URI of another authorization server', async () => {
    const setup = await setUp();
    const cookie = createCookieHeader(setup);
    for (const path of ['/sign-in/callback', '/sign-in/callback/of-another', '/sign-in/callback/of-issuer/more']) {
      expect((await setup.send('GET', path, { query: 'code=c&state=s', cookie })).body).toContain('No sign-in');
    }
    const right = setup.send('GET', '/sign-in/callback/of-issuer', { query: 'code=c&state=s', cookie });
    expect(String(await setup.received)).toBe(`${setup.attempt.uri}?code=c&state=s`);
    setup.end();
    expect(await right).toMatchObject({ status: 200, body: expect.stringContaining('You are signed in to notes') });
  });

  it.each([
    ['confirm', true],
    ['deny', false],
    ['', false],
  ])('asks the user for the host before it sends the code, and passes on %j', async (answer, confirmed) => {
    const setup = await setUp();
    const cookie = createCookieHeader(setup);
    const isRequested = setup.page.confirmation.confirmIssuer(
      { server: 'https://mcp.example/mcp', issuer: 'https://as.example', host: 'as.example' },
      new AbortController().signal,
    );
    const page = await setup.send('GET', '/sign-in/callback/of-issuer', { query: 'code=c&state=s', cookie });
    expect(page.body).toContain('Did you sign in at as.example?');
    expect(page.headers['content-security-policy']).toContain("form-action 'self'; frame-ancestors 'none'");
    const token = /name="token" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
    const form = (fields: object) => String(new URLSearchParams({ id: setup.signIn.elicitationId, answer, ...fields }));
    expect((await setup.send('POST', '/sign-in/confirm', { cookie, form: form({ token: 'guessed' }) })).status).toBe(
      400,
    );
    const stranger = await setup.send('POST', '/sign-in/confirm', {
      cookie: createCookieHeader(setup, 'other'),
      form: form({ token }),
    });
    expect(stranger.body).toContain('Another browser');
    expect((await setup.send('GET', '/sign-in/confirm')).status).toBe(405);
    const done = setup.send('POST', '/sign-in/confirm', { cookie, form: form({ token }) });
    expect(await isRequested).toBe(confirmed);
    setup.end(confirmed ? undefined : new Error('not confirmed'));
    expect((await done).body).toContain(confirmed ? 'You are signed in' : 'has failed');
  });
});
