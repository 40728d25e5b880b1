import { createTransportPair } from 'tenon';
import { describe, expect, it } from 'vitest';
import { connectPair } from '../../connect-pair.js';
import { recordSession } from '../fixtures/record-session.js';
import { parseRecording } from '../parse-recording.js';
import { replayToServer } from './replay-client.js';
import { createReplayServer, type ReplayServerOptions } from './replay-server.js';

const HANDSHAKE = { protocolVersion: '2025-06-18' } as const;
const STATELESS = { protocolVersion: '2026-07-28' } as const;

describe.each([HANDSHAKE, STATELESS])('a replay on %j', version => {
  const replay = (text: string, options?: ReplayServerOptions) => {
    const server = createReplayServer(text, options);
    return { server, connect: (more = {}) => connectPair(server, { ...version, ...more }) };
  };

  it('responds to the recorded requests in their order [cli.replay]', async () => {
    const text = await recordSession(async client => {
      await client.callTool('count');
      await client.callTool('count');
      await client.readResource('note://a');
      await client.getPrompt('hello');
      await client.callTool('fail');
    }, version);
    const { server, connect } = replay(text);
    const client = await connect();
    expect((await client.callTool('count')).structuredContent).toEqual({ count: 1 });
    expect((await client.callTool('count')).structuredContent).toEqual({ count: 2 });
    expect((await client.readResource('note://a')).contents).toMatchObject([{ text: 'Hide glue' }]);
    expect((await client.getPrompt('hello')).messages).toHaveLength(1);
    expect(server.remaining).toEqual([expect.stringContaining('fail')]);
    expect(await client.callTool('fail')).toMatchObject({ isError: true });
    expect(server.mismatches).toEqual([]);
    expect(server.remaining).toEqual([]);
    expect(client.server.info?.name).toBe('notes');
    await client.close();
  });

  it('takes the result of parseRecording in place of its text', async () => {
    const recording = parseRecording(await recordSession(client => client.callTool('count'), version));
    const server = createReplayServer(recording);
    const report = await replayToServer(recording, async () => {
      const pair = createTransportPair();
      await server.connect(pair.server);
      return pair.client;
    });
    expect(report).toMatchObject({ ok: true, differences: [] });
    expect(server.mismatches).toEqual([]);
  });

  it('refuses another request, and names the expected and the nearest one [cli.replay]', async () => {
    const text = await recordSession(async client => {
      await client.callTool('echo', { message: 'first' });
      await client.callTool('echo', { message: 'second' });
    }, version);
    const { server, connect } = replay(text);
    const client = await connect();
    await expect(client.callTool('echo', { message: 'second' })).rejects.toMatchObject({
      rpcCode: -32600,
      message: expect.stringMatching(/"first".*nearest recorded request.*"second".*line \d+/s),
    });
    await expect(client.callTool('none')).rejects.toThrow('not match the recording');
    expect(server.mismatches).toHaveLength(2);
    expect((await client.callTool('echo', { message: 'first' })).content).toMatchObject([{ type: 'text' }]);
    await client.close();
  });

  it('responds with the nearest recorded request with `lenient` [cli.replay]', async () => {
    const text = await recordSession(async client => {
      await client.callTool('echo', { message: 'first' });
      await client.callTool('echo', { message: 'second', n: 1 });
    }, version);
    const { server, connect } = replay(text, { mode: 'lenient' });
    const client = await connect();
    const echo = async (input: object) => JSON.stringify((await client.callTool('echo', { ...input })).content);
    expect(await echo({ message: 'second', n: 1 })).toContain('second');
    expect(await echo({ message: 'second', n: 1 })).toContain('second');
    expect(await echo({ message: 'third', n: 1 })).toContain('second');
    expect(await echo({ message: 'third' })).toContain('first');
    await expect(client.callTool('count')).rejects.toThrow('not match the recording');
    expect(server.mismatches).toHaveLength(1);
    await client.close();
  });

  it('sends progress with the token of the new client [cli.replay]', async () => {
    const progress: unknown[] = [];
    const onProgress = (each: unknown) => progress.push(each);
    const text = await recordSession(client => client.callTool('slow', {}, { onProgress }), version);
    expect(progress.splice(0)).toHaveLength(1);
    const client = await replay(text).connect();
    await client.call('ping').catch(() => {});
    await client.callTool('slow', {}, { onProgress });
    expect(progress).toMatchObject([{ progress: 1, total: 2 }]);
    await client.close();
  });

  it('repeats input requests, and compares the responses [cli.replay]', async () => {
    const accept = { elicit: () => ({ action: 'accept' as const, content: { yes: true } }) };
    const text = await recordSession(client => client.callTool('remove'), { ...version, ...accept });
    const questions: string[] = [];
    const elicit = ({ message }: { message: string }) => {
      questions.push(message);
      return { action: 'accept' as const, content: { yes: true } };
    };
    const client = await replay(text).connect({ elicit });
    expect((await client.callTool('remove')).content).toMatchObject([{ text: 'removed' }]);
    expect(questions).toEqual(['Remove it?']);
    await client.close();

    const other = replay(text);
    const declining = await other.connect({ elicit: () => ({ action: 'decline' as const }) });
    await expect(declining.callTool('remove')).rejects.toThrow(/recording/);
    expect(other.server.mismatches).toHaveLength(1);
    await declining.close();
  });
});

it('responds in any order to requests that were sent at the same time [cli.replay]', async () => {
  const text = await recordSession(
    client => Promise.all([client.callTool('echo', { message: 'a' }), client.callTool('echo', { message: 'b' })]),
    HANDSHAKE,
  );
  const server = createReplayServer(text);
  const client = await connectPair(server, HANDSHAKE);
  await client.callTool('echo', { message: 'b' });
  await client.callTool('echo', { message: 'a' });
  expect(server.mismatches).toEqual([]);
  await client.close();
});

it('accepts a client of another version, which falls back to the recorded one [cli.replay]', async () => {
  const session = await connectPair(
    createReplayServer(await recordSession(client => client.callTool('count'), HANDSHAKE)),
  );
  expect(session.server.protocolVersion).toBe('2025-06-18');
  await session.close();
  const stateless = await connectPair(
    createReplayServer(await recordSession(client => client.callTool('count'), STATELESS)),
  );
  expect(stateless.server.protocolVersion).toBe('2026-07-28');
  await stateless.close();
});

it('replays each connection of a recording, and then starts again', async () => {
  const one = await recordSession(client => client.callTool('echo', { message: 'one' }), HANDSHAKE);
  const two = await recordSession(client => client.callTool('echo', { message: 'two' }), HANDSHAKE);
  const server = createReplayServer(one + two.replaceAll('"session":1', '"session":2'));
  for (const message of ['one', 'two', 'one']) {
    const client = await connectPair(server, HANDSHAKE);
    expect(JSON.stringify(await client.callTool('echo', { message }))).toContain(message);
    await client.close();
  }
  expect(server.mismatches).toEqual([]);
});
