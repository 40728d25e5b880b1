import { decodeJwt, decodeProtectedHeader, exportJWK, exportPKCS8, generateKeyPair, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { bearer } from '../bearer.js';
import {
  createFakeServers,
  headersOf,
  ISSUER,
  insist,
  issuerMetadata,
  RESOURCE,
  type Route,
  refusal,
} from '../fixtures/world.js';
import { clientCredentials } from './client-credentials.js';
import { enterpriseManaged } from './enterprise-managed.js';
import { workloadIdentity } from './workload-identity.js';

const AS = `${ISSUER}/.well-known/oauth-authorization-server`;
const TOKEN = `${ISSUER}/token`;
const IDP = 'https://idp.example.com';
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const asWith = (methods: string[]) => ({
  [AS]: { json: { ...issuerMetadata(), token_endpoint_auth_methods_supported: methods } },
});

describe('client credentials', () => {
  it.each([
    [['client_secret_basic'], { authorization: `Basic ${btoa('my-id:a%2Bb_c-d.e')}` }, {}],
    [['client_secret_post'], {}, { client_id: 'my-id', client_secret: 'a+b_c-d.e' }],
    [['client_secret_post', 'client_secret_basic'], {}, { client_id: 'my-id', client_secret: 'a+b_c-d.e' }],
    [['tls', 'client_secret_basic', 'client_secret_post'], { authorization: `Basic ${btoa('my-id:a%2Bb_c-d.e')}` }, {}],
  ])(
    'are sent by the first known method of %j [ext-client-credentials.secret-transport ext-client-credentials.auth-method ext-client-credentials.grant-type ext-client-credentials.discovery ext-client-credentials.resource-parameter ext-client-credentials.scope-parameter ext-client-credentials.pre-registered]',
    async (methods, headers, body) => {
      const servers = createFakeServers(asWith(methods));
      const auth = clientCredentials({ id: 'my-id', secret: 'a+b_c-d.e', scopes: 'x', fetch: servers.fetch });
      expect(await auth.handleRefusal(refusal())).toBe(true);
      expect(await headersOf(auth)).toEqual({ authorization: 'Bearer access-1' });
      const last = servers.seen.at(-1);
      expect(last?.headers).toMatchObject(headers);
      const sent = Object.fromEntries(new URLSearchParams(last?.body));
      expect(sent).toEqual({ grant_type: 'client_credentials', resource: RESOURCE, scope: 'x', ...body });
      expect(servers.urls().some(url => url.includes('register'))).toBe(false);
    },
  );

  it.each(['PEM', 'JWK'])(
    'sign an assertion by a key as %s [ext-client-credentials.jwt-preferred ext-client-credentials.jwt-parameters ext-client-credentials.jwt-claims ext-client-credentials.jwt-audience ext-client-credentials.jwt-not-as-grant ext-client-credentials.jwt-no-client-id auth.cimd.private-key-jwt]',
    async form => {
      const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
      const key =
        form === 'PEM' ? await exportPKCS8(privateKey) : { ...(await exportJWK(privateKey)), kid: 'k1', kty: 'EC' };
      const servers = createFakeServers(asWith(['private_key_jwt']));
      const auth = clientCredentials({ id: 'me', key, fetch: servers.fetch });
      await auth.handleRefusal(refusal());
      const [sent] = servers.tokenRequests();
      expect(sent?.get('grant_type')).toBe('client_credentials');
      expect(sent?.get('client_assertion_type')).toBe('urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
      const { payload, protectedHeader } = await jwtVerify(sent?.get('client_assertion') ?? '', publicKey, {
        audience: ISSUER,
      });
      expect(payload).toMatchObject({ iss: 'me', sub: 'me', exp: expect.any(Number), iat: expect.any(Number) });
      expect(protectedHeader.kid).toBe(form === 'PEM' ? undefined : 'k1');
    },
  );

  it.each(['ES256', 'PS256', 'EdDSA', 'Ed25519'])('name the configured algorithm %s in the assertion', async alg => {
    const { privateKey } = await generateKeyPair(alg, { extractable: true });
    const servers = createFakeServers(asWith(['private_key_jwt']));
    const auth = clientCredentials({ id: 'me', key: await exportPKCS8(privateKey), alg, fetch: servers.fetch });
    await auth.handleRefusal(refusal());
    const [sent] = servers.tokenRequests();
    expect(decodeProtectedHeader(sent?.get('client_assertion') ?? '').alg).toBe(alg);
  });

  it('address the assertion to the configured audience', async () => {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const servers = createFakeServers(asWith(['private_key_jwt']));
    const auth = clientCredentials({
      id: 'me',
      key: await exportPKCS8(privateKey),
      audience: TOKEN,
      fetch: servers.fetch,
    });
    await auth.handleRefusal(refusal());
    expect(decodeJwt(servers.tokenRequests()[0]?.get('client_assertion') ?? '').aud).toBe(TOKEN);
  });

  it.each(['client_secret_basic', 'client_secret_post'])(
    'are not in the error when the server repeats them, sent by %s',
    async method => {
      const json = { error: 'invalid_client', error_description: 'my-id: the secret short+1 is wrong' };
      const servers = createFakeServers({ ...asWith([method]), [TOKEN]: { status: 401, json } });
      const auth = clientCredentials({ id: 'my-id', secret: 'short+1', fetch: servers.fetch });
      await expect(auth.handleRefusal(refusal())).rejects.toMatchObject({
        code: 'auth/refused',
        received: 'invalid_client: my-id: the secret … is wrong',
      });
    },
  );

  it('hide an invalid key in the error', async () => {
    const auth = clientCredentials({ id: 'me', key: 'not-a-key-but-secret', fetch: createFakeServers().fetch });
    const error = await auth.handleRefusal(refusal()).catch(thrown => thrown);
    expect(error.code).toBe('auth/bad-key');
    expect(`${error.stack}${JSON.stringify(error)}`).not.toContain('not-a-key-but-secret');
  });

  it('get new tokens by the same grant, before and after their expiry [ext-client-credentials.token-refresh]', async () => {
    let now = 1_000_000;
    const servers = createFakeServers({
      [TOKEN]: () => ({ json: { access_token: `t${now}`, token_type: 'Bearer', expires_in: 100 } }),
    });
    const auth = clientCredentials({
      id: 'me',
      secret: 's',
      fetch: servers.fetch,
      clock: { now: () => now, elapsed: () => now, after: () => () => {} },
    });
    await auth.handleRefusal(refusal());
    now += 95_000;
    expect(await headersOf(auth)).toEqual({ authorization: 'Bearer t1095000' });
    now += 1_000_000;
    expect(await headersOf(auth)).toEqual({ authorization: 'Bearer t2095000' });
    expect(servers.tokenRequests().map(each => each.get('grant_type'))).toEqual(Array(3).fill('client_credentials'));
  });

  it('step up for more scopes, and reject after the limit [ext-client-credentials.step-up-optional auth.step-up.machine-clients]', async () => {
    const servers = createFakeServers();
    const auth = clientCredentials({ id: 'me', secret: 's', fetch: servers.fetch });
    await auth.handleRefusal(refusal('Bearer scope="a"'));
    const more = insist(auth, 'Bearer error="insufficient_scope", scope="b"', 403);
    await expect(more).rejects.toMatchObject({ code: 'auth/insufficient-scope' });
    expect(servers.tokenRequests().map(each => each.get('scope'))).toEqual(['a', 'a b', 'a b']);
  });

  it('names the option `scopes` when other scopes are needed', async () => {
    const hint = expect.stringContaining('the option `scopes`');
    const limited = clientCredentials({ id: 'me', secret: 's', scopes: 'a', fetch: createFakeServers().fetch });
    await limited.handleRefusal(refusal('Bearer scope="a"'));
    const more = insist(limited, 'Bearer error="insufficient_scope", scope="b"', 403);
    await expect(more).rejects.toMatchObject({ code: 'auth/insufficient-scope', hint });
    const { fetch } = createFakeServers({ [`${ISSUER}/token`]: { status: 400, json: { error: 'invalid_scope' } } });
    const unknown = clientCredentials({ id: 'me', secret: 's', scopes: 'z', fetch });
    await expect(unknown.handleRefusal(refusal())).rejects.toMatchObject({ code: 'auth/refused', hint });
  });

  it('belong to one issuer, and are not sent to another that the server names later', async () => {
    const servers = createFakeServers();
    const auth = clientCredentials({ id: 'me', secret: 's', fetch: servers.fetch });
    await auth.handleRefusal(refusal());
    const other = { resource: RESOURCE, authorization_servers: ['https://evil.example.com'] };
    servers.routes['https://mcp.example.com/.well-known/oauth-protected-resource/mcp'] = { json: other };
    const sentHeaders = await headersOf(auth);
    await expect(auth.handleRefusal(refusal('Bearer', { sentHeaders }))).rejects.toMatchObject({
      code: 'auth/other-issuer',
    });
  });

  it.each([
    [`${ISSUER}/`, 'pass the `issuer` of the client as the metadata of the server names it'],
    ['https://other.example.com', 'register a client at the authorization server of this server'],
  ])('name the next step for the issuer %s, which the server does not name', async (issuer, hint) => {
    const auth = clientCredentials({ id: 'me', secret: 's', issuer, fetch: createFakeServers().fetch });
    await expect(auth.handleRefusal(refusal())).rejects.toMatchObject({
      code: 'auth/other-issuer',
      hint: expect.stringContaining(hint),
    });
  });

  it('declare their extension [ext-client-credentials.declared ext-client-credentials.extension-id]', () => {
    expect(clientCredentials({ id: 'me' }).extensions).toEqual(['io.modelcontextprotocol/oauth-client-credentials']);
  });
});

describe('enterprise-managed authorization', () => {
  const grant = {
    issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
    access_token: 'the-grant',
    token_type: 'N_A',
  };
  const options = {
    idp: { issuer: IDP, tokenEndpoint: `${IDP}/token`, client: { id: 'idp-client', secret: 'idp-secret' } },
    client: { id: 'mcp-client', secret: 'mcp-secret' },
    subject: 'the-id-token',
  };
  const setUp = (idp: Route = { json: grant }, more = {}) => {
    const servers = createFakeServers({ [`${IDP}/token`]: idp });
    return { servers, auth: enterpriseManaged({ ...options, fetch: servers.fetch, ...more }) };
  };

  it('exchanges an identity assertion for tokens without a page [ext-ema.token-exchange-grant ext-ema.token-exchange-parameters ext-ema.token-exchange-audience ext-ema.token-exchange-resource ext-ema.token-exchange-scope ext-ema.token-exchange-client-auth ext-ema.token-exchange-response ext-ema.token-request ext-ema.token-request-client-auth ext-ema.no-as-redirect ext-ema.org-configuration ext-ema.sso-first]', async () => {
    const { servers, auth } = setUp();
    expect(await auth.handleRefusal(refusal('Bearer scope="a"'))).toBe(true);
    const [exchange, request] = servers.seen.filter(({ method }) => method === 'POST');
    expect(Object.fromEntries(new URLSearchParams(exchange?.body))).toEqual({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
      audience: ISSUER,
      resource: RESOURCE,
      scope: 'a',
      subject_token: 'the-id-token',
      subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
    });
    expect(exchange?.headers.authorization).toBe(`Basic ${btoa('idp-client:idp-secret')}`);
    const sent = Object.fromEntries(new URLSearchParams(request?.body));
    expect(sent).toMatchObject({ grant_type: JWT_BEARER, assertion: 'the-grant', resource: RESOURCE });
    expect(request?.headers.authorization).toBe(`Basic ${btoa('mcp-client:mcp-secret')}`);
    expect(servers.urls().some(url => url.includes('/authorize'))).toBe(false);
  });

  it('accepts other proofs of the user [ext-ema.token-exchange-saml]', async () => {
    const { servers, auth } = setUp(
      { json: grant },
      { subject: () => ({ token: 'r', type: 'refresh_token' as const }) },
    );
    await auth.handleRefusal(refusal());
    const exchange = servers.seen.find(({ url }) => url === `${IDP}/token`);
    expect(exchange?.body).toContain('token-type%3Arefresh_token');
  });

  it('rejects with the error of the identity provider [ext-ema.token-exchange-error]', async () => {
    const { auth } = setUp({ status: 400, json: { error: 'invalid_grant', error_description: 'not in the group' } });
    await expect(auth.handleRefusal(refusal())).rejects.toMatchObject({
      code: 'auth/not-granted',
      received: 'invalid_grant: not in the group',
    });
  });

  it('rejects a response without an ID-JAG', async () => {
    const { auth, servers } = setUp({ json: { access_token: 'x', token_type: 'Bearer' } });
    await expect(auth.handleRefusal(refusal())).rejects.toMatchObject({ code: 'auth/bad-answer' });
    expect(servers.tokenRequests()).toHaveLength(1);
  });

  it('accepts fewer scopes than requested [ext-ema.scope-errors-handled]', async () => {
    const { auth } = setUp({ json: { ...grant, scope: 'a' } });
    expect(await auth.handleRefusal(refusal('Bearer scope="a b"'))).toBe(true);
  });

  it('accepts a client metadata document [ext-ema.token-request-cimd]', async () => {
    const { auth, servers } = setUp({ json: grant }, { client: { id: 'https://me.example/client.json' } });
    await auth.handleRefusal(refusal());
    expect(servers.tokenRequests().at(-1)?.get('client_id')).toBe('https://me.example/client.json');
  });

  it('declares its extension [ext-ema.declared ext-ema.extension-id]', () => {
    expect(setUp().auth.extensions).toEqual(['io.modelcontextprotocol/enterprise-managed-authorization']);
  });
});

describe('workload identity', () => {
  it('sends the token of its platform, and needs no client [wif.grant-type wif.no-client-registration wif.optional]', async () => {
    const servers = createFakeServers();
    const auth = workloadIdentity({ assertion: async () => 'the-jwt', fetch: servers.fetch });
    expect(await auth.handleRefusal(refusal())).toBe(true);
    const [sent] = servers.tokenRequests();
    expect(Object.fromEntries(sent ?? [])).toEqual({
      grant_type: JWT_BEARER,
      assertion: 'the-jwt',
      resource: RESOURCE,
    });
  });

  it('does not repeat a refused token [wif.no-retry-loop]', async () => {
    let jwt = 'expired';
    const token: Route = ({ body }) =>
      body.includes('expired')
        ? { status: 400, json: { error: 'invalid_grant' } }
        : { json: { access_token: 'a', token_type: 'Bearer' } };
    const servers = createFakeServers({ [TOKEN]: token });
    const auth = workloadIdentity({ assertion: () => jwt, fetch: servers.fetch });
    for (const _ of [1, 2])
      await expect(auth.handleRefusal(refusal())).rejects.toMatchObject({ code: 'auth/assertion' });
    expect(servers.tokenRequests()).toHaveLength(1);
    jwt = 'fresh';
    expect(await auth.handleRefusal(refusal())).toBe(true);
  });
});

describe('credentials of a machine', () => {
  const plain = { [AS]: { json: { ...issuerMetadata(), token_endpoint: 'http://as.example.com/token' } } };

  it('are sent over TLS only [ext-ema.tls wif.tls ext-client-credentials.security-practices ext-client-credentials.baseline-conformance]', async () => {
    const servers = createFakeServers({
      ...plain,
      [`${IDP}/token`]: {
        json: { issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag', access_token: 'g', token_type: 'N_A' },
      },
    });
    const { fetch } = servers;
    const idp = { issuer: IDP, tokenEndpoint: `${IDP}/token`, client: { id: 'i' } };
    for (const auth of [
      clientCredentials({ id: 'me', secret: 's', fetch }),
      workloadIdentity({ assertion: 'jwt', fetch }),
      enterpriseManaged({ idp, client: { id: 'c', secret: 's' }, subject: 't', fetch }),
      enterpriseManaged({
        idp: { ...idp, tokenEndpoint: 'http://idp.example.com/token' },
        client: { id: 'c' },
        subject: 't',
        fetch,
      }),
    ])
      await expect(auth.handleRefusal(refusal())).rejects.toMatchObject({
        code: expect.stringMatching(/^auth\/(unsafe-url|bad-answer)$/),
      });
    expect(servers.urls().filter(url => url.startsWith('http:'))).toEqual([]);
  });

  it('do not occur in error messages [ext-ema.id-jag-not-logged]', async () => {
    const refusing = {
      status: 400,
      json: { error: 'invalid_grant', error_description: 'no to assertion-that-is-long-enough-to-be-one' },
    };
    const servers = createFakeServers({ [TOKEN]: refusing });
    const auth = workloadIdentity({ assertion: 'assertion-that-is-long-enough-to-be-one', fetch: servers.fetch });
    const error = await auth.handleRefusal(refusal()).catch(thrown => thrown);
    expect(`${error.stack}${JSON.stringify(error)}${error.cause}`).not.toContain('assertion-that-is');
  });
});

describe('a static token', () => {
  it('is sent unchanged [auth.token.bearer-header auth.custom-strategies]', async () => {
    expect(await headersOf(bearer('abc'))).toEqual({ authorization: 'Bearer abc' });
    expect(await bearer('abc').handleRefusal(refusal('Bearer', { sentHeaders: { authorization: 'Bearer abc' } }))).toBe(
      false,
    );
  });

  it('is requested again when it was refused, and sent once', async () => {
    let token = 'one';
    const auth = bearer(() => token);
    expect(await insist(auth, 'Bearer')).toBe(0);
    const sentHeaders = await headersOf(auth);
    token = 'two';
    expect(await auth.handleRefusal(refusal('Bearer', { sentHeaders }))).toBe(true);
  });

  it.each(['', 'a b', 'a\r\nx: y', 'ü'])('is refused if it is %j', async token => {
    await expect(headersOf(bearer(token))).rejects.toMatchObject({ code: 'auth/bad-token' });
  });
});
