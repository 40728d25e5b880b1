import type { RecordingExport, TestExport } from '@tenon/console/api';
import { createReplayServer, parseRecording } from '@tenon/testing';
import { connect, createServer, protocolVersions, tool } from 'tenon';
import { afterEach, describe, expect, it } from 'vitest';
import { openTestConsole } from '../fixtures/console-page.js';

const SECRET = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
const text = (name: string) => ({ type: 'object' as const, properties: { [name]: { type: 'string' as const } } });
const server = createServer({
  name: 'fixture',
  version: '1.0.0',
  tools: {
    echo: tool({ input: text('message'), run: ({ message }) => `said ${String(message)}` }),
    greet: tool({
      input: { type: 'object' },
      async run(_, ctx) {
        const { content } = await ctx.elicit({ message: 'Who?', input: { ...text('name'), required: ['name'] } });
        return `Hello ${String(content?.name)}`;
      },
    }),
  },
});

let page: Awaited<ReturnType<typeof openTestConsole>> | undefined;
afterEach(async () => {
  await page?.close();
  page = undefined;
});

async function openConnected(protocolVersion: string) {
  const target = { resolved: { target: server, label: 'fixture' } };
  page = await openTestConsole({ targets: [{ target, name: 'fixture' }], connection: { protocolVersion } });
  await page.waitFor('server', event => event.server.counts !== null);
  const opened = page;
  const call = async (name: string, args: object = {}) => {
    const params = { name, arguments: args };
    const { id } = await opened.call('POST', 'calls', { server: 'fixture', method: 'tools/call', params });
    if (name === 'greet') {
      const { request } = await opened.waitFor('input-request', each => each.request.call === id);
      await opened.call('POST', `input-requests/${request.id}`, { action: 'accept', content: { name: 'Ann' } });
    }
    await opened.waitFor('call', event => event.call.id === id && event.call.took !== null);
    await opened.waitFor('wire', ({ rows }) => rows.some(row => row.call === id && row.kind === 'result'));
    return id;
  };
  const save = async (selection: object) =>
    (await (await opened.send('POST', 'recordings', selection)).json()) as RecordingExport;
  return { opened, call, save };
}

describe('the recording of a live session', () => {
  it.each([...protocolVersions])(
    'is replayed as if `tenon record` had written it, on %s [con.record]',
    async version => {
      const { call, save } = await openConnected(version);
      const [first, second] = [await call('echo', { message: 'one' }), await call('echo', { message: SECRET })];
      const all = await save({});
      expect(all).toMatchObject({ name: expect.stringMatching(/^fixture-.*\.ndjson$/), missing: 0 });
      expect(all.text).not.toContain(SECRET);
      const { messages, servers } = parseRecording(all.text);
      expect(servers).toEqual(['fixture']);
      expect(messages.map(({ ts }) => Date.parse(ts))).not.toContain(Number.NaN);
      expect(all.text.match(/\$transport\/(?:start|close)/g)).toHaveLength(2);

      const one = await save({ calls: [first] });
      const replay = createReplayServer(one.text);
      const client = await connect(replay, { protocolVersion: version, validate: 'off' });
      expect((await client.callTool('echo', { message: 'one' })).content).toEqual([{ type: 'text', text: 'said one' }]);
      await client.close();
      expect([...replay.mismatches, ...replay.remaining]).toEqual([]);
      expect(one.text).not.toContain('tools/list');
      expect((await save({ calls: [second] })).text.split('\n').length).toBe(one.text.split('\n').length);
    },
  );

  it('contains both messages of each selected request', async () => {
    const { opened, call, save } = await openConnected('2025-11-25');
    const id = await call('echo', { message: 'one' });
    const request = opened.rows().find(row => row.call === id && row.kind === 'request');
    const { messages } = parseRecording((await save({ messages: [request?.seq] })).text);
    expect(messages.filter(({ message }) => !JSON.stringify(message).includes('initialize'))).toMatchObject([
      { dir: 'recv', message: { result: { serverInfo: {} } } },
      { dir: 'send', message: { method: 'tools/call' } },
      { dir: 'recv', message: { result: { content: [{ text: 'said one' }] } } },
    ]);
  });

  it('is refused for messages that do not exist', async () => {
    const { opened } = await openConnected('2025-11-25');
    const response = await opened.send('POST', 'recordings', { messages: [99_999] });
    expect(await response.json()).toMatchObject({ error: { code: 'console/unknown' } });
  });
});

describe('the test of a call', () => {
  it.each(['2025-11-25', '2026-07-28'])(
    'names the behaviour, the input and the result on %s [con.record]',
    async version => {
      const { opened, call } = await openConnected(version);
      const calls = [await call('greet')];
      const { name, text: written } = (await (await opened.send('POST', 'tests', { calls })).json()) as TestExport;
      expect(name).toBe('greet.test.ts');
      expect(written).toContain(`it('greet: requests input (Who?), and returns "Hello Ann"', async () => {
  const server = createReplayServer(greetRecording);
  await using client = await connect(server, {
    protocolVersion: '${version}',
    validate: 'off',
    elicit({ message }) {
      expect(message).toBe('Who?');
      return { action: 'accept', content: { name: 'Ann' } };
    },
  });

  const result = await client.callTool('greet');

  expect(result.content).toEqual([{ type: 'text', text: 'Hello Ann' }]);
  expect(server.mismatches).toEqual([]);
});
`);
    },
  );
});

describe('a call with a fault', () => {
  const plan = async (version: string, body: object) => {
    const { opened, call, save } = await openConnected(version);
    await opened.send('POST', 'servers/fixture/faults', { on: 'response', repeat: false, ...body });
    const id = await call('echo', { message: 'one' });
    return { opened, id, save };
  };

  it('is written as a test that injects the fault, and expects what the caller got [con.record]', async () => {
    const { opened, id } = await plan('2026-07-28', { kind: 'replace', result: { content: [], token: SECRET } });
    const { text: written } = (await (await opened.send('POST', 'tests', { calls: [id] })).json()) as TestExport;
    expect(written).toContain("import { createReplayServer, replaceWith, withFaults } from '@tenon/testing';");
    expect(written).toContain("it('echo: returns the recorded result if the result is replaced', async () => {");
    expect(written).toContain(`    // Message 1 from the server, counted from 0, is the response of tools/call.
    wrapTransport: transport =>
      withFaults(transport, { receive: (message, index) => (index === 1 ? replaceWith(Object.assign({}, message, { result: `);
    expect(written).toContain('  expect(result.content).toEqual([]);');
    expect(written).toContain("text: 'said one'");
    expect(written).not.toContain(SECRET);
  });

  it('keeps the fault in a recording, and is shown with it', async () => {
    const { opened, id, save } = await plan('2025-11-25', { kind: 'duplicate' });
    const { text: saved } = await save({ calls: [id] });
    const marked = parseRecording(saved).messages.filter(({ fault }) => fault);
    expect(marked).toMatchObject([{ dir: 'recv', fault: { kind: 'duplicate' }, message: { result: {} } }]);
    const { name } = await opened.call('POST', 'recordings/open', { name: 'fault.ndjson', text: saved });
    const read = (await (await opened.send('GET', `recordings/${name}?after=0`)).json()) as {
      readonly rows: readonly { readonly method: string; readonly fault?: string }[];
    };
    expect(read.rows.map(({ method, fault }) => [method, fault])).toContainEqual(['tools/call', 'duplicate']);
  });
});
