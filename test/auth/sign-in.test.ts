/** Our client against a protected server of ours and an authorization server of others. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createHttp } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';
import { type Clock, connect, createServer, tool } from 'tenon';
import { protect, type SignInOptions, signIn } from 'tenon/auth';
import { fileTokenStore } from 'tenon/auth/node';
import { serveHttp } from 'tenon/node';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../packages/tenon/src/cancellation/clock.js';
import { scriptedRedirect } from './scripted-browser.js';

const TTL = 3_600;
/** What the authorization server was asked. */
let asked: string[];
let closing: (() => unknown)[];
let folder: string;

beforeEach(async () => {
  asked = [];
  closing = [];
  folder = await mkdtemp(join(tmpdir(), 'sign-in-'));
});
afterEach(async () => {
  for (const close of closing.reverse()) await close();
  await rm(folder, { recursive: true, force: true });
});

async function startProvider(resource: () => string): Promise<string> {
  const http = createHttp((request, response) => {
    asked.push(`${request.method} ${request.url?.split('?')[0]}`);
    answer(request, response);
  });
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const provider = new Provider(url, {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'k', alg: 'ES256', use: 'sig' }] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    scopes: ['openid', 'offline_access', 'notes:read', 'notes:write'],
    cookies: { keys: ['only-for-tests'] },
    issueRefreshToken: () => true,
    ttl: { AccessToken: TTL, RefreshToken: 86_400, Session: 600, Grant: 86_400, Interaction: 600 },
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: true },
      revocation: { enabled: true },
      dPoP: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: 'notes:read notes:write',
          audience: resource(),
          accessTokenFormat: 'jwt',
          accessTokenTTL: TTL,
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  });
  const answer = provider.callback();
  closing.push(() => {
    http.close();
    http.closeAllConnections();
  });
  return url;
}

/** A server of notes that its provider protects. */
async function startAll() {
  let resource = '';
  const issuer = await startProvider(() => resource);
  const notes = createServer({
    name: 'notes',
    version: '1',
    tools: {
      who: tool({ scopes: ['notes:read'], run: (_, { auth }) => auth?.principal ?? 'nobody' }),
      write: tool({ scopes: ['notes:write'], run: () => 'written' }),
    },
  });
  const http = createHttp();
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  await new Promise(resolve => http.close(resolve));
  resource = `http://127.0.0.1:${port}/mcp`;
  const auth = protect({ resource, issuers: [issuer], scopes: ['notes:read'] });
  const { close } = await serveHttp(notes, { port, auth });
  closing.push(close);
  return { issuer, url: resource };
}

const count = (what: string) => asked.filter(each => each.endsWith(what)).length;

function client(url: string, options: SignInOptions = {}) {
  const { redirect, pages } = scriptedRedirect();
  const auth = signIn({ redirect, clientName: 'tests', ...options });
  return { auth, pages, open: () => connect({ url, auth }) };
}

const text = async (result: Promise<unknown>) => ((await result) as { content: { text: string }[] }).content[0]?.text;

it('signs in, calls, renews, steps up and signs out [auth.http-conforms]', async () => {
  const { url } = await startAll();
  const states: string[] = [];
  let ahead = 0;
  const clock: Clock = {
    now: () => Date.now() + ahead,
    after(ms, run) {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
  };
  const tokenStore = fileTokenStore(join(folder, 'vault.json'));
  const { auth, open, pages } = client(url, { tokenStore, clock });
  // A renewal that takes more than 100 ms counts as signing in, and on a busy machine it does.
  const timers = vi.spyOn(systemClock, 'after').mockImplementation(() => () => {});
  onTestFinished(() => timers.mockRestore());
  const first = await open();
  first.on('state', state => states.push(state));
  expect(await text(first.callTool('who'))).toContain('ada');
  expect([count('/auth'), count('/reg')]).toEqual([1, 1]);
  expect(pages.join()).toContain('You can close this page');

  ahead = TTL * 1_000;
  expect(await text(first.callTool('who'))).toContain('ada');
  expect([count('/auth'), count('/token')]).toEqual([1, 2]);

  expect(await text(first.callTool('write'))).toBe('written');
  expect(count('/auth')).toBe(2);
  expect(states).toEqual(['signing-in', 'connected']);
  timers.mockRestore();
  expect(count('/reg')).toBe(1);

  // Another process has all that it needs in the vault.
  const other = client(url, { tokenStore });
  const second = await other.open();
  expect(await text(second.callTool('write'))).toBe('written');
  expect(count('/auth')).toBe(2);
  await second.close();

  await auth.signOut?.();
  expect(count('/token/revocation')).toBe(2);
  await first.close();
  const third = client(url, { tokenStore });
  await (await third.open()).close();
  expect(count('/auth')).toBe(3);
}, 60_000);

it('signs in with tokens that are bound to a key', async () => {
  const { url } = await startAll();
  const { open } = client(url, { dpop: true });
  const notes = await open();
  expect(await text(notes.callTool('who'))).toContain('ada');
  await notes.close();
});

it('does not take a sign-in that fails for another transport, nor try twice', async () => {
  const { url } = await startAll();
  let times = 0;
  const redirect = {
    begin: async () => {
      times += 1;
      throw new Error('the user has gone');
    },
  };
  await expect(connect({ url, auth: signIn({ redirect }) })).rejects.toMatchObject({ code: 'auth/failed' });
  expect(times).toBe(1);
});
