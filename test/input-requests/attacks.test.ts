import { fakeClock } from '@tenon/testing';
import { memoryStores } from 'tenon';
import { describe, expect, it } from 'vitest';
import {
  beginCall,
  createGuardedServer,
  expectAccepted,
  expectRefusal,
  KEY,
  type SentCall,
  send,
  sentCall,
} from './guarded-server.js';
import { getRetry, getText } from './wire.js';

const MINUTE = 60_000;
const MAX_SEALED = 256 * 1024;

describe('a changed requestState is refused before the handler runs', () => {
  it('with one flipped bit, at every byte [mrtr.request-state-untrusted mrtr.request-state-integrity mrtr.request-state-tampered-rejected mrtr.request-state-rejection-code]', async () => {
    const on = createGuardedServer();
    const retry = await beginCall(on);
    const { requestState } = retry;
    for (let at = 0; at < requestState.length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        const flipped = String.fromCharCode(requestState.charCodeAt(at) ^ (1 << bit));
        const changed = requestState.slice(0, at) + flipped + requestState.slice(at + 1);
        await expectRefusal(on, sentCall, { ...retry, requestState: changed });
      }
    }
    await expectAccepted(on, retry);
  });

  it('with one flipped bit of the sealed bytes, at every byte [mrtr.request-state-integrity]', async () => {
    const on = createGuardedServer();
    const retry = await beginCall(on);
    const [prefix, id, ...parts] = retry.requestState.split('.') as [string, string, string, string];
    for (const part of [0, 1] as const) {
      const { length } = Buffer.from(parts[part] as string, 'base64url');
      for (let at = 0; at < length; at++) {
        const bytes = parts.map(each => Buffer.from(each, 'base64url'));
        const target = bytes[part] as Buffer;
        target[at] = (target[at] as number) ^ (1 << (at % 8));
        const requestState = [prefix, id, ...bytes.map(each => each.toString('base64url'))].join('.');
        await expectRefusal(on, sentCall, { ...retry, requestState });
      }
    }
    await expectAccepted(on, retry);
  });

  it('with bytes removed or added [mrtr.request-state-tampered-rejected]', async () => {
    const on = createGuardedServer();
    const retry = await beginCall(on);
    const { requestState } = retry;
    const others = Array.from({ length: requestState.length - 7 }, (_, position) =>
      requestState.slice(0, 7 + position),
    );
    for (const other of [...others, `${requestState}A`, `${requestState}.`, `${requestState}\n`, `${requestState} `])
      await expectRefusal(on, sentCall, { ...retry, requestState: other });
    await expectAccepted(on, retry);
  });

  it('with parts of another valid one [mrtr.request-state-integrity]', async () => {
    const on = createGuardedServer();
    const [one, other] = [await beginCall(on), await beginCall(on)];
    const [a, b] = [one.requestState.split('.'), other.requestState.split('.')];
    for (const at of [2, 3]) {
      const mixed = a.map((part, index) => (index === at ? b[index] : part)).join('.');
      await expectRefusal(on, sentCall, { ...one, requestState: mixed });
    }
  });

  it('with an excessive size [mrtr.request-state-untrusted]', async () => {
    const on = createGuardedServer();
    const retry = await beginCall(on);
    const large = `tenon1.a.${'A'.repeat(16)}.${'A'.repeat(MAX_SEALED)}`;
    await expectRefusal(on, sentCall, { ...retry, requestState: large });
    for (const none of [1, null, {}, []]) await expectRefusal(on, sentCall, { ...retry, requestState: none });
    for (const none of [1, null, 'a', []]) await expectRefusal(on, sentCall, { ...retry, inputResponses: none });
    await expectAccepted(on, retry);
  });
});

describe('a valid requestState', () => {
  const other = (change: Partial<SentCall>): SentCall => ({ ...sentCall, ...change });
  const withArguments = (args: object) => other({ params: { name: 'guarded', arguments: args as never } });

  it.each<[string, SentCall]>([
    ['another principal', other({ principal: 'eve' })],
    ['nobody', { method: sentCall.method, params: sentCall.params }],
    ['another tool', other({ params: { name: 'other', arguments: { what: 'a' } } })],
    ['another argument', withArguments({ what: 'b' })],
    ['one more argument', withArguments({ what: 'a', count: 1 })],
    ['no argument', withArguments({})],
    ['no arguments at all', other({ params: { name: 'guarded' } })],
    ['a prompt of the same name', other({ method: 'prompts/get' })],
    ['a resource', other({ method: 'resources/read', params: { uri: 'x:guarded' } })],
    ['one more param', other({ params: { ...sentCall.params, task: {} } })],
  ])(
    'is refused for another request or user: %s [mrtr.request-state-principal-bound mrtr.request-state-request-bound]',
    async (_, what) => {
      const on = createGuardedServer();
      const retry = await beginCall(on);
      await expectRefusal(on, what, retry);
      await expectAccepted(on, retry);
    },
  );

  it.each<[string, SentCall]>([
    ['a prompt', { method: 'prompts/get', params: { name: 'guarded', arguments: { what: 'a' } } }],
    ['a resource', { method: 'resources/read', params: { uri: 'x:guarded' } }],
  ])('is refused when it belongs to %s [mrtr.supported-methods mrtr.request-state-request-bound]', async (_, what) => {
    const on = createGuardedServer();
    const retry = await beginCall(on, what);
    await expectRefusal(on, sentCall, retry);
    await expectRefusal(on, { ...what, principal: 'ada' }, retry);
    await expectAccepted(on, retry, what);
  });

  it('is accepted with another order of arguments', async () => {
    const on = createGuardedServer();
    const what = withArguments({ what: 'a', count: 1 });
    await expectAccepted(on, await beginCall(on, what), withArguments({ count: 1, what: 'a' }));
  });
});

