import { describe, expect, it } from 'vitest';
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
import { type SignInOptions, signIn } from '../sign-in/sign-in.js';
import { getOriginKey, getTokensKey, memoryTokenStore, type Tokens, toStoredSecret } from '../token-store.js';

const TOKEN = `${ISSUER}/token`;
const ORIGIN = { issuer: ISSUER, resource: RESOURCE, undescribed: false };
const KEY = getTokensKey(SERVER, ORIGIN, 'me');

/** A process that starts with the tokens of an earlier one. */
async function resumed(tokens: Partial<Tokens>, routes: Parameters<typeof createFakeServers>[0] = {}) {
  const tokenStore = memoryTokenStore();
  const remaining = { access: 'kept', type: 'bearer', asked: ['a'], ...tokens };
  await tokenStore.update(KEY, async () => ({ next: toStoredSecret(remaining), result: undefined }));
  await tokenStore.update(getOriginKey(SERVER, 'me'), async () => ({ next: { ...ORIGIN }, result: undefined }));
  const servers = createFakeServers(routes);
  const { redirect, visited } = createBrowser();
  let now = 1_000_000;
  const clock = { now: () => now, elapsed: () => now, after: () => () => {} };
  const options = {
    tokenStore: tokenStore,
    redirect,
    clock,
    fetch: servers.fetch,
    client: { id: 'me', issuer: ISSUER },
  };
  return {
    tokenStore,
    servers,
    visited,
    auth: signIn(options),
    other: (more: SignInOptions = {}) => signIn({ ...options, ...more }),
    advance: (ms: number) => (now += ms),
    now,
  };
}

