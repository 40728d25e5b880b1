import { createServer, prompt, resource, tasks, tool } from 'tenon';
import { afterEach, describe, expect, it } from 'vitest';
import { openTestConsole } from './fixtures/console-page.js';

let release = () => {};
const released = new Promise<void>(resolve => {
  release = resolve;
});

const server = createServer({
  name: 'fixture',
  version: '1.0.0',
  extensions: [tasks()],
  tools: {
    change: tool({
      annotations: { readOnlyHint: true },
      input: { type: 'object' },
      run() {
        server.notifyResourceUpdated('note://Glue');
        return 'changed';
      },
    }),
    job: tool({ task: 'required', input: { type: 'object' }, run: () => released.then(() => 'finished') }),
    endless: tool({
      task: 'required',
      input: { type: 'object' },
      run: (_, { signal }) =>
        new Promise<string>(resolve => signal.addEventListener('abort', () => resolve('stopped'))),
    }),
  },
  resources: {
    'note://Glue': resource({ name: 'glue', read: () => 'steam' }),
    'note://{title}/{part}': resource({
      name: 'part',
      complete: { title: start => ['Glue', 'Grain', 'Finish'].filter(each => each.startsWith(start)) },
      read: ({ title, part }) => `${title} ${part}`,
    }),
  },
  prompts: {
    review: prompt({
      complete: { tone: ['kind', 'blunt'] },
      input: toneInput(),
      run: ({ tone }) => `be ${String(tone)}`,
    }),
  },
});

function toneInput() {
  return { type: 'object' as const, properties: { tone: { type: 'string' as const } } };
}

let page: Awaited<ReturnType<typeof openTestConsole>> | undefined;
afterEach(async () => {
  await page?.close();
  page = undefined;
});

async function openConnected() {
  const opened = await openTestConsole({
    targets: [{ name: 'fixture', target: { resolved: { target: server, label: 'fixture' } } }],
  });
  page = opened;
  await opened.waitFor('server', event => event.server.counts !== null);
  return opened;
}

describe('a server of the console', () => {
  it('completes variables of templates and arguments of prompts', async () => {
    const opened = await openConnected();
    const template = 'note://{title}/{part}';
    expect(
      await opened.call('POST', 'servers/fixture/complete', { ref: { uri: template }, name: 'title', value: 'G' }),
    ).toMatchObject({ values: ['Glue', 'Grain'] });
    expect(
      await opened.call('POST', 'servers/fixture/complete', { ref: { name: 'review' }, name: 'tone', value: 'b' }),
    ).toMatchObject({ values: ['blunt'] });
  });

  it('replaces the variables of a template by encoded values, as `tenon read` does', async () => {
    const opened = await openConnected();
    const template = 'note://{title}/{part}';
    expect(await opened.call('POST', 'servers/fixture/expand', { template })).toEqual({
      variables: ['title', 'part'],
      uri: null,
    });
    expect(
      await opened.call('POST', 'servers/fixture/expand', { template, values: { title: 'a b', part: 'c/d' } }),
    ).toMatchObject({ uri: 'note://a%20b/c%2Fd' });
    expect(await opened.call('POST', 'servers/fixture/expand', { template, values: { title: 'a' } })).toMatchObject({
      error: { cause: expect.stringContaining('part') },
    });
  });

  it('shows its capabilities, and refuses unknown features and levels', async () => {
    const opened = await openConnected();
    expect(await opened.call('POST', 'servers/fixture/capabilities')).toMatchObject({
      capabilities: { resources: { subscribe: true } },
    });
    expect(await opened.call('POST', 'servers/fixture/log-level', { level: 'loud' })).toMatchObject({
      error: { cause: expect.stringContaining('level') },
    });
    expect(await opened.call('POST', 'servers/fixture/__proto__')).toMatchObject({
      error: { code: 'console/not-found' },
    });
  });

  it('reports each change of a watched resource until the subscription is stopped [con.subs]', async () => {
    const opened = await openConnected();
    const { id } = await opened.call('POST', 'servers/fixture/subscribe', { uris: ['note://Glue'] });
    await expect.poll(() => opened.rows().some(row => /acknowledged|subscribe/.test(row.method))).toBe(true);
    const change = () =>
      opened.call('POST', 'calls', { server: 'fixture', method: 'tools/call', params: { name: 'change' } });
    // The server takes the subscription some time after the request.
    await expect
      .poll(async () => {
        await change();
        return opened.events.some(event => event.type === 'subscription' && event.subscription.count > 0);
      })
      .toBe(true);
    const { subscription } = await opened.waitFor('subscription', event => event.subscription.count > 0);
    expect(subscription).toMatchObject({ id, server: 'fixture', isActive: true, uris: ['note://Glue'] });
    expect(subscription.changes[0]).toMatchObject({ changed: 'note://Glue' });
    await opened.call('DELETE', `subscriptions/${id}`);
    await opened.waitFor('subscription', event => !event.subscription.isActive);
    expect(await opened.call('POST', 'servers/fixture/subscribe', { uris: [] })).toMatchObject({
      error: { cause: expect.stringContaining('nothing to watch') },
    });
  });

  it('shows the states of a task over time, and cancels one [con.tasks]', async () => {
    const opened = await openConnected();
    const call = (name: string) =>
      opened.call('POST', 'calls', { server: 'fixture', method: 'tools/call', params: { name, arguments: {} } });
    const job = await call('job');
    await opened.waitFor('call', event => event.call.id === job.id && event.call.task !== null);
    release();
    const done = await opened.waitFor('call', event => event.call.id === job.id && event.call.state === 'done');
    expect(done.call.task?.states.map(each => each.status)).toEqual(['working', 'completed']);
    expect(await opened.call('GET', `calls/${job.id}`)).toMatchObject({ result: { content: [{ text: 'finished' }] } });
    const endless = await call('endless');
    const running = await opened.waitFor('call', event => event.call.id === endless.id && event.call.task !== null);
    await opened.call('POST', 'servers/fixture/cancel-task', { taskId: running.call.task?.taskId });
    const over = await opened.waitFor('call', event => event.call.id === endless.id && event.call.took !== null);
    expect(over.call.task?.states.at(-1)?.status).toBe('cancelled');
  });
});
