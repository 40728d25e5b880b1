import { createServer, createTransportPair, tool } from 'tenon';
import { expect, it } from 'vitest';
import { fakeClock } from '../../fake-clock.js';
import { createNotesServer } from '../fixtures/notes-server.js';
import { recordSession } from '../fixtures/record-session.js';
import { type ReplayClientOptions, replayToServer } from './replay-client.js';

type NotesServer = ReturnType<typeof createNotesServer>;

function replay(text: string, server: Pick<NotesServer, 'connect'>, options?: ReplayClientOptions) {
  const open = async () => {
    const pair = createTransportPair();
    await server.connect(pair.server);
    return pair.client;
  };
  return replayToServer(text, open, options);
}

/** Creates a clock whose timers run soon, in their order. */
function createRunningClock() {
  const clock = fakeClock();
  const after: typeof clock.after = (ms, run) => {
    setImmediate(() => setImmediate(() => clock.advance(ms)));
    return clock.after(ms, run);
  };
  return { ...clock, after };
}

const accept = { elicit: () => ({ action: 'accept' as const, content: { yes: true } }) };

it.each(['2025-06-18', '2026-07-28'] as const)(
  'reports no difference for the same server on %s [cli.replay]',
  async protocolVersion => {
    const text = await recordSession(
      async client => {
        await client.callTool('count');
        await client.callTool('slow', {}, { onProgress: () => {} });
        await client.callTool('remove');
        await client.callTool('none').catch(() => {});
      },
      { protocolVersion, ...accept },
    );
    const report = await replay(text, createNotesServer());
    expect(report).toMatchObject({ ok: true, differences: [] });
    expect(report.compared).toBe(report.requests);
    expect(report.requests).toBeGreaterThan(5);
  },
);

it('reports different values with their paths, and ignores selected paths [cli.replay]', async () => {
  const text = await recordSession(async client => {
    await client.callTool('count');
    await client.callTool('count');
  });
  const server = createNotesServer();
  const again = recordSession(client => client.callTool('count'), {}, server);
  await again;
  const { ok, differences } = await replay(text, server);
  expect(ok).toBe(false);
  expect(differences).toHaveLength(2);
  expect(differences[0]).toMatchObject({ method: 'tools/call', request: 'tools/call {"name":"count"}' });
  expect(differences[0]?.values).toContainEqual({ path: '/result/structuredContent/count', recorded: 1, received: 2 });
  expect(await replay(text, server, { ignore: ['count', '/content/*/text'] })).toMatchObject({ ok: true });
});

it('ignores values of the structured content also in the text that repeats them', async () => {
  const text = await recordSession(client => client.callTool('count'));
  const server = createNotesServer();
  await recordSession(client => client.callTool('count'), {}, server);
  const { differences } = await replay(text, server);
  const paths = differences.flatMap(({ values }) => values.map(({ path }) => path));
  expect(paths).toEqual(['/result/content/0/text/count', '/result/structuredContent/count']);
  for (const ignore of [['count'], ['/structuredContent/count'], paths, ['/result/structuredContent/*']])
    expect(await replay(text, server, { ignore })).not.toHaveProperty('unmatchedIgnores');
  for (const ignore of [['count'], ['/structuredContent/count'], paths])
    expect(await replay(text, server, { ignore })).toMatchObject({ ok: true });
});

it('reports ignored paths without a match', async () => {
  const text = await recordSession(client => client.callTool('count'));
  const report = await replay(text, createNotesServer(), { ignore: ['count', 'cuont', '/content/0/texts'] });
  expect(report).toMatchObject({ ok: true, unmatchedIgnores: ['cuont', '/content/0/texts'] });
});

it('reports a closed connection for each request at once, also for later ones [cli.replay]', async () => {
  const text = await recordSession(async client => {
    await client.callTool('count');
    await client.callTool('count');
  });
  const open = async () => {
    const pair = createTransportPair();
    await pair.server.open({
      onMessage: () => pair.server.close(),
      onParseError() {},
      onResponseLost() {},
      onClose() {},
    });
    return pair.client;
  };
  // The clock never advances, so a request that waited for its timeout would never end.
  const { requests, differences } = await replayToServer(text, open, { clock: fakeClock() });
  expect(differences.map(({ summary }) => summary)).toEqual(
    Array.from({ length: requests }, () => expect.stringContaining('closed')),
  );
  expect(requests).toBeGreaterThan(2);
});

it('reports requests that the server no longer sends, and calls without a response [cli.replay]', async () => {
  const text = await recordSession(client => client.callTool('remove'), { protocolVersion: '2025-06-18', ...accept });
  const silent = createServer({ name: 'notes', version: '1.0.0', tools: { remove: tool({ run: () => 'removed' }) } });
  const { differences } = await replay(text, silent, { timeout: 500, clock: createRunningClock() });
  expect(differences.map(({ method, summary }) => [method, summary])).toContainEqual([
    'elicitation/create',
    'the server did not send this recorded request',
  ]);
  const hanging = createServer({
    name: 'notes',
    version: '1.0.0',
    tools: { remove: tool({ run: () => new Promise<string>(() => {}) }) },
  });
  const late = replay(text, hanging, { clock: createRunningClock(), timeout: 1000 });
  expect((await late).differences.map(({ summary }) => summary)).toContain('no response within 1000 ms');
});
