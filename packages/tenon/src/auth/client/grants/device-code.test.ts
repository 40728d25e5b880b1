import { fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { createFakeServers, headersOf, ISSUER, issuerMetadata, type Route, refusal } from '../fixtures/world.js';
import { signIn } from '../sign-in/sign-in.js';
import { memoryTokenStore } from '../token-store.js';
import { DEVICE_GRANT, type DeviceCode } from './device-code.js';

const AS = `${ISSUER}/.well-known/oauth-authorization-server`;
const DEVICE = `${ISSUER}/device_authorization`;
const TOKEN = `${ISSUER}/token`;
const fail = (error: string): Route => ({ status: 400, json: { error } });
const issued = {
  device_code: 'device-1',
  user_code: 'WDJB-MJHT',
  verification_uri: `${ISSUER}/device`,
  verification_uri_complete: `${ISSUER}/device?user_code=WDJB-MJHT`,
  expires_in: 600,
  interval: 2,
};

/** Signs in where the token endpoint gives these answers, one after the other. */
function setUp(answers: readonly Route[] = [], routes: Record<string, Route> = {}) {
  const clock = fakeClock();
  const servers = createFakeServers({
    [AS]: { json: { ...issuerMetadata(), device_authorization_endpoint: DEVICE } },
    [DEVICE]: { json: issued },
    ...routes,
  });
  const success = servers.routes[TOKEN] as Route;
  let count = 0;
  servers.routes[TOKEN] = seen => {
    const answer = answers[count++] ?? success;
    return typeof answer === 'function' ? answer(seen) : answer;
  };
  const codes: DeviceCode[] = [];
  const tokenStore = memoryTokenStore();
  const auth = signIn({ showDeviceCode: code => void codes.push(code), fetch: servers.fetch, clock, tokenStore });
  const waits: number[] = [];
  /** Advances the clock to each request. */
  const finish = async (signing: Promise<unknown>) => {
    let isDone = false;
    const settled = signing.finally(() => (isDone = true)).catch(error => error);
    for (let n = 0; n < 2000 && !isDone; n += 1) {
      await new Promise(resolve => setImmediate(resolve));
      if (codes.length === 0 || isDone) continue;
      const before = servers.tokenRequests().length;
      clock.advance(1000);
      await new Promise(resolve => setImmediate(resolve));
      if (servers.tokenRequests().length > before) waits.push(clock.now());
    }
    return settled;
  };
  return { auth, servers, codes, clock, tokenStore, finish, waits };
}

describe('a sign-in with a device code', () => {
  it('shows the code, polls until the user has entered it, and slows down on request', async () => {
    const { auth, servers, codes, finish } = setUp([fail('authorization_pending'), fail('slow_down')]);
    expect(await finish(auth.handleRefusal(refusal()))).toBe(true);
    expect(await headersOf(auth)).toEqual({ authorization: 'Bearer access-1' });
    expect(codes).toEqual([
      {
        url: issued.verification_uri,
        userCode: 'WDJB-MJHT',
        completeUrl: issued.verification_uri_complete,
        lifetime: 600_000,
      },
    ]);
    const registered = JSON.parse(servers.seen.find(({ url }) => url.endsWith('/register'))?.body ?? '');
    expect(registered).toMatchObject({ grant_types: [DEVICE_GRANT, 'refresh_token'], redirect_uris: [] });
    const [request] = servers.tokenRequests();
    expect(Object.fromEntries(request ?? [])).toMatchObject({ grant_type: DEVICE_GRANT, device_code: 'device-1' });
    expect(servers.tokenRequests()).toHaveLength(3);
  });

  it('polls at the interval of the server, and 5 s later after each slow_down', async () => {
    const { auth, finish, waits } = setUp([fail('authorization_pending'), fail('slow_down')]);
    await finish(auth.handleRefusal(refusal()));
    const [first = 0, second = 0, third = 0] = waits;
    expect([second - first, third - second]).toEqual([2000, 7000]);
  });

  it.each([
    ['expired_token', 'auth/device-code-expired'],
    ['access_denied', 'auth/refused'],
    ['server_error', 'auth/refused'],
  ])('rejects with %s', async (answer, code) => {
    const { auth, finish } = setUp([fail('authorization_pending'), fail(answer)]);
    expect(await finish(auth.handleRefusal(refusal()))).toMatchObject({ code });
  });

  it('rejects when the code has expired and the server does not report it', async () => {
    const { auth, finish } = setUp(Array.from({ length: 1000 }, () => fail('authorization_pending')));
    expect(await finish(auth.handleRefusal(refusal()))).toMatchObject({ code: 'auth/device-code-expired' });
  });

  it('reports that the authorization server has no device sign-in', async () => {
    const { auth, finish } = setUp([], { [AS]: { json: issuerMetadata() } });
    expect(await finish(auth.handleRefusal(refusal()))).toMatchObject({ code: 'auth/no-device-grant' });
  });

  it('shows no page at an address that browsers must not open', async () => {
    const { auth, codes, finish } = setUp([], {
      [DEVICE]: { json: { ...issued, verification_uri: 'javascript:alert(1)' } },
    });
    expect(await finish(auth.handleRefusal(refusal()))).toMatchObject({ code: expect.stringMatching(/^auth\//) });
    expect(codes).toEqual([]);
  });

  it('ends with the signal of the call', async () => {
    const { auth, codes } = setUp();
    const controller = new AbortController();
    const signing = auth.handleRefusal(refusal('Bearer', { signal: controller.signal }));
    const ended = expect(signing).rejects.toThrow('no more');
    await expect.poll(() => codes.length).toBe(1);
    controller.abort(new Error('no more'));
    await ended;
  });
});
