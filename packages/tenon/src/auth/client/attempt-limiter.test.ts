import { describe, expect, it } from 'vitest';
import { AttemptLimiter } from './attempt-limiter.js';
import type { RefusedRequest } from './authorizer.js';
import type { Grant } from './grants/grant.js';

const SERVER = 'https://mcp.example/?token=secret';

const createLimiter = (grant: Partial<Grant> = {}) =>
  new AttemptLimiter({ interactive: true, ...grant } as Grant, SERVER);
const refuse = (request: object | undefined = {}, method = 'POST'): RefusedRequest => ({
  url: SERVER,
  method,
  status: 401,
  header: () => undefined,
  sentHeaders: {},
  request,
});
const getError = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    return error;
  }
};

describe('AttemptLimiter', () => {
  it('allows one token refresh for each request', () => {
    const limiter = createLimiter();
    const [one, other] = [refuse(), refuse()];
    expect([limiter.mayRefresh(one), limiter.mayRefresh(one), limiter.mayRefresh(other)]).toEqual([true, false, true]);
  });

  it('allows one token request for each request, and throws when the new token is rejected', () => {
    const limiter = createLimiter();
    const refusal = refuse();
    expect(limiter.mayRequestTokens(refusal)).toBe(true);
    expect(getError(() => limiter.mayRequestTokens(refusal))).toMatchObject({
      code: 'auth/rejected',
      status: 401,
      peer: expect.not.stringContaining('secret'),
    });
    expect(limiter.mayRequestTokens(refuse())).toBe(true);
  });

  it('names the reason of the server for a rejected token, without the token', () => {
    const limiter = createLimiter();
    const challenge =
      'Bearer error="invalid_token", error_description="The token short-1 was not issued for this resource"';
    const refusal = { ...refuse(), header: () => challenge, sentHeaders: { authorization: 'Bearer short-1' } };
    limiter.mayRequestTokens(refusal);
    expect(getError(() => limiter.mayRequestTokens(refusal))).toMatchObject({
      received: expect.stringMatching(/^invalid_token: The token (?!short-1).+ was not issued for this resource$/),
    });
  });

  it('starts no sign-in for the request that ends a session, unless no user is needed', () => {
    expect(createLimiter().mayRequestTokens(refuse({}, 'DELETE'))).toBe(false);
    expect(createLimiter({ interactive: false }).mayRequestTokens(refuse({}, 'DELETE'))).toBe(true);
  });

  it('repeats a failed sign-in only for a call, until one succeeds', async () => {
    const limiter = createLimiter();
    await expect(limiter.trackSignIn(Promise.reject(new Error('closed')))).rejects.toThrow('closed');
    expect(limiter.mayRequestTokens(refuse({}, 'GET'))).toBe(false);
    expect(limiter.mayRequestTokens(refuse())).toBe(true);
    limiter.markSucceeded();
    expect(await limiter.trackSignIn(Promise.resolve(1))).toBe(1);
    expect(limiter.mayRequestTokens(refuse({}, 'GET'))).toBe(true);
  });

  it('allows the same scopes twice, in any order, and then other scopes', () => {
    const limiter = createLimiter();
    limiter.countStepUp(refuse(), ['a', 'b']);
    limiter.countStepUp(refuse(), ['b', 'a']);
    expect(getError(() => limiter.countStepUp(refuse(), ['a', 'b']))).toMatchObject({
      code: 'auth/insufficient-scope',
      status: 403,
      expected: 'a b',
      hint: expect.stringContaining('grant the scopes'),
    });
    limiter.countStepUp(refuse(), ['c']);
  });

  it('allows three step-ups for one request', () => {
    const limiter = createLimiter();
    const refusal = refuse();
    for (const scope of ['a', 'b', 'c']) limiter.countStepUp(refusal, [scope]);
    expect(getError(() => limiter.countStepUp(refusal, ['d']))).toMatchObject({ code: 'auth/insufficient-scope' });
    expect(getError(() => limiter.mayRequestTokens(refusal))).toMatchObject({ code: 'auth/rejected' });
  });

  it('requests no scope that the options exclude', () => {
    expect(getError(() => createLimiter({ scopes: ['a'] }).countStepUp(refuse(), ['a', 'b']))).toMatchObject({
      code: 'auth/insufficient-scope',
      expected: 'b',
      hint: expect.stringContaining('`scopes`'),
    });
  });

  it('remembers the scopes of 100 attempts', () => {
    const ask = (limiter: AttemptLimiter, scope: string) => limiter.countStepUp(refuse(), [scope]);
    const [stored, dropped] = [createLimiter(), createLimiter()];
    for (const limiter of [stored, dropped]) for (const _ of [1, 2]) ask(limiter, 'first');
    for (let n = 1; n < 100; n += 1) for (const limiter of [stored, dropped]) ask(limiter, `scope ${n}`);
    expect(getError(() => ask(stored, 'first'))).toMatchObject({ code: 'auth/insufficient-scope' });
    ask(dropped, 'one more');
    ask(dropped, 'first');
  });
});
