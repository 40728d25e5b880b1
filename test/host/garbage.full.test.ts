import { type FakeClock, fakeClock } from '@tenon/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { getText } from '../interop/collect.js';
import { retryUntilPasses } from '../interop/retry.js';
import { isFull, takePart } from '../support/extent.js';
import { createFaultyServer, type FaultyServerPlan } from './faulty-server.js';
import { advanceTime, type HostFixture, listTools, startHost } from './host-fixture.js';

const pairs = [
  ['2026-07-28', '2025-06-18'],
  ['2025-11-25', '2026-07-28'],
  ['2024-11-05', '2024-11-05'],
] as const;

describe.each(pairs)('a client of %s and servers of %s, when one server sends garbage', (version, serverVersion) => {
  const turn = pairs.findIndex(([client]) => client === version);
  const itOnce = it.runIf(isFull || turn === 0);
  let setup: HostFixture;
  afterEach(async () => {
    await setup.close();
  });
  /** Any response may take seconds on a busy machine. Those that never arrive get a short timeout, or time that passes by hand. */
  const begin = async (plan: Omit<FaultyServerPlan, 'version'> = {}, idleTimeout = 50_000, clock?: FakeClock) => {
    const lies = createFaultyServer({ version: serverVersion, ...plan }, { idleTimeout });
    const good = createFaultyServer({ version: serverVersion });
    setup = await startHost({ good, lies }, { version, listTimeout: 50_000, ...(clock && { clock }) });
    return lies;
  };
  const codes = () => setup.errors.map(({ code }) => code);
  const goesOn = async () => {
    expect(getText(await setup.client.callTool('good__echo', { text: 'all is well' }))).toBe('all is well');
    expect((await listTools(setup)).names).toContain('good__echo');
  };

  const notThere: { readonly [lists: string]: RegExp } = {
    shapes: /malformed/,
    'no-json': /timed out/,
    'wrong-id': /timed out/,
    huge: /too long/,
    'same-cursor': /same cursor/,
    'endless-empty': /pages/,
    'endless-huge': /more than 67108864 characters/,
  };

  it.each(takePart(Object.keys(notThere), turn, pairs.length))(
    'omits the server from lists (%s), with the reason',
    async lists => {
      await begin({ lists }, notThere[lists]?.source === 'timed out' ? 1000 : undefined);
      const { names, absent } = await listTools(setup);
      expect(names.filter(name => !name.startsWith('good__'))).toEqual([]);
      const reason = expect.stringMatching(notThere[lists] as RegExp);
      expect(absent).toEqual([{ server: 'lies', reason, code: expect.any(String) }]);
      await goesOn();
    },
  );

  itOnce('without an end: so much of it is taken, and that there is more is said', async () => {
    await begin({ lists: 'endless' });
    const { tools } = await setup.client.call('tools/list');
    expect(tools.length).toBeGreaterThan(0);
    await retryUntilPasses(() => expect(codes()).toContain('host/too-many'));
    await goesOn();
  });

  itOnce('a name twice: the first is taken, and that is said', async () => {
    await begin({ lists: 'duplicates' });
    const { names } = await listTools(setup);
    expect(new Set(names).size).toBe(names.length);
    expect(codes()).toContain('host/listed-twice');
  });

  itOnce('entries that are none: they are left out and said, and the others are listed', async () => {
    await begin({ lists: 'entries' });
    const { names, absent } = await listTools(setup);
    expect(absent).toEqual([]);
    expect(names).toContain('lies__echo');
    expect(codes()).toContain('peer/unusable-entry');
    await goesOn();
  });

  itOnce('makes a server absent when opened', async () => {
    await begin({ start: 'garbage' });
    const { absent } = await listTools(setup);
    expect(absent).toEqual([{ server: 'lies', reason: expect.any(String), code: expect.any(String) }]);
    await goesOn();
  });

  const errors: { readonly [tool: string]: RegExp } = {
    'answers-wrongly': /malformed.*may have been carried out/,
    'answers-nothing': /invalid message.*may have been carried out/,
    'answers-no-error': /invalid message.*may have been carried out/,
    'answers-others': /timed out after.*may have been carried out/,
    'answers-no-json': /may have been carried out/,
    'answers-hugely': /too long.*may have been carried out/,
  };

  it.each(takePart(Object.keys(errors), turn, pairs.length))('rejects the call with an error (%s)', async tool => {
    const clock = fakeClock(Date.now());
    const isUnanswered = tool === 'answers-others' || tool === 'answers-no-json';
    await (isUnanswered ? begin({}, 1000, clock) : begin());
    // It is up before time passes: how fast a process starts is the machine's affair.
    expect(getText(await setup.client.callTool('lies__echo', { text: 'up' }))).toBe('up');
    const call = setup.client.callTool(`lies__${tool}`);
    if (isUnanswered) await advanceTime(clock, call);
    await expect(call).rejects.toMatchObject({
      rpcCode: -32603,
      summary: expect.stringMatching(errors[tool] as RegExp),
    });
    await expect(call).rejects.toMatchObject({ summary: expect.stringContaining('"lies"') });
    await goesOn();
    expect(getText(await setup.client.callTool('lies__echo', { text: 'still there' }))).toBe('still there');
  });

  itOnce('twice: the first answer counts', async () => {
    await begin();
    expect(getText(await setup.client.callTool('lies__answers-twice'))).toBe('first');
    await retryUntilPasses(() => expect(codes()).toContain('peer/unknown-response'));
    await goesOn();
  });
});