describe('the lifetime of requestState', () => {
  it('ends its validity [mrtr.request-state-expiry]', async () => {
    const clock = fakeClock(1_000_000);
    const on = createGuardedServer({ clock });
    const retry = await beginCall(on);
    clock.advance(15 * MINUTE - 1);
    const second = await send(on, sentCall, retry);
    expect(second.result).toMatchObject({ resultType: 'input_required' });
    clock.advance(15 * MINUTE);
    await expectRefusal(on, sentCall, getRetry(second));
  });

  it('is configurable', async () => {
    const clock = fakeClock(1_000_000);
    const on = createGuardedServer({ clock, inputRequests: { keys: [KEY], ttl: 1000 } });
    const retry = await beginCall(on);
    clock.advance(1000);
    await expectRefusal(on, sentCall, retry);
  });

  it('ends after `maxRounds`: too many input requests end the call, and a retry beyond the limit is refused', async () => {
    const on = createGuardedServer({ inputRequests: { keys: [KEY], maxRounds: 1 } });
    const first = await beginCall(on);
    expect((await send(on, sentCall, first)).error).toMatchObject({ code: -32603, message: 'Internal error' });
    expect(on.errors).toEqual(['handler/too-many-rounds']);
    const lax = createGuardedServer();
    const second = getRetry(await send(lax, sentCall, await beginCall(lax)));
    await expectRefusal(createGuardedServer({ inputRequests: { keys: [KEY], maxRounds: 1 } }), sentCall, second);
  });
});

describe('the keys of requestState', () => {
  const key = (id: string, fill: number) => ({ id, key: new Uint8Array(32).fill(fill) });

  it('open nothing that other keys sealed [mrtr.request-state-tampered-rejected]', async () => {
    const retry = await beginCall(createGuardedServer());
    for (const keys of [[key('a', 2)], [key('b', 1)], [key('b', 2), key('c', 1)]])
      await expectRefusal(createGuardedServer({ inputRequests: { keys } }), sentCall, retry);
    await expectRefusal(createGuardedServer({ inputRequests: {} }), sentCall, retry);
  });

  it('allow rotation: a remaining key opens its states, a removed one does not', async () => {
    const retry = await beginCall(createGuardedServer());
    const rotating = createGuardedServer({ inputRequests: { keys: [key('b', 2), KEY] } });
    const second = getRetry(await send(rotating, sentCall, retry));
    expect(second.requestState).toMatch(/^tenon1\.b\./);
    const rotated = createGuardedServer({ inputRequests: { keys: [key('b', 2)] } });
    await expectRefusal(rotated, sentCall, await beginCall(createGuardedServer()));
    expect(getText(await send(rotated, sentCall, second))).toBe('done');
    await expectRefusal(createGuardedServer(), sentCall, second);
  });
});

describe('requestState that was used', () => {
  it('is refused, like that of an earlier round [mrtr.request-state-single-use]', async () => {
    for (const inputRequests of [{ keys: [KEY] }, { keys: [KEY], maxSuspended: 0 }]) {
      const on = createGuardedServer({ inputRequests });
      const first = await beginCall(on);
      const second = getRetry(await send(on, sentCall, first));
      await expectRefusal(on, sentCall, first);
      await expectRefusal(on, sentCall, { ...second, requestState: first.requestState });
      expect(getText(await send(on, sentCall, second))).toBe('done');
      for (const retry of [first, second]) await expectRefusal(on, sentCall, retry);
      expect(on.ran.filter(each => each.startsWith('step'))).toHaveLength(3);
    }
  });

  it('is refused on every replica that shares the store', async () => {
    const stores = memoryStores();
    const [one, other] = [createGuardedServer({ stores }), createGuardedServer({ stores })];
    const retry = await beginCall(one);
    const second = getRetry(await send(other, sentCall, retry));
    for (const on of [one, other]) await expectRefusal(on, sentCall, retry);
    expect(getText(await send(one, sentCall, second))).toBe('done');
    for (const on of [one, other]) await expectRefusal(on, sentCall, second);
    expect([...one.ran, ...other.ran].filter(each => each.startsWith('step'))).toHaveLength(3);
  });

  it('runs the handler once for concurrent retries', async () => {
    const on = createGuardedServer();
    const retry = await beginCall(on);
    const both = await Promise.all([send(on, sentCall, retry), send(on, sentCall, retry)]);
    // The other one is still running, or has ended.
    expect(both.filter(({ error }) => error?.code === -32603 || error?.code === -32602)).toHaveLength(1);
    expect(on.ran.filter(each => each === 'step between')).toHaveLength(1);
  });

  it('is accepted once on each replica without a shared store', async () => {
    const [one, other] = [createGuardedServer(), createGuardedServer()];
    const retry = await beginCall(one);
    const seconds = [await send(one, sentCall, retry), await send(other, sentCall, retry)];
    expect(seconds.map(({ result }) => result?.resultType)).toEqual(['input_required', 'input_required']);
    expect([...one.ran, ...other.ran].filter(each => each === 'step between')).toHaveLength(2);
    for (const on of [one, other]) await expectRefusal(on, sentCall, retry);
  });
});
