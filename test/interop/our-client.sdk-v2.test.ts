import { connect } from 'tenon';
import { describe, expect, it } from 'vitest';
import { takePart } from '../support/extent.js';
import type { Listening } from './fixtures/listen.js';
import { startV2Handler, startV2Stateful } from './fixtures/sdk-v2-http.js';
import { type InteropCombination, type InteropPeer, testOurClient } from './our-client.js';
import { bundleProgram, createStdioPeer, isRunning } from './process.js';
import { retryUntilPasses } from './retry.js';

const info = 'sdk-v2';
const newest = '2026-07-28';
const handshakes = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];

/** A process that has to be gone once the client has closed. */
const stdio =
  (...args: string[]) =>
  (): InteropPeer => {
    const { target, pid } = createStdioPeer([
      ...bundleProgram(new URL('./fixtures/sdk-v2-stdio.ts', import.meta.url)),
      ...args,
    ]);
    return { target, stop: () => expect(isRunning(pid())).toBe(false) };
  };

const over = (serve: () => Promise<Listening>) => async (): Promise<InteropPeer> => {
  const { origin, close } = await serve();
  return { target: `${origin}/mcp`, stop: close };
};

async function stateful(): Promise<InteropPeer> {
  const { origin, close, sessions } = await startV2Stateful();
  return {
    target: `${origin}/mcp`,
    async stop() {
      await retryUntilPasses(() => expect(sessions.size).toBe(0));
      await close();
    },
  };
}

const variants: InteropCombination[] = [
  { name: 'SDK v2 over stdio', open: stdio(), info, version: newest },
  { name: 'SDK v2 over stdio, without handshakes', open: stdio('reject'), info, version: newest },
  ...takePart(handshakes, 0, 2).map(pin => ({
    name: `SDK v2 over stdio, pinned to ${pin}`,
    open: stdio(),
    info,
    pin,
    version: pin,
  })),
  { name: 'SDK v2 handler', open: over(() => startV2Handler()), info, version: newest },
  {
    name: 'SDK v2 handler, without handshakes, always a stream',
    open: over(() => startV2Handler({ legacy: 'reject', responseMode: 'sse' })),
    info,
    version: newest,
  },
  {
    name: 'SDK v2 handler, JSON only',
    open: over(() => startV2Handler({ responseMode: 'json' })),
    info,
    version: newest,
    answersOnly: true,
  },
  ...takePart(handshakes, 1, 2).map(
    (pin): InteropCombination => ({
      name: `SDK v2 handler, pinned to ${pin}`,
      open: over(() => startV2Handler()),
      info,
      pin,
      version: pin,
      stateless: true,
    }),
  ),
  { name: 'SDK v2 over Streamable HTTP with sessions', open: stateful, info, version: '2025-11-25' },
  {
    name: 'SDK v2 over Streamable HTTP with sessions, pinned to 2025-03-26',
    open: stateful,
    info,
    pin: '2025-03-26',
    version: '2025-03-26',
  },
];

for (const variant of variants) testOurClient(variant);

describe('SDK v2 handler', () => {
  it('refuses a client of an earlier version where no handshake is served', async () => {
    const { origin, close } = await startV2Handler({ legacy: 'reject' });
    await expect(connect(`${origin}/mcp`, { protocolVersion: '2025-11-25' })).rejects.toMatchObject({
      rpcCode: -32022,
      data: { supported: ['2026-07-28'] },
    });
    await close();
  });

  it('fails with an error when it needs input that it cannot request', async () => {
    const { origin, close } = await startV2Handler();
    const client = await connect(`${origin}/mcp`, {
      protocolVersion: '2025-11-25',
      elicit: () => ({ action: 'cancel' }),
    });
    expect(await client.callTool('ask')).toMatchObject({ isError: true });
    await client.close();
    await close();
  });
});
