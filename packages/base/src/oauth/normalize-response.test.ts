import { describe, expect, it } from 'vitest';
import { AS, failure, setUp } from '../../../tenon/src/auth/client/fixtures/signing.js';
import { headersOf, ISSUER, issuerMetadata, refusal } from '../../../tenon/src/auth/client/fixtures/world.js';
import { memoryTokenStore, type StoredSecret, type TokenStore } from '../../../tenon/src/auth/client/token-store.js';

const TOKEN = `${ISSUER}/token`;
const REGISTER = `${ISSUER}/register`;

/** Keeps the last value that was stored under each kind of key. */
function recordingStore() {
  const stored: Record<string, StoredSecret | undefined> = {};
  const store = memoryTokenStore();
  const recording: TokenStore = {
    get: key => store.get(key),
    update: (key, change) =>
      store.update(key, async previous => {
        const update = await change(previous);
        if (update.next) stored[key[0] ?? ''] = update.next;
        return update;
      }),
  };
  return { tokenStore: recording, stored };
}

async function signInWith(routes: Parameters<typeof setUp>[0]) {
  const { tokenStore, stored } = recordingStore();
  const { auth, servers } = setUp(routes, { tokenStore });
  await auth.handleRefusal(refusal());
  return { stored, servers, headers: await headersOf(auth) };
}

describe('a token response', () => {
  it.each([
    [{ token_type: undefined }, {}],
    [{ token_type: null }, {}],
    [{ token_type: 'BEARER' }, {}],
    [{ expires_in: null }, {}],
    [{ expires_in: '3600' }, { expires: expect.any(Number) }],
    [{ expires_in: 0 }, {}],
    [{ scope: null }, { asked: [] }],
    [{ scope: 'a b' }, { asked: ['a', 'b'] }],
    [{ refresh_token: null }, {}],
    [{ refresh_token: '' }, {}],
    [{ id_token: null }, {}],
    [{ id_token: 'no token of an issuer' }, {}],
    [{ error: null }, {}],
    [{ error: '' }, {}],
  ])('is accepted with %j', async (members, expected) => {
    const { stored, headers } = await signInWith({
      [TOKEN]: { json: { access_token: 'a', token_type: 'Bearer', ...members } },
    });
    expect(headers).toEqual({ authorization: 'Bearer a' });
    expect(stored.tokens).toMatchObject({ access: 'a', type: 'bearer', ...expected });
    expect(stored.tokens).not.toHaveProperty('refresh');
    if (!('expires' in expected)) expect(stored.tokens).not.toHaveProperty('expires');
  });

  it('is accepted with a wrong content type', async () => {
    const { headers } = await signInWith({ [TOKEN]: { text: '{"access_token":"a","token_type":"bearer"}' } });
    expect(headers).toEqual({ authorization: 'Bearer a' });
  });

  it.each([
    { token_type: 'mac' },
    { token_type: '' },
    { token_type: 1 },
    { expires_in: -1 },
    { expires_in: 'NaN' },
    { expires_in: '3600s' },
    { expires_in: true },
    { expires_in: [] },
    { access_token: null },
    { access_token: '' },
    { scope: ['a'] },
    { refresh_token: 1 },
  ])('is refused with %j', async members => {
    const { auth } = setUp({ [TOKEN]: { json: { access_token: 'a', token_type: 'Bearer', ...members } } });
    await expect(auth.handleRefusal(refusal())).rejects.toEqual(failure('auth/bad-answer'));
    expect(await headersOf(auth)).toEqual({});
  });

  it.each(['<html>', '[]', ''])('is refused with the body %j, which the error describes', async text => {
    const { auth } = setUp({ [TOKEN]: { text } });
    await expect(auth.handleRefusal(refusal())).rejects.toMatchObject({
      code: 'auth/bad-answer',
      received: 'a body that is not a JSON object',
    });
  });

  it('is refused if it contains an error, with any status', async () => {
    const { auth } = setUp({ [TOKEN]: { json: { access_token: 'a', token_type: 'Bearer', error: 'invalid_scope' } } });
    await expect(auth.handleRefusal(refusal())).rejects.toMatchObject({
      code: 'auth/refused',
      data: { error: 'invalid_scope' },
    });
  });
});

describe('a registration response', () => {
  const nulls = { client_secret: null, client_secret_expires_at: null, token_endpoint_auth_method: null };

  it.each([
    [{ client_secret: null }],
    [{ client_secret: '' }],
    [{ client_secret: '', client_secret_expires_at: 0, token_endpoint_auth_method: 'client_secret_basic' }],
    [{ ...nulls, client_uri: null, scope: null, redirect_uris: null }],
  ])('with %j creates a public client', async members => {
    const { stored, servers } = await signInWith({ [REGISTER]: { json: { client_id: 'c', ...members } } });
    expect(stored.client).not.toHaveProperty('secret');
    expect(servers.tokenRequests()[0]?.get('client_id')).toBe('c');
    expect(servers.seen.at(-1)?.headers).not.toHaveProperty('authorization');
  });

  it.each([[null], [''], ['0'], [0], [undefined]])('accepts a secret that expires at %j', async expiry => {
    const json = {
      client_id: 'c',
      client_secret: 's',
      client_secret_expires_at: expiry,
      token_endpoint_auth_method: 'client_secret_basic',
    };
    const { stored, servers } = await signInWith({ [REGISTER]: { status: 201, json } });
    expect(stored.client).toMatchObject({ id: 'c', secret: 's' });
    expect(stored.client).not.toHaveProperty('expires');
    expect(servers.seen.at(-1)?.headers.authorization).toBe(`Basic ${btoa('c:s')}`);
  });

  it.each([{ client_id: null }, { client_id: 5 }, { client_secret: 5 }, { client_secret: {} }])(
    'is refused with %j',
    async members => {
      const { auth } = setUp({ [REGISTER]: { status: 201, json: { client_id: 'c', ...members } } });
      await expect(auth.handleRefusal(refusal())).rejects.toEqual(failure('auth/registration'));
    },
  );
});

describe('a metadata document', () => {
  it.each([
    ['registration_endpoint', null, 'auth/no-client'],
    ['registration_endpoint', '', 'auth/no-client'],
    ['authorization_endpoint', null, 'auth/no-issuer-metadata'],
    ['code_challenge_methods_supported', null, 'auth/no-pkce'],
  ])('counts as one without %s if that is %j', async (name, value, code) => {
    const { auth } = setUp({ [AS]: { json: { ...issuerMetadata(), [name]: value } } });
    await expect(auth.handleRefusal(refusal())).rejects.toEqual(failure(code));
  });

  it('may contain null for all optional members', async () => {
    const optional = {
      scopes_supported: null,
      revocation_endpoint: null,
      device_authorization_endpoint: null,
      token_endpoint_auth_methods_supported: null,
      authorization_response_iss_parameter_supported: null,
      client_id_metadata_document_supported: null,
      jwks_uri: null,
    };
    const { headers } = await signInWith({ [AS]: { json: { ...issuerMetadata(), ...optional } } });
    expect(headers).toEqual({ authorization: 'Bearer access-1' });
  });
});
