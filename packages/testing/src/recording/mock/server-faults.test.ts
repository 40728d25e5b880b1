import { describe, expect, it, vi } from 'vitest';
import { connectPair } from '../../connect-pair.js';
import { fakeClock } from '../../fake-clock.js';
import { createNotesServer } from '../fixtures/notes-server.js';
import { type ServerFaultOptions, withServerFaults } from './server-faults.js';

describe.each(['2025-06-18', '2026-07-28'] as const)('faults on %s', protocolVersion => {
  const open = (options: ServerFaultOptions, more: object = {}) =>
    connectPair(withServerFaults(createNotesServer(), options), { protocolVersion, ...more });

  it('respond with an error, or with a malformed response [cli.mock]', async () => {
    const client = await open({ faults: { 'tools/call:count': 'error', 'tools/call:echo': 'malformed' } });
    await expect(client.callTool('count')).rejects.toMatchObject({ rpcCode: -32603 });
    await expect(client.callTool('echo')).rejects.toMatchObject({ code: expect.stringMatching(/^peer\//) });
    expect((await client.callTool('slow')).content).toHaveLength(1);
    await client.close();
  });

  it('send no response, or close the connection [cli.mock]', async () => {
    const closeConnection = vi.fn();
    const faults = { 'tools/call:count': 'timeout', 'tools/call:echo': 'close' } as const;
    const client = await open({ faults, closeConnection });
    await expect(client.callTool('count', {}, { idleTimeout: 20 })).rejects.toMatchObject({ code: 'call/timeout' });
    await expect(client.callTool('echo')).rejects.toMatchObject({
      code: expect.stringMatching(/^(connection|call)\//),
    });
    expect(closeConnection).toHaveBeenCalled();
    await client.close();
  });

  it('fail a share of the calls, the same calls with the same seed [cli.mock]', async () => {
    const run = async (seed: number) => {
      const client = await open({ failRate: 0.5, seed });
      const outcomes: boolean[] = [];
      for (let call = 0; call < 20; call += 1) {
        outcomes.push(
          await client.callTool('slow').then(
            () => true,
            () => false,
          ),
        );
      }
      await client.close();
      return outcomes;
    };
    const first = await run(1);
    expect(first).toEqual(await run(1));
    expect(first).not.toEqual(await run(2));
    expect(new Set(first).size).toBe(2);
  });

  it('delay each response [cli.mock]', async () => {
    const clock = fakeClock();
    const opening = open({ delay: 500, clock });
    const ticking = setInterval(() => clock.advance(100), 1);
    const client = await opening;
    clearInterval(ticking);
    let isDone = false;
    const call = client.callTool('slow').then(() => {
      isDone = true;
    });
    await new Promise(resolve => setImmediate(resolve));
    clock.advance(499);
    await new Promise(resolve => setImmediate(resolve));
    expect(isDone).toBe(false);
    const later = setInterval(() => clock.advance(500), 1);
    await call;
    clearInterval(later);
    await client.close();
  });
});
