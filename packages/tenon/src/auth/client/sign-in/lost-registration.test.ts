import { TenonError } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { AS, failure, setUp } from '../fixtures/signing.js';
import {
  createBrowser,
  createFakeServers,
  headersOf,
  ISSUER,
  issuerMetadata,
  RESOURCE,
  type Route,
  refusal,
  SERVER,
} from '../fixtures/world.js';
import { memoryTokenStore } from '../token-store.js';
import type { Redirect } from './redirect.js';
import { type SignInOptions, signIn } from './sign-in.js';

const TOKENS_KEY = ['tokens', SERVER, ISSUER, RESOURCE, 'registered'];
const register = (servers: ReturnType<typeof createFakeServers>) =>
  servers.seen.filter(({ url }) => url.endsWith('/register'));

describe('an authorization server that has lost its registrations', () => {
  const STORED = { id: 'lost', redirects: ['http://127.0.0.1:8123/callback'] };
  const REVOKE = `${ISSUER}/revoke`;

  /** Creates a user whose client is stored. The authorization server registers others, as `registered-1` and so on. */
  async function setUpLost(routes: Record<string, Route> = {}, options: SignInOptions = {}) {
    const tokenStore = memoryTokenStore();
    await tokenStore.update(['client', ISSUER], async () => ({ next: STORED, result: undefined }));
    let count = 0;
    const servers = createFakeServers({
      [`${ISSUER}/register`]: () => {
        count += 1;
        return { status: 201, json: { client_id: `registered-${count}` } };
      },
      ...routes,
    });
    const browser = createBrowser();
    const auth = signIn({ redirect: browser.redirect, fetch: servers.fetch, tokenStore, ...options });
    const getStored = () => tokenStore.get(['client', ISSUER]);
    return { auth, servers, browser, tokenStore, getStored };
  }

  /** Answers as the token endpoint to the known clients only. */
  const knowing =
    (
      isKnown: (id: string | null) => boolean,
      refused: Route = { status: 401, json: { error: 'invalid_client' } },
    ): Route =>
    ({ body }) => {
      const id = new URLSearchParams(body).get('client_id');
      if (!isKnown(id)) return refused as object;
      return { json: { access_token: `for ${id}`, token_type: 'Bearer', refresh_token: 'r' } };
    };
  const isNotLost = (id: string | null) => id !== 'lost';

  const redirecting = (error: string): Redirect =>
    createBrowser((answer, request) => {
      if (request.searchParams.get('client_id') !== 'lost') return;
      answer.delete('code');
      answer.set('error', error);
    }).redirect;

  it.each([
    [{ status: 401, json: { error: 'invalid_client' } }],
    [{ status: 400, json: { error: 'unauthorized_client' } }],
    [{ status: 200, json: { error: 'unauthorized_client' } }],
    [{ status: 401, text: '', headers: { 'www-authenticate': 'Basic' } }],
  ])('makes the client register again in the same sign-in after %j', async refused => {
    const { auth, servers, browser, getStored } = await setUpLost({ [`${ISSUER}/token`]: knowing(isNotLost, refused) });
    expect(await auth.handleRefusal(refusal())).toBe(true);
    expect(await headersOf(auth)).toEqual({ authorization: 'Bearer for registered-1' });
    expect([register(servers).length, browser.visited.length]).toEqual([1, 2]);
    expect(await getStored()).toMatchObject({ id: 'registered-1' });
  });

  it.each(['invalid_client', 'unauthorized_client'])(
    'makes the client register again after the redirect error %s',
    async error => {
      const { auth, servers } = await setUpLost({}, { redirect: redirecting(error) });
      expect(await auth.handleRefusal(refusal())).toBe(true);
      expect(register(servers)).toHaveLength(1);
    },
  );

  it('makes the client register again once only', async () => {
    const { auth, servers, browser } = await setUpLost({ [`${ISSUER}/token`]: knowing(() => false) });
    await expect(auth.handleRefusal(refusal())).rejects.toEqual(failure('auth/refused'));
    expect([register(servers).length, browser.visited.length]).toEqual([1, 2]);
  });

  it('makes the client register again after a refresh that names it', async () => {
    const { auth, servers, tokenStore, browser } = await setUpLost({ [`${ISSUER}/token`]: knowing(isNotLost) });
    const tokens = { access: 'a', type: 'bearer', refresh: 'r', expires: 1, asked: [] };
    await tokenStore.update(TOKENS_KEY, async () => ({ next: tokens, result: undefined }));
    const origin = { issuer: ISSUER, resource: RESOURCE, undescribed: false };
    await tokenStore.update(['server', SERVER, 'registered'], async () => ({ next: origin, result: undefined }));
    expect(await headersOf(auth)).toEqual({});
    expect(await auth.handleRefusal(refusal())).toBe(true);
    expect([register(servers).length, browser.visited.length]).toEqual([1, 1]);
  });

  it('makes the client register again before it shows a device code', async () => {
    const device = `${ISSUER}/device`;
    const metadata = { ...issuerMetadata(), device_authorization_endpoint: device };
    const shown: string[] = [];
    const clock = {
      now: () => 0,
      elapsed: () => 0,
      after(_: number, run: () => void) {
        setImmediate(run);
        return () => {};
      },
    };
    const routes: Record<string, Route> = {
      [AS]: { json: metadata },
      [device]: ({ body }) =>
        isNotLost(new URLSearchParams(body).get('client_id'))
          ? { json: { device_code: 'd', user_code: 'u', verification_uri: `${ISSUER}/code`, expires_in: 600 } }
          : { status: 401, json: { error: 'invalid_client' } },
    };
    const lost = await setUpLost(routes, { clock, showDeviceCode: ({ userCode }) => void shown.push(userCode) });
    const redirects = ['urn:ietf:params:oauth:grant-type:device_code'];
    await lost.tokenStore.update(['client', ISSUER], async () => ({
      next: { ...STORED, redirects },
      result: undefined,
    }));
    expect(await lost.auth.handleRefusal(refusal())).toBe(true);
    expect([register(lost.servers).length, shown]).toEqual([1, ['u']]);
  });

  const rejecting = (reason: unknown): Redirect => ({
    begin: async () => ({ uri: STORED.redirects[0] as string, authorize: () => Promise.reject(reason), close() {} }),
  });

  it('makes the next sign-in register when the browser does not come back in time', async () => {
    let opened = 0;
    const { redirect } = createBrowser();
    const first: Redirect = {
      async begin(known, signal) {
        opened += 1;
        return (opened === 1 ? rejecting(new TenonError('auth/timeout', 'late')) : redirect).begin(known, signal);
      },
    };
    const { auth, servers, getStored } = await setUpLost({}, { redirect: first });
    await expect(auth.handleRefusal(refusal())).rejects.toEqual(failure('auth/timeout'));
    expect([register(servers).length, opened, await getStored()]).toEqual([0, 1, undefined]);
    expect(await auth.handleRefusal(refusal())).toBe(true);
    expect([register(servers).length, opened]).toEqual([1, 2]);
  });

  it.each([
    ['access_denied', 'auth/denied'],
    ['invalid_scope', 'auth/denied'],
    ['server_error', 'auth/unreachable'],
    ['temporarily_unavailable', 'auth/unreachable'],
  ])('keeps its registration after the redirect error %s', async (error, code) => {
    const { auth, servers, getStored } = await setUpLost({}, { redirect: redirecting(error) });
    await expect(auth.handleRefusal(refusal())).rejects.toEqual(failure(code));
    expect([register(servers).length, await getStored()]).toEqual([0, STORED]);
  });

  it.each([
    [new Error('the window is closed')],
    [new TenonError('auth/aborted', 'cancelled')],
    [new DOMException('timed out', 'TimeoutError')],
  ])('keeps its registration after %s', async reason => {
    const { auth, getStored } = await setUpLost({}, { redirect: rejecting(reason) });
    await expect(auth.handleRefusal(refusal())).rejects.toBe(reason);
    expect(await getStored()).toEqual(STORED);
  });

  it.each([
    [{ status: 503, json: { error: 'invalid_client' } }],
    [{ status: 400, json: { error: 'invalid_grant' } }],
    [{ status: 404, text: '' }],
  ])('keeps its registration after %j', async refused => {
    const { auth, servers, getStored } = await setUpLost({ [`${ISSUER}/token`]: refused });
    await expect(auth.handleRefusal(refusal())).rejects.toBeInstanceOf(TenonError);
    expect([register(servers).length, await getStored()]).toEqual([0, STORED]);
  });

  it.each<[string, SignInOptions]>([
    ['client that was registered by hand', { client: { id: 'lost', issuer: ISSUER } }],
    ['client ID metadata document', { clientMetadataUrl: 'https://me.example/client.json' }],
  ])('never makes the client replace a %s', async (_, options) => {
    const metadata = { ...issuerMetadata(), client_id_metadata_document_supported: true };
    for (const redirect of [undefined, rejecting(new TenonError('auth/timeout', 'late'))]) {
      const routes = { [AS]: { json: metadata }, [`${ISSUER}/token`]: knowing(() => false) };
      const { auth, servers, getStored } = await setUpLost(routes, { ...options, ...(redirect ? { redirect } : {}) });
      await expect(auth.handleRefusal(refusal())).rejects.toBeInstanceOf(TenonError);
      expect([register(servers).length, await getStored()]).toEqual([0, STORED]);
    }
  });

  it('keeps the registration that another process has made meanwhile', async () => {
    const other = { id: 'other', redirects: STORED.redirects };
    const lost = await setUpLost({
      [`${ISSUER}/token`]: async () => {
        await lost.tokenStore.update(['client', ISSUER], async () => ({ next: other, result: undefined }));
        return { status: 401, json: { error: 'invalid_client' } };
      },
    });
    await expect(lost.auth.handleRefusal(refusal())).rejects.toEqual(failure('auth/refused'));
    expect(register(lost.servers)).toEqual([]);
  });

  it('refreshes tokens of an earlier client with that client', async () => {
    const tokenStore = memoryTokenStore();
    const { auth, servers } = setUp({}, { tokenStore });
    await auth.handleRefusal(refusal());
    const next = { id: 'newer', redirects: [] };
    await tokenStore.update(['client', ISSUER], async () => ({ next, result: undefined }));
    const sentHeaders = await headersOf(auth);
    expect(await auth.handleRefusal(refusal('Bearer', { sentHeaders }))).toBe(true);
    expect(servers.tokenRequests().at(-1)?.get('client_id')).toBe('registered-1');
  });

  it('loses the registration by a sign-out, which revokes as the client that received the tokens', async () => {
    const metadata = { ...issuerMetadata(), revocation_endpoint: REVOKE };
    const { auth, servers, getStored } = await setUpLost({ [AS]: { json: metadata }, [REVOKE]: { text: '' } });
    await auth.handleRefusal(refusal());
    await auth.signOut?.();
    expect(await getStored()).toBeUndefined();
    const revoked = servers.seen.filter(({ url }) => url === REVOKE).map(({ body }) => new URLSearchParams(body));
    expect(revoked.map(body => body.get('client_id'))).toEqual(['lost', 'lost']);
    await auth.handleRefusal(refusal());
    expect(register(servers)).toHaveLength(1);
  });

  it('loses the registration by a sign-out in another process, also if no sign-in has ever succeeded', async () => {
    const { auth, getStored, tokenStore, servers } = await setUpLost(
      {},
      { redirect: rejecting(new Error('dead page')) },
    );
    await expect(auth.handleRefusal(refusal())).rejects.toThrow('dead page');
    await signIn({ tokenStore, fetch: servers.fetch }).signOut?.(SERVER);
    expect(await getStored()).toBeUndefined();
  });

  it('keeps a client that was registered by hand after a sign-out', async () => {
    const { auth, getStored } = await setUpLost({}, { client: { id: 'by-hand', issuer: ISSUER } });
    await auth.handleRefusal(refusal());
    await auth.signOut?.();
    expect(await getStored()).toEqual(STORED);
  });
});
