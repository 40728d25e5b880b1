/** A proxy that runs in several processes, which share their stores. */

import { type OauthProxyOptions, oauthProxy } from '@tenon/issuer';
import type { FakeClock } from '@tenon/testing';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { memoryStores, type Stores, type Values } from 'tenon';
import { expect, it } from 'vitest';
import { createProxyOptions } from '../../packages/issuer/src/fixtures/test-proxy.js';
import { createTestIssuer, ISSUER, readPage } from '../../packages/issuer/src/fixtures/visitor.js';

/** An identity provider that accepts each refresh token once, and then waits for `release`. */
function createProvider() {
  const state = { current: 'refresh-0', requests: [] as string[], waiting: [] as (() => void)[], holds: false };
  const fetch = async (_: string, init: { readonly body?: unknown }) => {
    const form = new URLSearchParams(String(init.body));
    const given = form.get('refresh_token');
    state.requests.push(given ?? 'code');
    const isValid = given === null || given === state.current;
    if (isValid) state.current = `refresh-${state.requests.length}`;
    else state.current = 'revoked';
    const tokens = {
      access_token: `upstream-${state.requests.length}`,
      token_type: 'bearer',
      expires_in: 120,
      refresh_token: state.current,
    };
    if (state.holds) await new Promise<void>(resolve => state.waiting.push(resolve));
    const headers = { 'content-type': 'application/json' };
    return new Response(JSON.stringify(isValid ? tokens : { error: 'invalid_grant' }), {
      status: isValid ? 200 : 400,
      headers,
    }) as never;
  };
  return { state, fetch };
}

function start(clock: FakeClock, stores: Stores, fetch: OauthProxyOptions['fetch']) {
  return oauthProxy(
    createProxyOptions({
      ...{ clock, stores, fetch },
    }),
  );
}

/** Three processes. Each request of a sign-in goes to the next one. */
async function setUp() {
  const { state, fetch } = createProvider();
  const replicas: ReturnType<typeof oauthProxy>[] = [];
  let turn = 0;
  let isFirstDead = false;
  const balanced = createTestIssuer(clock => {
    const stores = memoryStores({ clock });
    const { values } = stores;
    // A process that has died writes nothing more.
    const put: Values['put'] = (...given) => (isFirstDead ? new Promise(() => {}) : values.put(...given));
    const mortal = { get: values.get, put, delete: values.delete, list: values.list };
    replicas.push(start(clock, { ...stores, values: mortal }, fetch));
    replicas.push(start(clock, stores, fetch), start(clock, stores, fetch));
    const next: (typeof replicas)[number] = replicas[0] as never;
    return Object.assign((request: Request) => (replicas[turn++ % 3] as typeof next)(request), next, {
      endpoint: next.endpoint,
    });
  });
  const agreed = await balanced.answer(await readPage(await balanced.ask()));
  const query = new URLSearchParams({
    code: 'c',
    state: new URL(agreed.headers.get('location') ?? '').searchParams.get('state') ?? '',
  });
  const back = await balanced.send(`/callback?${query}`, { headers: { cookie: (await readPage(agreed)).cookie } });
  const { body } = await balanced.redeem(new URL(back.headers.get('location') ?? '').searchParams.get('code') ?? '');
  const claims = decodeJwt(body.access_token ?? '');
  const read = (replica: number) =>
    (replicas[replica] as (typeof replicas)[number]).getUpstreamToken({ principal: 'ada', claims });
  const endFirst = () => {
    isFirstDead = true;
  };
  const readKeyIds = async (replica: (typeof replicas)[number]) => {
    const { keys } = (await (await replica(new Request(`${ISSUER}/jwks`))).json()) as { keys: { kid: string }[] };
    return keys.map(({ kid }) => kid);
  };
  const keyIds = () => Promise.all(replicas.map(readKeyIds));
  return { state, balanced, body, read, endFirst, keyIds };
}

const settle = () => new Promise<void>(resolve => setImmediate(resolve));

async function until(isDone: () => boolean, between: () => void = () => {}) {
  while (!isDone()) {
    between();
    await settle();
  }
}

/**
 * Advances the clock until a condition holds, and only while a process sleeps: the tokens expire if the clock advances
 * while a process decrypts them.
 */
async function advanceUntil(clock: FakeClock, isDone: () => boolean) {
  await until(isDone, () => clock.timers > 0 && clock.advance(250));
}

it('signs a user in whose requests reach different processes', async () => {
  const { body, read, balanced, keyIds } = await setUp();
  const { kid = '' } = decodeProtectedHeader(body.access_token ?? '');
  expect(await keyIds()).toEqual([[kid], [kid], [kid]]);
  expect(body.token_type).toBe('Bearer');
  expect(await Promise.all([read(0), read(1), read(2)])).toEqual(['upstream-1', 'upstream-1', 'upstream-1']);
  const fields = { grant_type: 'refresh_token', client_id: 'app', refresh_token: body.refresh_token ?? '' };
  expect((await balanced.token(fields)).status).toBe(200);
});

it('renews a token of the provider in one process, while others use the old one', async () => {
  const { state, balanced, read } = await setUp();
  balanced.clock.advance(100_000);
  state.holds = true;
  const renewed = read(0);
  await until(() => state.waiting.length === 1);
  expect(await read(1)).toBe('upstream-1');
  state.waiting.forEach(release => release());
  expect(await renewed).toBe('upstream-2');
  expect(await read(1)).toBe('upstream-2');
  expect(state.requests).toEqual(['code', 'refresh-1']);
});

it('waits in other processes for the renewal of an expired token', async () => {
  const { state, balanced, read } = await setUp();
  balanced.clock.advance(120_000);
  state.holds = true;
  const renewed = read(0);
  await until(() => state.waiting.length === 1);
  const tokens: (string | undefined)[] = [];
  const others = [read(1), read(2)].map(other => other.then(token => tokens.push(token)));
  await settle();
  state.waiting.forEach(release => release());
  expect(await renewed).toBe('upstream-2');
  await advanceUntil(balanced.clock, () => tokens.length === 2);
  await Promise.all(others);
  expect(tokens).toEqual(['upstream-2', 'upstream-2']);
  expect(state.requests).toEqual(['code', 'refresh-1']);
});

it('renews in another process a minute after the one that began has died', async () => {
  const { state, balanced, read, endFirst } = await setUp();
  balanced.clock.advance(120_000);
  state.holds = true;
  void read(0).catch(() => undefined);
  await until(() => state.waiting.length === 1);
  endFirst();
  state.holds = false;
  state.current = 'refresh-1'; // the request of the first process has never reached the provider
  const begin = balanced.clock.now();
  const renewed = read(1).then(token => ({ token, time: balanced.clock.now() - begin }));
  let isDone = false;
  void renewed.then(() => (isDone = true));
  await advanceUntil(balanced.clock, () => isDone);
  const { token, time } = await renewed;
  expect(token).toBe('upstream-3');
  expect(time).toBeGreaterThanOrEqual(60_000);
});