describe('stored tokens', () => {
  it('are used without a request when an earlier process stored them [auth.token.every-http-request auth.token.every-request]', async () => {
    const { auth, servers } = await resumed({ expires: 9_000_000 });
    expect(await headersOf(auth)).toEqual({ authorization: 'Bearer kept' });
    expect(servers.seen).toEqual([]);
  });

  it('are refreshed before they expire [auth.refresh-token-confidential]', async () => {
    const { auth, servers, tokenStore } = await resumed({ expires: 1_010_000, renew: 1_000_000, refresh: 'r0' });
    expect(await headersOf(auth)).toEqual({ authorization: 'Bearer access-1' });
    const [request] = servers.tokenRequests();
    expect(Object.fromEntries(request ?? [])).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'r0',
      resource: RESOURCE,
      client_id: 'me',
    });
    expect(await tokenStore.get(KEY)).toMatchObject({ access: 'access-1', refresh: 'refresh-1', asked: ['a'] });
  });

  it('are refreshed a tenth of their lifetime before the end, and 30 s at most', async () => {
    const lasting = (expires_in: number) => ({
      [TOKEN]: { json: { access_token: 'n', token_type: 'Bearer', expires_in } },
    });
    for (const [lasts, renew] of [
      [100, 90_000],
      [3600, 3_570_000],
    ] as const) {
      const { auth, tokenStore, now } = await resumed({ expires: 0, refresh: 'r' }, lasting(lasts));
      await headersOf(auth);
      expect((await tokenStore.get(KEY))?.renew).toBe(now + renew);
    }
  });

  it('keep the old refresh token when the response contains none [auth.refresh-token-not-assumed]', async () => {
    const route = { json: { access_token: 'n', token_type: 'Bearer' } };
    const { auth, tokenStore } = await resumed({ expires: 0, refresh: 'r0' }, { [TOKEN]: route });
    await headersOf(auth);
    expect(await tokenStore.get(KEY)).toMatchObject({ access: 'n', refresh: 'r0' });
  });

  it('report each refresh', async () => {
    const outcomes: string[] = [];
    const request = { method: 'POST', url: SERVER, onTokenRefresh: (outcome: string) => void outcomes.push(outcome) };
    const { auth } = await resumed({ expires: 0, refresh: 'r0' });
    await auth.getHeaders(request);
    await auth.getHeaders(request);
    expect(outcomes).toEqual(['refreshed']);
    const refused = await resumed(
      { expires: 0, refresh: 'r0' },
      { [TOKEN]: { status: 400, json: { error: 'invalid_grant' } } },
    );
    await refused.auth.getHeaders(request);
    expect(outcomes).toEqual(['refreshed', 'failed']);
  });

  it('are refreshed once for concurrent requests', async () => {
    const { auth, other, servers } = await resumed({ expires: 0, refresh: 'r0' });
    const more = other();
    const all = await Promise.all([auth, auth, more, more].map(each => headersOf(each)));
    expect(all).toEqual(all.map(() => ({ authorization: 'Bearer access-1' })));
    expect(servers.tokenRequests()).toHaveLength(1);
  });

  it('are replaced by those that another process has refreshed', async () => {
    const { auth, tokenStore, servers } = await resumed({ expires: 9_000_000, refresh: 'r0' });
    const sentHeaders = await headersOf(auth);
    const foreign = { access: 'theirs', type: 'bearer', refresh: 'r1', asked: ['a'] };
    await tokenStore.update(KEY, async () => ({ next: foreign, result: undefined }));
    expect(await auth.handleRefusal(refusal('Bearer', { sentHeaders }))).toBe(true);
    expect(await headersOf(auth)).toEqual({ authorization: 'Bearer theirs' });
    expect(servers.tokenRequests()).toEqual([]);
  });

  it('are refreshed when refused, and the user signs in only when that fails', async () => {
    const { auth, visited } = await resumed({ expires: 9_000_000, refresh: 'r0' });
    const request = {};
    expect(await auth.handleRefusal(refusal('Bearer', { request, sentHeaders: await headersOf(auth) }))).toBe(true);
    expect(visited).toEqual([]);
    expect(await auth.handleRefusal(refusal('Bearer', { request, sentHeaders: await headersOf(auth) }))).toBe(true);
    expect(visited).toHaveLength(1);
  });

  it('are deleted when they cannot be refreshed, and no others', async () => {
    const { auth, tokenStore } = await resumed(
      { expires: 0, refresh: 'r0' },
      { [TOKEN]: { status: 400, json: { error: 'invalid_grant' } } },
    );
    const others = getTokensKey(SERVER, { ...ORIGIN, issuer: 'https://other.example.com' }, 'me');
    await tokenStore.update(others, async () => ({ next: { access: 'x' }, result: undefined }));
    expect(await headersOf(auth)).toEqual({});
    expect(await tokenStore.get(KEY)).toBeUndefined();
    expect(await tokenStore.get(others)).toEqual({ access: 'x' });
  });

  it('stay valid while the authorization server fails', async () => {
    const failing = { [TOKEN]: { status: 503, text: '' } };
    const { auth, tokenStore, advance } = await resumed(
      { expires: 1_010_000, renew: 1_000_000, refresh: 'r0' },
      failing,
    );
    expect(await headersOf(auth)).toEqual({ authorization: 'Bearer kept' });
    advance(10_000);
    await expect(headersOf(auth)).rejects.toMatchObject({ code: 'auth/unreachable', hint: 'try again later' });
    expect(await tokenStore.get(KEY)).toMatchObject({ refresh: 'r0' });
  });

  it('are not refreshed at the former authorization server when the server has changed it', async () => {
    const other = 'https://other.example.com';
    const { auth, servers } = await resumed(
      { expires: 9_000_000, refresh: 'r0' },
      {
        'https://mcp.example.com/.well-known/oauth-protected-resource/mcp': {
          json: { resource: RESOURCE, authorization_servers: [other] },
        },
        [`${other}/.well-known/oauth-authorization-server`]: { json: issuerMetadata(other) },
      },
    );
    const sentHeaders = await headersOf(auth);
    await expect(auth.handleRefusal(refusal('Bearer', { sentHeaders }))).rejects.toMatchObject({
      code: 'auth/other-issuer',
    });
    expect(servers.tokenRequests()).toEqual([]);
  });
});

/** Answers a refresh as given, and everything else as usual. */
function refusingRefresh(answer: Exclude<Route, (...args: never[]) => unknown>): Record<string, Route> {
  let count = 0;
  return {
    [TOKEN]: ({ body }) => {
      if (body.includes('grant_type=refresh_token')) return answer;
      count += 1;
      return { json: { access_token: `access-${count}`, token_type: 'Bearer', refresh_token: `fresh-${count}` } };
    },
  };
}

const fail = (error: string, status = 400) => ({ status, json: { error } });
const HTML = '<!doctype html><title>No</title>';

