import { memoryStores } from 'tenon';
import { fakeClock } from 'tenon/testing';
import { describe, expect, it } from 'vitest';
import { begun, guarded, KEY, refused, type Sent, send, sent, stillGood } from './guarded.js';
import { retryOf, textOf } from './wire.js';

const MINUTE = 60_000;
const MAX_SEALED = 256 * 1024;

describe('a state that was changed is refused, and nothing runs', () => {
  it('by one bit, at every byte [mrtr.request-state-untrusted mrtr.request-state-integrity mrtr.request-state-tampered-rejected mrtr.request-state-rejection-code]', async () => {
    const on = guarded();
    const retry = await begun(on);
    const { requestState } = retry;
    for (let at = 0; at < requestState.length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        const flipped = String.fromCharCode(requestState.charCodeAt(at) ^ (1 << bit));
        const changed = requestState.slice(0, at) + flipped + requestState.slice(at + 1);
        await refused(on, sent, { ...retry, requestState: changed });
      }
    }
    await stillGood(on, retry);
  });

  it('by one bit of what it stands for, at every byte [mrtr.request-state-integrity]', async () => {
    const on = guarded();
    const retry = await begun(on);
    const [prefix, id, ...parts] = retry.requestState.split('.') as [string, string, string, string];
    for (const part of [0, 1] as const) {
      const { length } = Buffer.from(parts[part] as string, 'base64url');
      for (let at = 0; at < length; at++) {
        const bytes = parts.map(each => Buffer.from(each, 'base64url'));
        const target = bytes[part] as Buffer;
        target[at] = (target[at] as number) ^ (1 << (at % 8));
        const requestState = [prefix, id, ...bytes.map(each => each.toString('base64url'))].join('.');
        await refused(on, sent, { ...retry, requestState });
      }
    }
    await stillGood(on, retry);
  });

  it('by what was cut off, or put on [mrtr.request-state-tampered-rejected]', async () => {
    const on = guarded();
    const retry = await begun(on);
    const { requestState } = retry;
    const others = Array.from({ length: requestState.length - 7 }, (_, cut) => requestState.slice(0, 7 + cut));
    for (const other of [...others, `${requestState}A`, `${requestState}.`, `${requestState}\n`, `${requestState} `])
      await refused(on, sent, { ...retry, requestState: other });
    await stillGood(on, retry);
  });

  it('by parts of another that is as good [mrtr.request-state-integrity]', async () => {
    const on = guarded();
    const [one, other] = [await begun(on), await begun(on)];
    const [a, b] = [one.requestState.split('.'), other.requestState.split('.')];
    for (const at of [2, 3]) {
      const mixed = a.map((part, index) => (index === at ? b[index] : part)).join('.');
      await refused(on, sent, { ...one, requestState: mixed });
    }
  });

  it('by its size [mrtr.request-state-untrusted]', async () => {
    const on = guarded();
    const retry = await begun(on);
    const large = `tenon1.a.${'A'.repeat(16)}.${'A'.repeat(MAX_SEALED)}`;
    await refused(on, sent, { ...retry, requestState: large });
    for (const none of [1, null, {}, []]) await refused(on, sent, { ...retry, requestState: none });
    for (const none of [1, null, 'a', []]) await refused(on, sent, { ...retry, inputResponses: none });
    await stillGood(on, retry);
  });
});

describe('a state that is right is refused for something else', () => {
  const other = (change: Partial<Sent>): Sent => ({ ...sent, ...change });
  const withArguments = (args: object) => other({ params: { name: 'guarded', arguments: args as never } });

  it.each<[string, Sent]>([
    ['another principal', other({ principal: 'eve' })],
    ['nobody', { method: sent.method, params: sent.params }],
    ['another tool', other({ params: { name: 'other', arguments: { what: 'a' } } })],
    ['another argument', withArguments({ what: 'b' })],
    ['one more argument', withArguments({ what: 'a', count: 1 })],
    ['no argument', withArguments({})],
    ['no arguments at all', other({ params: { name: 'guarded' } })],
    ['a prompt of the same name', other({ method: 'prompts/get' })],
    ['a resource', other({ method: 'resources/read', params: { uri: 'x:guarded' } })],
    ['one more param', other({ params: { ...sent.params, task: {} } })],
  ])(
    'than for what it was made: %s [mrtr.request-state-principal-bound mrtr.request-state-request-bound]',
    async (_, what) => {
      const on = guarded();
      const retry = await begun(on);
      await refused(on, what, retry);
      await stillGood(on, retry);
    },
  );

  it.each<[string, Sent]>([
    ['a prompt', { method: 'prompts/get', params: { name: 'guarded', arguments: { what: 'a' } } }],
    ['a resource', { method: 'resources/read', params: { uri: 'x:guarded' } }],
  ])('so is that of %s [mrtr.supported-methods mrtr.request-state-request-bound]', async (_, what) => {
    const on = guarded();
    const retry = await begun(on, what);
    await refused(on, sent, retry);
    await refused(on, { ...what, principal: 'ada' }, retry);
    await stillGood(on, retry, what);
  });

  it('than its order of arguments, which may differ', async () => {
    const on = guarded();
    const what = withArguments({ what: 'a', count: 1 });
    await stillGood(on, await begun(on, what), withArguments({ count: 1, what: 'a' }));
  });
});

