import { expect, it } from 'vitest';
import { createBrowser, createFakeServers, ISSUER, issuerMetadata, refusal, SERVER } from './fixtures/world.js';
import { signIn } from './sign-in/sign-in.js';
import { listSignIns } from './stored-sign-ins.js';
import { memoryTokenStore, scopeTokenStore } from './token-store.js';

const REVOKE = `${ISSUER}/revoke`;
const withRevocation = () =>
  createFakeServers({
    [`${ISSUER}/.well-known/oauth-authorization-server`]: {
      json: { ...issuerMetadata(), revocation_endpoint: REVOKE },
    },
    [REVOKE]: {},
  });

it('signs each client and user out of a server: tokens revoked, registration forgotten', async () => {
  const servers = withRevocation();
  const tokenStore = memoryTokenStore();
  const options = { fetch: servers.fetch, redirect: createBrowser().redirect };
  for (const more of [{}, { client: { id: 'by-hand' } }, { tokenStore: scopeTokenStore(tokenStore, 'ada') }])
    await signIn({ tokenStore, ...options, ...more }).handleRefusal(refusal());
  const signIns = await listSignIns({ tokenStore, fetch: servers.fetch });
  const server = { server: SERVER, signOut: expect.any(Function) };
  expect(signIns).toEqual([server, { ...server, clientId: 'by-hand' }, { ...server, user: 'ada' }]);
  const outcomes = [];
  for (const each of signIns) outcomes.push(await each.signOut());
  expect(outcomes).toEqual([
    { hadTokens: true, revoked: true, hadRegistration: true },
    { hadTokens: true, revoked: true, hadRegistration: false },
    { hadTokens: true, revoked: true, hadRegistration: false },
  ]);
  expect(servers.urls().filter(url => url === REVOKE)).toHaveLength(6);
  expect(await listSignIns({ tokenStore, fetch: servers.fetch })).toEqual([]);
});

it('deletes tokens of an authorization server that the server used earlier', async () => {
  const servers = withRevocation();
  const tokenStore = memoryTokenStore();
  await signIn({ tokenStore, fetch: servers.fetch, redirect: createBrowser().redirect }).handleRefusal(refusal());
  const earlier = ['tokens', SERVER, 'https://earlier.example', SERVER, 'registered'];
  await tokenStore.update(earlier, async () => ({ next: { access: 'a' }, result: undefined }));
  for (const each of await listSignIns({ tokenStore, fetch: servers.fetch })) await each.signOut();
  expect((await tokenStore.listKeys?.())?.filter(([kind]) => kind === 'tokens')).toEqual([]);
});

it('reports that an authorization server offers no revocation', async () => {
  const servers = createFakeServers();
  const tokenStore = memoryTokenStore();
  await signIn({ tokenStore, fetch: servers.fetch, redirect: createBrowser().redirect }).handleRefusal(refusal());
  const [signedIn] = await listSignIns({ tokenStore, fetch: servers.fetch });
  expect(await signedIn?.signOut()).toMatchObject({ hadTokens: true, revoked: false });
});

it('refuses a token store that cannot list its entries', async () => {
  const { listKeys: _, ...tokenStore } = memoryTokenStore();
  await expect(listSignIns({ tokenStore })).rejects.toMatchObject({ code: 'auth/options' });
});
