/** An authorization server that loses its clients, as the client and the gateway meet it. */

import { type FakeClock, fakeClock } from '@tenon/testing';
import { type Client, connect } from 'tenon';
import { memoryTokenStore, signIn } from 'tenon/auth';
import { loopbackRedirect } from 'tenon/auth/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clientOf, formOf, serveGateway, serveIssuer, serveUpstream, type User } from './gateway-callers.js';
import { browse } from './scripted-browser.js';

const textOf = (result: unknown): string => (result as { content: { text: string }[] }).content[0]?.text ?? '';

describe('a client of an authorization server that has lost its clients', () => {
  it('registers again and signs in within one call', async () => {
    const issuer = await serveIssuer();
    const upstream = await serveUpstream(issuer.url);
    const pages: string[] = [];
    const open = (page: URL) => {
      pages.push(page.searchParams.get('client_id') ?? '');
      void browse(page, formOf('ada'));
    };
    const tokenStore = memoryTokenStore();
    const connectAgain = () => {
      const auth = signIn({ tokenStore, redirect: loopbackRedirect({ print: () => {}, open }) });
      return connect({ url: upstream.url, auth });
    };
    const first = await connectAgain();
    expect(textOf(await first.callTool('whoami'))).toBe('You are ada');
    await first.close();
    // Its new keys make the stored access token invalid, and its refresh token belongs to a client that is unknown now.
    issuer.forgetAll();
    upstream.forgetKeys();
    const second = await connectAgain();
    expect(textOf(await second.callTool('whoami'))).toBe('You are ada');
    await second.close();
    expect(new Set(pages).size).toBe(2);
    expect(pages).toHaveLength(2);
    await Promise.all([upstream.close(), issuer.close()]);
  });
});

describe('a gateway whose servers have such an authorization server', () => {
  let clock: FakeClock;
  let gateway: Awaited<ReturnType<typeof serveGateway>>;
  const clients: Client[] = [];
  beforeEach(async () => {
    clock = fakeClock(Date.now());
    gateway = await serveGateway({ clock });
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map(client => client.close()));
    await gateway.close();
  });

  async function open(user: User) {
    const client = await clientOf(gateway.url, user);
    clients.push(client);
    return client;
  }

  /** Signs a user in, so that the gateway is registered at both authorization servers. */
  async function openSignedIn(user: User) {
    const client = await open(user);
    await browse(await linkFor(client), formOf(user));
    expect(textOf(await client.callTool('remote__whoami'))).toBe(`You are ${user}`);
    return client;
  }

  const linkFor = async (client: Client) => {
    const text = textOf(await client.callTool('remote__whoami'));
    return new URL(/https?:\S+\/sign-in\/start\?id=[\w-]+/.exec(text)?.[0] ?? 'none:');
  };

  it('sends a caller whose tokens are lost to a page that leads to a new sign-in', async () => {
    const ada = await openSignedIn('ada');
    gateway.other.forgetAll();
    gateway.upstream.forgetKeys();
    expect(await browse(await linkFor(ada), formOf('ada'))).toContain('You are signed in to remote');
    expect(textOf(await ada.callTool('remote__whoami'))).toBe('You are ada');
  });

  it('registers again before it sends a new caller to a page', async () => {
    await openSignedIn('ada');
    gateway.other.forgetAll();
    gateway.upstream.forgetKeys();
    const bob = await open('bob');
    expect(await browse(await linkFor(bob), formOf('bob'))).toContain('You are signed in to remote');
    expect(textOf(await bob.callTool('remote__whoami'))).toBe('You are bob');
  });

  it('sends a caller whose tokens have expired meanwhile to a page with the first call', async () => {
    const ada = await openSignedIn('ada');
    clock.advance(3_700_000);
    gateway.other.forgetAll();
    gateway.upstream.forgetKeys();
    expect(await browse(await linkFor(ada), formOf('ada'))).toContain('You are signed in to remote');
    expect(textOf(await ada.callTool('remote__whoami'))).toBe('You are ada');
  });

  it('identifies the user of a browser although its own authorization server has lost its clients', async () => {
    const ada = await openSignedIn('ada');
    gateway.other.forgetAll();
    gateway.upstream.forgetKeys();
    const link = await linkFor(ada);
    gateway.own.forgetAll();
    expect(await browse(link, formOf('ada'))).toContain('You are signed in to remote');
  });

  it('names the refused token, and no other user, while the gateway has the old keys of its authorization server', async () => {
    const ada = await openSignedIn('ada');
    gateway.other.forgetAll();
    gateway.upstream.forgetKeys();
    const link = await linkFor(ada);
    // After a token with an unknown key, the gateway waits before it requests the keys again.
    const parts = [{ alg: 'ES256', typ: 'at+jwt', kid: 'made up' }, { iss: gateway.own.url }];
    const token = [...parts.map(part => Buffer.from(JSON.stringify(part)).toString('base64url')), 'AA'].join('.');
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(gateway.url, { method: 'POST', headers })).status).toBe(401);
    gateway.own.forgetAll();
    const page = await browse(link, formOf('ada'));
    expect(page).toContain('has failed (auth/rejected)');
    expect(page).not.toContain('Another user');
  });

  it.each(['own', 'other'] as const)(
    'redirects the browser to the second page when the %s authorization server refuses the client',
    async name => {
      await openSignedIn('ada');
      const bob = await open('bob');
      gateway[name].refuseNext('unauthorized_client');
      expect(await browse(await linkFor(bob), formOf('bob'))).toContain('You are signed in to remote');
      expect(textOf(await bob.callTool('remote__whoami'))).toBe('You are bob');
    },
  );
});
