import { createTransportPair } from 'tenon';
import { describe, expect, it } from 'vitest';
import { connectPair } from '../../connect-pair.js';
import { createNotesServer } from '../fixtures/notes-server.js';
import { parseLines } from '../fixtures/record-session.js';
import { createRecorder } from '../recorder.js';
import { createReplayServer } from '../replay/replay-server.js';
import { createRecordingProxy } from './recording-proxy.js';

function createProxy() {
  const lines: string[] = [];
  const server = createNotesServer();
  const proxy = createRecordingProxy({
    recorder: createRecorder({ server: 'notes', write: line => lines.push(line) }),
    async openUpstream() {
      const pair = createTransportPair();
      await server.connect(pair.server);
      return pair.client;
    },
  });
  return { proxy, getText: () => lines.join('') };
}

const accept = { elicit: () => ({ action: 'accept' as const, content: { yes: true } }) };

describe.each(['2024-11-05', '2025-06-18', '2026-07-28'] as const)('a recording proxy on %s', protocolVersion => {
  it('forwards and records all messages of both sides [cli.record]', async () => {
    const { proxy, getText } = createProxy();
    const options = { protocolVersion, ...(protocolVersion === '2024-11-05' ? {} : accept) };
    const client = await connectPair(proxy, options);
    const progress: unknown[] = [];
    const work = async (each: typeof client) => {
      expect((await each.callTool('slow', {}, { onProgress: state => progress.push(state) })).content).toHaveLength(1);
      if (protocolVersion !== '2024-11-05')
        expect((await each.callTool('remove')).content).toMatchObject([{ text: 'removed' }]);
      expect(await each.callTool('fail')).toMatchObject({ isError: true });
      await expect(each.readResource('note://none')).rejects.toMatchObject({ rpcCode: expect.any(Number) });
    };
    await work(client);
    await client.close();
    await proxy.close();
    expect(progress).toHaveLength(1);
    const methods = parseLines(getText()).map(({ method }) => method);
    expect(methods).toContain('notifications/progress');
    if (protocolVersion === '2025-06-18') expect(methods).toContain('elicitation/create');

    const replay = createReplayServer(getText());
    const again = await connectPair(replay, options);
    await work(again);
    expect(replay.mismatches).toEqual([]);
    expect(replay.remaining).toEqual([]);
    await again.close();
  });
});

it('closes the connection to the server when the client closes its own', async () => {
  const { proxy, getText } = createProxy();
  const client = await connectPair(proxy);
  await client.close();
  await new Promise(resolve => setImmediate(resolve));
  expect(parseLines(getText()).at(-1)).toMatchObject({ method: '$transport/close' });
});
