import { describe, expect, it } from 'vitest';
import { AS, failure, setUp } from '../fixtures/signing.js';
import { type createFakeServers, ISSUER, issuerMetadata, RESOURCE, refusal, SERVER } from '../fixtures/world.js';
import { memoryTokenStore } from '../token-store.js';
import { createClientDocument } from './client-document.js';
import { signIn } from './sign-in.js';

const register = (servers: ReturnType<typeof createFakeServers>) =>
  servers.seen.filter(({ url }) => url.endsWith('/register'));
const TOKENS_KEY = ['tokens', SERVER, ISSUER, RESOURCE, 'registered'];

describe('the client of a sign-in', () => {
  it('is the one registered by hand, before any other [auth.registration.priority auth.registration.static-credentials auth.registration.alternative]', async () => {
    const metadata = { ...issuerMetadata(), client_id_metadata_document_supported: true };
    const options = { client: { id: 'by-hand', secret: 's-e.c' }, clientMetadataUrl: 'https://me.example/client.json' };
    const { auth, getRequests, servers } = setUp({ [AS]: { json: metadata } }, options);
    await auth.handleRefusal(refusal());
    expect(getRequests().get('client_id')).toBe('by-hand');
    expect(servers.seen.at(-1)?.headers.authorization).toBe(`Basic ${btoa('by-hand:s-e.c')}`);
    expect(register(servers)).toEqual([]);
  });

  it('is a metadata document where the authorization server supports it [auth.cimd.supported auth.cimd.capability-checked auth.registration.priority]', async () => {
    const options = { clientMetadataUrl: 'https://me.example/client.json' };
    const taken = setUp(
      { [AS]: { json: { ...issuerMetadata(), client_id_metadata_document_supported: true } } },
      options,
    );
    await taken.auth.handleRefusal(refusal());
    expect(taken.getRequests().get('client_id')).toBe('https://me.example/client.json');
    expect(register(taken.servers)).toEqual([]);
    const untaken = setUp({}, options);
    await untaken.auth.handleRefusal(refusal());
    expect(untaken.getRequests().get('client_id')).toBe('registered-1');
  });

  it.each([
    'http://me.example/c.json',
    'https://me.example',
    'https://me.example/',
    'https://me.example/a/../c',
    'https://u@me.example/c',
  ])('refuses the document %s [auth.cimd.client-id-url auth.cimd.client-hosts-https]', clientMetadataUrl =>
    expect(() => signIn({ clientMetadataUrl })).toThrow(failure('auth/client-document')),
  );

  it('is described by a document that contains its own URL [auth.cimd.required-members auth.cimd.client-id-equals-url auth.cimd.client-hosts-https]', () => {
    const url = 'https://me.example/client.json';
    const redirects = ['http://127.0.0.1:8765/callback'];
    expect(createClientDocument({ url, name: 'Me', redirects })).toMatchObject({
      client_id: url,
      client_name: 'Me',
      redirect_uris: redirects,
    });
    expect(() => createClientDocument({ url: 'http://me.example/c', name: 'Me', redirects })).toThrow(
      failure('auth/client-document'),
    );
  });

  it('registers as a native application with refresh tokens [auth.dcr.optional auth.dcr.supported auth.dcr-application-type auth.dcr-application-type-native auth.refresh-token-grant-type]', async () => {
    const { auth, servers } = setUp();
    await auth.handleRefusal(refusal());
    expect(JSON.parse(register(servers)[0]?.body ?? '')).toMatchObject({
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    });
  });

  it.each([
    [['client_secret_post', 'none'], 'none'],
    [['client_secret_post', 'client_secret_basic'], 'client_secret_post'],
    [['private_key_jwt', 'client_secret_basic', 'client_secret_post'], 'client_secret_basic'],
    [['private_key_jwt'], 'none'],
  ])('registers at a server with the methods %j by %s', async (methods, expected) => {
    const metadata = { ...issuerMetadata(), token_endpoint_auth_methods_supported: methods };
    const { auth, servers } = setUp({ [AS]: { json: metadata } });
    await auth.handleRefusal(refusal());
    expect(JSON.parse(register(servers)[0]?.body ?? '').token_endpoint_auth_method).toBe(expected);
  });

  it('registers as a web application when its redirect URI is one [auth.dcr-application-type-web]', async () => {
    const uri = 'https://app.example.com/cb';
    const redirect = {
      begin: async () => ({
        uri,
        authorize: async (url: URL) => `${uri}?code=1&state=${url.searchParams.get('state')}`,
        close() {},
      }),
    };
    const { auth, servers } = setUp({}, { redirect });
    await auth.handleRefusal(refusal());
    expect(JSON.parse(register(servers)[0]?.body ?? '').application_type).toBe('web');
  });

  it('registers once, and stores the registration', async () => {
    const tokenStore = memoryTokenStore();
    for (const count of [1, 0]) {
      const { auth, servers } = setUp({}, { tokenStore });
      await auth.handleRefusal(refusal());
      expect(register(servers)).toHaveLength(count);
      await tokenStore.update(TOKENS_KEY, async () => ({ next: null, result: undefined }));
    }
  });

  it('names the next step when the registration fails [auth.dcr-redirect-failure-handled auth.dcr-failure-surfaced]', async () => {
    const route = { status: 400, json: { error: 'invalid_redirect_uri', error_description: 'no loopback' } };
    const { auth } = setUp({ [`${ISSUER}/register`]: route });
    await expect(auth.handleRefusal(refusal())).rejects.toMatchObject({
      code: 'auth/registration',
      received: 'invalid_redirect_uri: no loopback',
      hint: expect.stringContaining('manually'),
    });
  });

  it('names the next step when no registration is possible [auth.registration.alternative]', async () => {
    const { registration_endpoint: _, ...metadata } = issuerMetadata();
    const { auth } = setUp({ [AS]: { json: metadata } });
    await expect(auth.handleRefusal(refusal())).rejects.toMatchObject({
      code: 'auth/no-client',
      hint: expect.stringContaining('client'),
    });
  });

  it('registers again when the server no longer knows it', async () => {
    let known = false;
    const tokenStore = memoryTokenStore();
    const token = () =>
      known
        ? { json: { access_token: 'a', token_type: 'Bearer' } }
        : { status: 401, json: { error: 'invalid_client' } };
    const { auth, servers } = setUp({ [`${ISSUER}/token`]: token }, { tokenStore });
    await expect(auth.handleRefusal(refusal())).rejects.toEqual(failure('auth/refused'));
    known = true;
    expect(await auth.handleRefusal(refusal())).toBe(true);
    expect(register(servers)).toHaveLength(2);
  });

  it('belongs to its issuer, and is not sent to another [auth.credentials-keyed-by-issuer auth.pre-registered-mismatch-error auth.credentials-not-reused-across-as]', async () => {
    const { auth, browser } = setUp({}, { client: { id: 'x', secret: 'y', issuer: 'https://other.example.com' } });
    await expect(auth.handleRefusal(refusal())).rejects.toEqual(failure('auth/other-issuer'));
    expect(browser.visited).toEqual([]);
  });
});