describe('a refresh that the authorization server does not accept', () => {
  /** Sends one request as a transport does: without a token if there is none, and the server then refuses it. */
  async function attempt({ auth }: Awaited<ReturnType<typeof resumed>>) {
    const sentHeaders = await headersOf(auth);
    if ('authorization' in sentHeaders) return sentHeaders;
    await auth.handleRefusal(refusal('Bearer', { sentHeaders }));
    return headersOf(auth);
  }
  const countRefreshes = ({ servers }: Awaited<ReturnType<typeof resumed>>) =>
    servers.tokenRequests().filter(body => body.get('grant_type') === 'refresh_token').length;

  it.each([
    [fail('invalid_grant')],
    [fail('invalid_grant', 403)],
    [fail('invalid_grant', 200)],
    [fail('unauthorized_client')],
    [fail('invalid_request')],
    [fail('invalid_client', 401)],
    [fail('refresh_token_unknown')],
    [{ status: 404, text: HTML }],
    [{ status: 401, text: '' }],
    [{ status: 403, text: '' }],
    [{ status: 407, text: HTML }],
    [{ status: 200, json: { access_token: '' } }],
    [{ status: 400, json: ['invalid_grant'] }],
    [{ status: 400, json: { error: 5 } }],
    [{ status: 400, text: 'x'.repeat(300_000) }],
    [{ status: 302, text: '', headers: { location: 'https://portal.example.com' } }],
  ])('sends the token once and signs the user in after %j', async answer => {
    const client = await resumed({ expires: 0, refresh: 'r0' }, refusingRefresh(answer));
    expect(await attempt(client)).toEqual({ authorization: 'Bearer access-1' });
    expect([countRefreshes(client), client.visited.length]).toEqual([1, 1]);
    expect(await client.tokenStore.get(KEY)).toMatchObject({ access: 'access-1', refresh: 'fresh-1' });
    expect(await client.tokenStore.get(KEY)).not.toHaveProperty('unusable');
  });

  it.each([
    ['deletes the tokens', fail('invalid_grant'), undefined, 1],
    ['marks the refresh token', fail('unauthorized_client'), { refresh: 'r0', unusable: true }, 1],
    ['marks the refresh token', fail('invalid_client', 401), { refresh: 'r0', unusable: true }, 1],
    ['keeps the refresh token', { status: 404, text: HTML }, { refresh: 'r0' }, 2],
    ['keeps the refresh token', { status: 407, text: '' }, { refresh: 'r0' }, 2],
  ])('%s while no user signs in, after %j', async (_, answer, stored, refreshes) => {
    const client = await resumed({ expires: 0, refresh: 'r0' }, refusingRefresh(answer));
    const withoutUser = { ...client, auth: client.other({ redirect: undefined }) };
    for (const _ of [1, 2]) await expect(attempt(withoutUser)).rejects.toMatchObject({ code: 'auth/needs-user' });
    const remaining = await client.tokenStore.get(KEY);
    if (stored) expect(remaining).toMatchObject(stored);
    else expect(remaining).toBeUndefined();
    expect(remaining?.unusable).toBe(stored && 'unusable' in stored ? true : undefined);
    expect(countRefreshes(client)).toBe(refreshes);
  });

  it('reports why the user must sign in again', async () => {
    const client = await resumed({ expires: 0, refresh: 'r0' }, refusingRefresh(fail('unauthorized_client')));
    await expect(attempt({ ...client, auth: client.other({ redirect: undefined }) })).rejects.toMatchObject({
      code: 'auth/needs-user',
      message: expect.stringContaining('a user must sign in again, because the authorization server refused'),
      received: 'unauthorized_client',
    });
  });

  it.each([408, 425, 429, 500, 502, 503])(
    'changes nothing after %i, and tries again with the next request',
    async status => {
      const headers = { 'retry-after': '7' };
      const client = await resumed(
        { expires: 0, refresh: 'r0' },
        refusingRefresh({ ...fail('invalid_grant', status), headers }),
      );
      for (const count of [1, 2]) {
        const error = await attempt(client).catch(thrown => thrown);
        expect(error).toMatchObject({
          code: 'auth/unreachable',
          hint: 'try again in 7 s',
          data: { retryAfterMs: 7000 },
        });
        expect(error.status).toBeUndefined();
        expect(countRefreshes(client)).toBe(count);
      }
      expect(client.visited).toEqual([]);
      expect(await client.tokenStore.get(KEY)).toMatchObject({ access: 'kept', refresh: 'r0' });
    },
  );

  it.each([HTML, ''])('opens no sign-in page after 200 with the body %j, and tries again', async text => {
    const client = await resumed({ expires: 0, refresh: 'r0' }, refusingRefresh({ status: 200, text }));
    for (const count of [1, 2]) {
      await expect(attempt(client)).rejects.toMatchObject({
        code: 'auth/bad-answer',
        message: expect.stringContaining('the token refresh'),
      });
      expect([countRefreshes(client), client.visited.length]).toEqual([count, 0]);
    }
    expect(await client.tokenStore.get(KEY)).toMatchObject({ access: 'kept', refresh: 'r0' });
  });

  it('changes nothing when the network fails, and tries again with the next request', async () => {
    let isLost = true;
    const client = await resumed(
      { expires: 0, refresh: 'r0' },
      {
        [TOKEN]: () => {
          if (isLost) throw Object.assign(new Error('gone'), { code: 'ECONNRESET' });
          return { json: { access_token: 'n', token_type: 'Bearer' } };
        },
      },
    );
    await expect(attempt(client)).rejects.toMatchObject({ code: 'auth/unreachable' });
    expect(await client.tokenStore.get(KEY)).toMatchObject({ refresh: 'r0' });
    isLost = false;
    expect(await attempt(client)).toEqual({ authorization: 'Bearer n' });
    expect(client.visited).toEqual([]);
  });

  it('stores the tokens that it has requested after its call was cancelled', async () => {
    let answer = () => {};
    const answered = new Promise<void>(resolve => (answer = resolve));
    const route: Route = async ({ body }) => {
      await answered;
      return new URLSearchParams(body).get('refresh_token') === 'r0'
        ? { json: { access_token: 'n', token_type: 'Bearer', refresh_token: 'r1', expires_in: 60 } }
        : fail('invalid_grant');
    };
    const client = await resumed({ expires: 1_010_000, renew: 1_000_000, refresh: 'r0' }, { [TOKEN]: route });
    const cancelled = new AbortController();
    const call = client.auth.getHeaders({ method: 'POST', url: SERVER, server: SERVER, signal: cancelled.signal });
    await expect.poll(() => countRefreshes(client)).toBe(1);
    cancelled.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    answer();
    await expect.poll(() => client.tokenStore.get(KEY)).toMatchObject({ access: 'n', refresh: 'r1' });
    const sentHeaders = { authorization: 'Bearer kept' };
    expect(await client.auth.handleRefusal(refusal('Bearer', { sentHeaders }))).toBe(true);
    expect(await headersOf(client.auth)).toEqual({ authorization: 'Bearer n' });
    expect(countRefreshes(client)).toBe(1);
  });

  it('does not send the refresh token again before the tokens expire', async () => {
    const answer = { status: 503, text: '' };
    const client = await resumed({ expires: 1_010_000, renew: 1_000_000, refresh: 'r0' }, refusingRefresh(answer));
    for (const _ of [1, 2, 3]) expect(await headersOf(client.auth)).toEqual({ authorization: 'Bearer kept' });
    expect(countRefreshes(client)).toBe(1);
    const sentHeaders = await headersOf(client.auth);
    await expect(client.auth.handleRefusal(refusal('Bearer', { sentHeaders }))).rejects.toMatchObject({
      code: 'auth/unreachable',
    });
    expect(countRefreshes(client)).toBe(1);
    await expect(client.auth.handleRefusal(refusal('Bearer', { sentHeaders }))).rejects.toMatchObject({
      code: 'auth/unreachable',
    });
    expect(countRefreshes(client)).toBe(2);
  });

  it('keeps an access token that is still valid after invalid_grant, without the refresh token', async () => {
    const renewable = { expires: 1_010_000, renew: 1_000_000, refresh: 'r0' };
    const client = await resumed(renewable, refusingRefresh(fail('invalid_grant')));
    expect(await headersOf(client.auth)).toEqual({ authorization: 'Bearer kept' });
    expect(await client.tokenStore.get(KEY)).toEqual({
      access: 'kept',
      type: 'bearer',
      asked: ['a'],
      expires: 1_010_000,
      renew: 1_000_000,
    });
    expect(client.visited).toEqual([]);
  });
});
