import { afterEach, describe, expect, it } from 'vitest';
import { fakeClock } from '../../testing/fake-clock.js';
import { openaiManners } from './fixtures/manners.js';
import { type Provider, type Reply, startProvider } from './fixtures/provider.js';
import { asking } from './fixtures/requests.js';
import { openaiModel } from './openai.js';
import type { ProviderOptions } from './provider-call.js';

let provider: Provider;
afterEach(() => provider?.close());

const fine: Reply = { body: { model: 'm', choices: [{ message: { content: 'ok' }, finish_reason: 'stop' }] } };
const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise(resolve => setTimeout(resolve, 1));
};

async function ask(
  replies: readonly (Reply | undefined)[],
  options: ProviderOptions = {},
  signal = new AbortController().signal,
) {
  let count = 0;
  provider = await startProvider(openaiManners, () => replies[count++]);
  const model = openaiModel({ model: 'm', key: openaiManners.key, url: provider.url, ...options });
  return model.generate(asking(), { signal });
}

describe('a request to a provider', () => {
  it('is sent again after 429 and 5xx, when the provider says', async () => {
    const clock = fakeClock();
    const replies = [{ status: 429, headers: { 'retry-after': '7' } }, { status: 503 }, fine];
    const answer = ask(replies, { clock });
    await until(() => clock.timers === 1);
    clock.advance(6_999);
    expect(clock.timers).toBe(1);
    clock.advance(1);
    await until(() => clock.timers === 1);
    clock.advance(1_000);
    expect(await answer).toMatchObject({ content: { text: 'ok' } });
    expect(provider.asked).toHaveLength(3);
  });

  it('waits for a date too', async () => {
    const clock = fakeClock(Date.parse('2026-01-01T00:00:00Z'));
    const answer = ask([{ status: 429, headers: { 'retry-after': 'Thu, 01 Jan 2026 00:00:05 GMT' } }, fine], { clock });
    await until(() => clock.timers === 1);
    clock.advance(4_999);
    expect(clock.timers).toBe(1);
    clock.advance(1);
    await answer;
  });

  it.each([
    ['as often as it may', [{ status: 500 }, { status: 500 }, { status: 500 }, fine], 3],
    ['not when it would have to wait too long', [{ status: 429, headers: { 'retry-after': '31' } }, fine], 1],
    ['not after a fault of its own', [{ status: 400 }, fine], 1],
    ['not to another place', [{ status: 307, headers: { location: 'http://127.0.0.1:1/' } }, fine], 1],
  ])('is sent %s', async (_what, replies, count) => {
    const clock = fakeClock();
    const answer = ask(replies, { clock }).catch(error => error);
    let done = false;
    void answer.then(() => {
      done = true;
    });
    await until(() => {
      clock.advance(10_000);
      return done;
    });
    expect(await answer).toMatchObject({ code: 'model/refused', status: replies[0]?.status });
    expect(provider.asked).toHaveLength(count);
  });

  it('ends with the signal, in the middle and while it waits', async () => {
    const controller = new AbortController();
    const hanging = ask([undefined], {}, controller.signal).catch(error => error);
    await until(() => provider?.asked.length === 1);
    controller.abort();
    expect(await hanging).toMatchObject({ code: 'model/unreachable' });
    await provider.close();
    const clock = fakeClock();
    const other = new AbortController();
    const waiting = ask([{ status: 503 }, fine], { clock }, other.signal).catch(error => error);
    await until(() => clock.timers === 1);
    other.abort();
    expect(await waiting).toMatchObject({ code: 'sampling/aborted' });
    expect(clock.timers).toBe(0);
  });

  it('is made to safe addresses, with whole keys', async () => {
    for (const url of ['http://example.com/v1', 'ftp://127.0.0.1', 'nowhere', 'https://me@example.com'])
      await expect(
        openaiModel({ model: 'm', url }).generate(asking(), { signal: new AbortController().signal }),
      ).rejects.toMatchObject({ code: 'model/insecure-url' });
    const error = await ask([fine], { key: 'sk-one\nsk-two' }).catch(each => each);
    expect(error).toMatchObject({ code: 'model/key' });
    expect(error.message).not.toContain('sk-one');
    await provider.close();
    expect(await ask([fine], { key: async () => openaiManners.key })).toMatchObject({ content: { text: 'ok' } });
  });

  it('tells of a connection that cannot be made', async () => {
    const fetch = () => Promise.reject(new Error('connect failed with Bearer sk-proj-test-0123456789'));
    const error = await ask([], { fetch }).catch(each => each);
    expect(error).toMatchObject({ code: 'model/unreachable' });
    expect(error.message).not.toContain('0123456789');
  });

  it('does not read without end', async () => {
    await expect(ask([{ body: `"${'x'.repeat(33 * 2 ** 20)}"` }])).rejects.toMatchObject({ code: 'model/answer' });
  });
});
