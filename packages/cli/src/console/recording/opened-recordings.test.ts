import type { CallDetail, CallView, ConsoleEvent, RecordedSession, RecordingExport } from '@tenon/console/api';
import { createServer, protocolVersions, tool } from 'tenon';
import { afterEach, describe, expect, it } from 'vitest';
import { openTestConsole } from '../fixtures/console-page.js';

const text = (name: string) => ({ type: 'object' as const, properties: { [name]: { type: 'string' as const } } });
const server = createServer({
  name: 'fixture',
  version: '1.0.0',
  tools: {
    read: tool({
      input: text('title'),
      annotations: { readOnlyHint: true },
      run: ({ title }) => `read ${String(title)}`,
    }),
    greet: tool({
      input: text('topic'),
      async run(_, ctx) {
        const { content } = await ctx.elicit({ message: 'Who?', input: { ...text('name'), required: ['name'] } });
        return `Hello ${String(content?.name)}`;
      },
    }),
    broken: tool({ input: { type: 'object' }, run: (_, ctx) => ctx.fail('It is broken.') }),
  },
});

type Page = Awaited<ReturnType<typeof openTestConsole>>;
const pages: Page[] = [];
afterEach(async () => {
  for (const page of pages.splice(0)) await page.close();
});

async function openPage(options: Parameters<typeof openTestConsole>[0] = {}): Promise<Page> {
  const page = await openTestConsole({
    targets: [{ name: 'fixture', target: { resolved: { target: server, label: 'fixture' } } }],
    ...options,
  });
  pages.push(page);
  return page;
}

const read = async <T>(page: Page, path: string): Promise<T> => (await (await page.send('GET', path)).json()) as T;

/** Answers the next input request or approval of a server. */
async function answer(page: Page, kind: string, response: object): Promise<void> {
  const isAnswered = (id: number) =>
    page.events.some(each => each.type === 'input-request' && each.request.id === id && each.request.state !== 'open');
  const { request } = await page.waitFor(
    'input-request',
    (event: Extract<ConsoleEvent, { type: 'input-request' }>) =>
      event.request.kind === kind && !isAnswered(event.request.id),
  );
  await page.call('POST', `input-requests/${request.id}`, response);
}

/** Calls three tools, and returns the recording of the session. */
async function record(protocolVersion: string): Promise<{ readonly page: Page; readonly recording: RecordingExport }> {
  const page = await openPage({ connection: { protocolVersion } });
  await page.waitFor('server', event => event.server.counts !== null);
  for (const [name, args] of [
    ['read', { title: 'Glue' }],
    ['greet', { topic: 'a' }],
    ['broken', {}],
  ] as const) {
    const params = { name, arguments: args };
    const { id } = await page.call('POST', 'calls', { server: 'fixture', method: 'tools/call', params });
    if (name === 'greet') await answer(page, 'form', { action: 'accept', content: { name: 'Ann' } });
    await page.waitFor('call', ({ call }) => call.id === id && call.took !== null);
    await page.waitFor('wire', ({ rows }) => rows.some(row => row.call === id && row.kind === 'result'));
  }
  return { page, recording: (await (await page.send('POST', 'recordings', {})).json()) as RecordingExport };
}

describe('an open recording', () => {
  it.each(protocolVersions.filter(version => version >= '2025-06-18'))(
    'has the messages, the calls and their rounds of the live session on %s [con.record]',
    async version => {
      const { page, recording } = await record(version);
      const { name } = await page.call('POST', 'recordings/open', { name: '../a b.ndjson', text: recording.text });
      expect(name).toBe('ab.ndjson');
      await page.waitFor('recording', event => event.recording.name === name);
      const session = await read<RecordedSession>(page, `recordings/${name}`);
      const live = page.rows();
      const toComparable = ({ time: _, took: __, version: ___, connection: ____, ...row }: (typeof live)[number]) =>
        row;
      expect(session.rows.map(toComparable)).toEqual(live.map(toComparable));
      const calls = [1, 2, 3].map(id => page.events.findLast(each => each.type === 'call' && each.call.id === id));
      expect(session.calls).toMatchObject(
        calls.map(event => {
          if (event?.type !== 'call') throw new Error('the call is missing');
          const { startedAt: _, took: __, progress: ___, ...call } = event.call;
          return call;
        }),
      );
      expect(await read<CallDetail>(page, `recordings/${name}/calls/2`)).toMatchObject({
        params: { name: 'greet', arguments: { topic: 'a' } },
        result: { content: [{ text: 'Hello Ann' }] },
        rounds: version < '2026' ? 1 : 2,
      });
      expect(await read(page, `recordings/${name}/wire/1`)).toMatchObject({ row: { seq: 1 }, cuts: [] });
      const found = await page.call('POST', `recordings/${name}/wire/search`, { texts: ['it is broken'], after: 0 });
      expect(found.found[0]).toHaveLength(1);
    },
  );

  it('is replayed on a live server: at once if the tool only reads, else after an approval [con.record]', async () => {
    const { page, recording } = await record('2025-11-25');
    const { name } = await page.call('POST', 'recordings/open', { name: 'bug.ndjson', text: recording.text });
    const replay = (call: number) => page.send('POST', `recordings/${name}/replay`, { call, server: 'fixture' });
    const started = (await (await replay(1)).json()) as CallView;
    await page.waitFor('call', ({ call }) => call.id === started.id && call.state === 'done');
    expect(await read<CallDetail>(page, `calls/${started.id}`)).toMatchObject({
      result: { content: [{ text: 'read Glue' }] },
    });
    const declined = replay(3);
    await answer(page, 'approval', { action: 'decline' });
    expect(await (await declined).json()).toMatchObject({ error: { code: 'console/not-approved' } });
    await page.waitFor('input-request', ({ request }) => request.kind === 'approval' && request.state === 'answered');
    const accepted = replay(3);
    await answer(page, 'approval', { action: 'accept' });
    expect(await (await accepted).json()).toMatchObject({ name: 'broken', server: 'fixture' });
  });

  it('is not replayed without its secrets', async () => {
    const { page, recording } = await record('2025-11-25');
    const hidden = recording.text.replaceAll('"Glue"', '"…"');
    const { name } = await page.call('POST', 'recordings/open', { name: 'bug.ndjson', text: hidden });
    const response = await page.send('POST', `recordings/${name}/replay`, { call: 1, server: 'fixture' });
    expect(await response.json()).toMatchObject({ error: { cause: expect.stringContaining('secrets') } });
  });

  it('is the view at the start if the user names nothing else, and a wrong file is refused', async () => {
    const { recording } = await record('2025-11-25');
    const page = await openPage({ targets: [], recordings: [{ name: 'bug.ndjson', text: recording.text }] });
    await page.waitFor('recording');
    expect(page.address).toContain('/recordings/bug.ndjson#token=');
    const response = await page.send('POST', 'recordings/open', { name: 'a', text: 'no recording\n{}' });
    expect(await response.json()).toMatchObject({ error: { code: 'recording/invalid' } });
  });
});
