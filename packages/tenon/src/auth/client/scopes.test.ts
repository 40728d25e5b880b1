import { fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { AS, failure, PRM, setUp } from './fixtures/signing.js';
import { headersOf, ISSUER, insist, issuerMetadata, refusal, resourceMetadata, SERVER } from './fixtures/world.js';

describe('the scopes of a sign-in', () => {
  const prm = (scopes_supported?: string[]) => ({
    [`${PRM}/mcp`]: { json: { ...resourceMetadata, scopes_supported } },
  });
  const as = (scopes_supported: string[]) => ({ [AS]: { json: { ...issuerMetadata(), scopes_supported } } });

  it.each([
    ['of the challenge', 'Bearer scope="a b"', prm(['c']), 'a b'],
    ['of the resource', 'Bearer', prm(['c', 'd']), 'c d'],
    ['left out', 'Bearer', prm(), null],
    ['with offline_access where it is one', 'Bearer scope="a"', as(['a', 'offline_access']), 'a offline_access'],
    ['without offline_access where it is none', 'Bearer scope="a offline_access"', as(['a']), 'a'],
    ['without offline_access alone', 'Bearer', as(['offline_access']), null],
  ])(
    'are %s [auth.scope-first-from-challenge auth.scope-then-scopes-supported auth.scope-omitted-when-undefined auth.scope.selection-order auth.scope.challenge-authoritative auth.scope.no-set-relation-assumed auth.scope.least-privilege auth.offline-access-added auth.offline-access-only-if-supported]',
    async (_, challenge, routes, scope) => {
      const { auth, getRequests } = setUp(routes);
      await auth.handleRefusal(refusal(challenge));
      expect(getRequests().get('scope')).toBe(scope);
    },
  );

  it('are joined with earlier ones when more are needed [auth.step-up-scope-union auth.step-up.client-responds auth.step-up.user-clients]', async () => {
    const { auth, getRequests } = setUp();
    await auth.handleRefusal(refusal('Bearer scope="a"'));
    const more = 'Bearer error="insufficient_scope", scope="b"';
    expect(await auth.handleRefusal(refusal(more, { status: 403, sentHeaders: await headersOf(auth) }))).toBe(true);
    expect(getRequests().get('scope')).toBe('a b');
    expect(await headersOf(auth)).toEqual({ authorization: 'Bearer access-2' });
  });

  it('keep those of a step-up when tokens without a refresh token expire', async () => {
    const clock = fakeClock();
    const token = () => ({ json: { access_token: `token-${clock.now()}`, token_type: 'Bearer', expires_in: 60 } });
    const { auth, browser, getRequests } = setUp({ [`${ISSUER}/token`]: token }, { clock });
    await auth.handleRefusal(refusal('Bearer scope="a"'));
    const more = 'Bearer error="insufficient_scope", scope="b"';
    await auth.handleRefusal(refusal(more, { status: 403, sentHeaders: await headersOf(auth) }));
    await clock.advance(61_000);
    expect(await headersOf(auth)).toEqual({});
    await auth.handleRefusal(refusal('Bearer scope="a"'));
    expect(getRequests().get('scope')).toBe('a b');
    expect(browser.visited).toHaveLength(3);
  });

  it('are requested a limited number of times [auth.step-up.retry-limit auth.step-up.attempts-tracked]', async () => {
    const { auth, browser } = setUp();
    await auth.handleRefusal(refusal('Bearer scope="a"'));
    const more = 'Bearer error="insufficient_scope", scope="b"';
    await expect(insist(auth, more, 403)).rejects.toEqual(failure('auth/insufficient-scope'));
    expect(browser.visited).toHaveLength(3);
    await expect(insist(auth, more, 403)).rejects.toEqual(failure('auth/insufficient-scope'));
    expect(browser.visited).toHaveLength(3);
  });

  it('are requested again after a sign-out, however often', async () => {
    const { auth, getRequests } = setUp({}, { limits: { maxSignIns: 8 } });
    const more = 'Bearer error="insufficient_scope", scope="b"';
    for (let round = 0; round < 4; round += 1) {
      await auth.handleRefusal(refusal('Bearer scope="a"'));
      expect(getRequests().get('scope')).toBe('a');
      await auth.handleRefusal(refusal(more, { status: 403, sentHeaders: await headersOf(auth) }));
      expect(getRequests().get('scope')).toBe('a b');
      await auth.signOut?.(SERVER);
    }
  });

  it('are not requested when a 403 concerns something else', async () => {
    const { auth, browser } = setUp();
    await auth.handleRefusal(refusal());
    expect(await insist(auth, 'Bearer', 403)).toBe(0);
    expect(browser.visited).toHaveLength(1);
  });
});
