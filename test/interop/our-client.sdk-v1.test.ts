import { connect } from 'tenon';
import { describe, expect, it } from 'vitest';
import { takePart } from '../support/extent.js';
import { createAnswers } from './answers.js';
import { getText } from './collect.js';
import type { Listening } from './fixtures/listen.js';
import { startV1Sse, startV1Stateful, startV1Stateless } from './fixtures/sdk-v1-http.js';
import { type InteropCombination, type InteropPeer, testOurClient } from './our-client.js';
import { bundleProgram, createStdioPeer, isRunning } from './process.js';
import { retryUntilPasses } from './retry.js';
import type { OfficialServer } from './server-types.js';

const info = 'sdk-v1';
const handshakes = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];

/** A process that has to be gone once the client has closed. */
function stdio(): InteropPeer {
  const { target, pid } = createStdioPeer(bundleProgram(new URL('./fixtures/sdk-v1-stdio.ts', import.meta.url)));
  return { target, stop: () => expect(isRunning(pid())).toBe(false) };
}

/** A server over HTTP whose sessions have to be gone once the client has closed. */
async function stateful(): Promise<InteropPeer> {
  const { origin, close, sessions } = await startV1Stateful();
  return {
    target: `${origin}/mcp`,
    async stop() {
      await retryUntilPasses(() => expect(sessions.size).toBe(0));
      await close();
    },
  };
}

const over = (serve: () => Promise<Listening>, path: string) => async (): Promise<InteropPeer> => {
  const { origin, close } = await serve();
  return { target: origin + path, stop: close };
};

const variants: InteropCombination[] = [
  { name: 'SDK v1 over stdio', open: stdio, info, version: '2025-11-25' },
  { name: 'SDK v1 over stdio, pinned to 2024-11-05', open: stdio, info, pin: '2024-11-05', version: '2024-11-05' },
  { name: 'SDK v1 over Streamable HTTP with sessions', open: stateful, info, version: '2025-11-25' },
  ...takePart(handshakes, 1, 2).map(pin => ({
    name: `SDK v1 over Streamable HTTP with sessions, pinned to ${pin}`,
    open: stateful,
    info,
    pin,
    version: pin,
  })),
  {
    name: 'SDK v1 over Streamable HTTP, stateless, JSON',
    open: over(startV1Stateless, '/mcp'),
    info,
    version: '2025-11-25',
    stateless: true,
    answersOnly: true,
  },
  { name: 'SDK v1 over HTTP+SSE, found by itself', open: over(startV1Sse, '/sse'), info, version: '2025-11-25' },
  {
    name: 'SDK v1 over HTTP+SSE, pinned to 2024-11-05',
    open: over(startV1Sse, '/sse'),
    info,
    pin: '2024-11-05',
    version: '2024-11-05',
  },
];

for (const variant of variants) testOurClient(variant);

describe('SDK v1 over Streamable HTTP with sessions', () => {
  it('reconnects for messages after the server has closed the stream', async () => {
    const { origin, close } = await startV1Stateful();
    const client = await connect(`${origin}/mcp`);
    expect(getText(await client.callTool('hangs-up'))).toBe('after');
    await client.close();
    await close();
  });

  it.each([
    ['that are its first', false],
    ['when the tools are known', true],
  ])('opens a new session, once for all calls %s, when the server has forgotten it', async (_, known) => {
    const { origin, close, sessions } = await startV1Stateful();
    const client = await connect<OfficialServer>(`${origin}/mcp`);
    expect(sessions.size).toBe(1);
    if (known) await client.tools.add({ a: 1, b: 1 });
    sessions.clear();
    expect(await Promise.all([1, 2, 3].map(a => client.tools.add({ a, b: 1 })))).toEqual([
      { sum: 2 },
      { sum: 3 },
      { sum: 4 },
    ]);
    expect(sessions.size).toBe(1);
    await client.close();
    await close();
  });

  it('notifies of a completed URL elicitation', async () => {
    const { origin, close } = await startV1Stateful();
    const client = await connect(`${origin}/mcp`, createAnswers());
    const visited = new Promise(resolve => client.on('elicitationComplete', resolve));
    expect(getText(await client.callTool('visit'))).toContain('accept');
    expect(await visited).toEqual({ elicitationId: 'e1' });
    await client.close();
    await close();
  });

  it('refuses a protocol version without a handshake', async () => {
    const { origin, close } = await startV1Stateful();
    await expect(connect(`${origin}/mcp`, { protocolVersion: '2026-07-28' })).rejects.toMatchObject({
      name: 'TenonError',
    });
    await close();
  });
});