describe('a state has its time', () => {
  it('and is refused from then on [mrtr.request-state-expiry]', async () => {
    const clock = fakeClock(1_000_000);
    const on = guarded({ clock });
    const retry = await begun(on);
    clock.advance(15 * MINUTE - 1);
    const second = await send(on, sent, retry);
    expect(second.result).toMatchObject({ resultType: 'input_required' });
    clock.advance(15 * MINUTE);
    await refused(on, sent, retryOf(second));
  });

  it('which can be set', async () => {
    const clock = fakeClock(1_000_000);
    const on = guarded({ clock, asking: { keys: [KEY], life: 1000 } });
    const retry = await begun(on);
    clock.advance(1000);
    await refused(on, sent, retry);
  });

  it('and its rounds: who asks more often is stopped, and who comes with more is refused', async () => {
    const on = guarded({ asking: { keys: [KEY], maxRounds: 1 } });
    const first = await begun(on);
    expect((await send(on, sent, first)).error).toMatchObject({ code: -32603, message: 'Internal error' });
    expect(on.problems).toEqual(['handler/endless-questions']);
    const lax = guarded();
    const second = retryOf(await send(lax, sent, await begun(lax)));
    await refused(guarded({ asking: { keys: [KEY], maxRounds: 1 } }), sent, second);
  });
});

describe('keys', () => {
  const key = (id: string, fill: number) => ({ id, key: new Uint8Array(32).fill(fill) });

  it('of others open nothing [mrtr.request-state-tampered-rejected]', async () => {
    const retry = await begun(guarded());
    for (const keys of [[key('a', 2)], [key('b', 1)], [key('b', 2), key('c', 1)]])
      await refused(guarded({ asking: { keys } }), sent, retry);
    await refused(guarded({ asking: {} }), sent, retry);
  });

  it('can be changed: a key that still opens lets its states in, one that is gone does not', async () => {
    const retry = await begun(guarded());
    const rotating = guarded({ asking: { keys: [key('b', 2), KEY] } });
    const second = retryOf(await send(rotating, sent, retry));
    expect(second.requestState).toMatch(/^tenon1\.b\./);
    const rotated = guarded({ asking: { keys: [key('b', 2)] } });
    await refused(rotated, sent, await begun(guarded()));
    expect(textOf(await send(rotated, sent, second))).toBe('done');
    await refused(guarded(), sent, second);
  });
});

describe('a state is good once', () => {
  it('here: neither it nor one of an earlier round is taken again [mrtr.request-state-single-use]', async () => {
    for (const asking of [{ keys: [KEY] }, { keys: [KEY], maxHeld: 0 }]) {
      const on = guarded({ asking });
      const first = await begun(on);
      const second = retryOf(await send(on, sent, first));
      await refused(on, sent, first);
      await refused(on, sent, { ...second, requestState: first.requestState });
      expect(textOf(await send(on, sent, second))).toBe('done');
      for (const retry of [first, second]) await refused(on, sent, retry);
      expect(on.ran.filter(each => each.startsWith('step'))).toHaveLength(3);
    }
  });

  it('and on every replica that shares the store', async () => {
    const stores = memoryStores();
    const [one, other] = [guarded({ stores }), guarded({ stores })];
    const retry = await begun(one);
    const second = retryOf(await send(other, sent, retry));
    for (const on of [one, other]) await refused(on, sent, retry);
    expect(textOf(await send(one, sent, second))).toBe('done');
    for (const on of [one, other]) await refused(on, sent, second);
    expect([...one.ran, ...other.ran].filter(each => each.startsWith('step'))).toHaveLength(3);
  });

  it('of two that come at once', async () => {
    const on = guarded();
    const retry = await begun(on);
    const both = await Promise.all([send(on, sent, retry), send(on, sent, retry)]);
    expect(both.filter(({ error }) => error?.code === -32602)).toHaveLength(1);
    expect(on.ran.filter(each => each === 'step between')).toHaveLength(1);
  });

  it('on each replica, where they share keys and no store: that is the limit', async () => {
    const [one, other] = [guarded(), guarded()];
    const retry = await begun(one);
    const seconds = [await send(one, sent, retry), await send(other, sent, retry)];
    expect(seconds.map(({ result }) => result?.resultType)).toEqual(['input_required', 'input_required']);
    expect([...one.ran, ...other.ran].filter(each => each === 'step between')).toHaveLength(2);
    for (const on of [one, other]) await refused(on, sent, retry);
  });
});
