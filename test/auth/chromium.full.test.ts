/** The whole of signing in, in a real browser: our client, our protected server, and an authorization server of others. */
import { connect } from 'tenon';
import { type SignInOptions, signIn } from 'tenon/auth';
import { loopbackRedirect } from 'tenon/auth/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findBrowser } from '../../scripts/browser.mjs';
import { type ChromiumUser, startChromiumUser } from './chromium-user.js';
import { LIFE, movableClock, type ProtectedNotes, startProtectedNotes, textOf } from './protected-notes.js';

const { browser } = await findBrowser();

describe.runIf(browser)('signing in with Chromium', () => {
  let notes: ProtectedNotes;
  let user: ChromiumUser;
  /** What the authorization server has issued. */
  let secrets: string[];

  beforeEach(async () => {
    secrets = [];
    notes = await startProtectedNotes();
    if (browser === undefined) throw new Error('No browser.');
    user = await startChromiumUser(browser);
  });
  afterEach(async () => {
    await user.close();
    await notes.close();
  });

  function authorizer(options: SignInOptions = {}) {
    const redirect = loopbackRedirect({ open: user.open, print: () => {} });
    return signIn({ redirect, clientName: 'tests', fetch: noting, ...options });
  }

  /** Keeps what must not be seen in the browser. */
  async function noting(url: string, init: RequestInit): Promise<Response> {
    const response = await fetch(url, init);
    const body = (await response
      .clone()
      .json()
      .catch(() => ({}))) as Record<string, unknown>;
    for (const name of ['access_token', 'refresh_token', 'id_token', 'registration_access_token'])
      if (typeof body[name] === 'string') secrets.push(body[name]);
    const verifier = new URLSearchParams(String(init.body)).get('code_verifier');
    if (verifier !== null) secrets.push(verifier);
    return response;
  }

  it('signs in, consents, calls, refreshes, steps up, signs out and in again', async () => {
    const { issuer, url } = notes;
    const clock = movableClock();
    const auth = authorizer({ clock });
    const client = await connect({ url, auth });
    expect(await textOf(client.callTool('who'))).toBe(`${issuer.url}|ada`);
    expect(user.prompts).toEqual(['login', 'consent notes:read']);

    // The server finds that the token has ended; the client's clock does not.
    issuer.life = 3 * LIFE;
    notes.clock.ahead = 2 * LIFE * 1_000;
    expect(await textOf(client.callTool('who'))).toBe(`${issuer.url}|ada`);
    expect([issuer.count('/auth'), issuer.count('/token')]).toEqual([1, 2]);

    // The client finds it by itself.
    clock.ahead = 3 * LIFE * 1_000;
    expect(await textOf(client.callTool('who'))).toBe(`${issuer.url}|ada`);
    expect([issuer.count('/auth'), issuer.count('/token')]).toEqual([1, 3]);
    clock.ahead = 0;
    expect(user.prompts).toHaveLength(2);

    expect(await textOf(client.callTool('write'))).toBe('written');
    expect(user.prompts.slice(2)).toEqual(['consent notes:write']);
    expect(await textOf(client.callTool('write'))).toBe('written');
    expect([issuer.count('/auth'), issuer.count('/reg')]).toEqual([2, 1]);

    await auth.signOut?.();
    expect(issuer.count('/token/revocation')).toBe(2);
    expect(await textOf(client.callTool('who'))).toBe(`${issuer.url}|ada`);
    expect(issuer.count('/auth')).toBe(3);
    await client.close();

    const ended = await user.ended();
    expect(user.errors).toEqual([]);
    expect(user.scripts).toEqual([]);
    expect(ended).toHaveLength(3);
    for (const page of ended) {
      expect(page).toMatchObject({ status: 200, text: 'You can close this page and go back to the program.' });
      expect(page.headers).toMatchObject({
        'content-security-policy': expect.stringContaining("default-src 'none'"),
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      });
    }
    // Three sign-ins and two renewals, each with a token of either kind and all but the renewals with a verifier.
    expect(secrets.length).toBeGreaterThanOrEqual(13);
    const seen = user.requests.flatMap(({ url: visited, referer = '' }) => [
      visited,
      decodeURIComponent(visited),
      referer,
    ]);
    expect(seen.filter(each => secrets.some(secret => each.includes(secret)))).toEqual([]);
    // A code goes nowhere but to the program.
    const withCode = user.requests.filter(request => new URL(request.url).searchParams.has('code'));
    expect(withCode.map(request => new URL(request.url).pathname.split('/')[1])).toEqual(Array(3).fill('callback'));
    expect(user.requests.filter(request => request.referer?.includes('code='))).toEqual([]);
  }, 90_000);

  it('reports that the user denied, and asks again only with the next call', async () => {
    const { url } = notes;
    user.willing = false;
    const auth = authorizer();
    const error = await connect({ url, auth }).catch(reason => reason);
    expect(error).toMatchObject({ code: expect.stringMatching(/^auth\//) });
    expect(user.prompts).toEqual(['login']);
    expect((await user.ended())[0]).toMatchObject({ status: 200, text: expect.stringContaining('close this page') });
    expect(notes.issuer.count('/token')).toBe(0);

    user.willing = true;
    const client = await connect({ url, auth });
    expect(await textOf(client.callTool('who'))).toBe(`${notes.issuer.url}|ada`);
    expect(user.prompts).toEqual(['login', 'login', 'consent notes:read']);
    await client.close();
    await user.ended();
    expect(user.errors).toEqual([]);
  }, 60_000);
});
