import { connectPair, fakeClock, protocolVersions } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { tool } from '../../server/definitions/tool.js';
import { createServer } from '../../server/server.js';
import type { ClientOptions } from '../options.js';

const soon = () => new Promise(setImmediate);

/** A server that asks for roots before it answers, and a user who takes some time to say which. */
async function start(protocolVersion: string, options: ClientOptions = {}) {
  const clock = fakeClock();
  let decide: () => void = () => {};
  const server = createServer({
    name: 's',
    version: '1',
    onError: () => {},
    tools: { t: tool({ run: async (_, ctx) => String((await ctx.roots()).length) }) },
  });
  let receive: () => void = () => {};
  const request = new Promise<void>(resolve => (receive = resolve));
  const roots = () => {
    receive();
    return new Promise<[]>(resolve => (decide = () => resolve([])));
  };
  const client = await connectPair(server, {
    protocolVersion,
    clock,
    roots,
    idleTimeout: 1000,
    totalTimeout: 2000,
    ...options,
  });
  const called = client.callTool('t').then(
    ({ content }) => content,
    error => error.code,
  );
  const advance = async (ms: number) => {
    await soon();
    clock.advance(ms);
    await soon();
  };
  await request;
  return { client, called, advance, decide: () => decide() };
}

describe.each(protocolVersions)('a call on %s', protocolVersion => {
  it('rejects after its own timeout', async () => {
    const clock = fakeClock();
    const never = tool({ run: () => new Promise<string>(() => {}) });
    const server = createServer({ name: 's', version: '1', tools: { never } });
    const client = await connectPair(server, { protocolVersion, clock, validate: 'off' });
    const called = client.callTool('never', {}, { totalTimeout: 100 });
    await soon();
    clock.advance(100);
    await expect(called).rejects.toMatchObject({ code: 'call/timeout' });
    await client.close();
  });
});

describe.each(protocolVersions)('a call on %s with input requests of the server', version => {
  it('does not time out while the user decides', async () => {
    const { client, called, advance, decide } = await start(version);
    await advance(900);
    await advance(60_000);
    decide();
    await advance(90);
    expect(await called).toEqual([{ type: 'text', text: '0' }]);
    await client.close();
  });

  it('rejects when the user takes too long', async () => {
    const { client, called, advance } = await start(version, { answerTimeout: 5000 });
    const errors: string[] = [];
    client.on('error', ({ code }) => errors.push(code));
    await advance(4999);
    await advance(1);
    const outcome = await called;
    if (outcome === 'call/unanswered-request') expect(errors).toEqual([]);
    else expect([outcome, errors]).toEqual([[expect.objectContaining({ type: 'text' })], ['answer/timeout']]);
    await client.close();
  });
});
