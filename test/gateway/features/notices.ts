import type { ChangeEvent, Progress, WatchOptions } from 'tenon';
import { expect } from 'vitest';
import type { Combination } from '../combination.js';
import { collectAll, type Feature, waitUntil } from '../feature.js';
import { newest } from '../pair.js';

type RecordedRequest = Record<string, unknown>;

/** Watches, and is ready only when the other end has said that it watches too. */
async function watching({ client, clientSide, pair }: Combination, what: WatchOptions) {
  const seen: ChangeEvent[] = [];
  const stop = new AbortController();
  const done = (async () => {
    for await (const change of client.watch(what, { signal: stop.signal })) seen.push(change);
  })();
  // A probe that fails meanwhile tells of itself.
  done.catch(() => {});
  const [uri] = what.uris ?? [];
  const confirmed = () => {
    if (pair.client !== newest)
      return uri === undefined || clientSide.answers('resources/subscribe', params => params.uri === uri).length > 0;
    const reports = clientSide.sent('server', 'notifications/subscriptions/acknowledged');
    return reports.some(({ notifications }) => {
      const { resourceSubscriptions, toolsListChanged } = notifications as RecordedRequest;
      return uri === undefined ? toolsListChanged === true : (resourceSubscriptions as string[])?.includes(uri);
    });
  };
  await waitUntil(confirmed, `the server watches ${JSON.stringify(what)}`);
  return {
    seen,
    async stop() {
      stop.abort();
      await done;
    },
  };
}

const calls: readonly Feature[] = [
  {
    crosses: 'progress',
    name: 'all of it, in order, before the answer',
    async probe({ client }) {
      const seen: Progress[] = [];
      await client.callTool('works', { steps: 3 }, { onProgress: report => seen.push(report) });
      return seen.map(({ progress, total }) => [progress, total]);
    },
    seen: () => [1, 2, 3].map(step => [step, 3]),
  },
  {
    crosses: 'progress',
    name: 'its messages',
    async probe({ client }) {
      const seen: unknown[] = [];
      await client.callTool('works', { steps: 2 }, { onProgress: ({ message = 'unsaid' }) => seen.push(message) });
      return seen;
    },
    seen: () => ['step 1', 'step 2'],
  },
  {
    crosses: 'cancellation',
    name: 'of one call, which the server gives up, and no other',
    async probe({ client, tag }) {
      let begun = 0;
      const [stop, other] = [new AbortController(), new AbortController()];
      const [lost, stored] = [`lost ${tag}`, `kept ${tag}`];
      const onProgress = () => void begun++;
      const calls = [
        client.callTool('waits', { name: lost }, { signal: stop.signal, onProgress }),
        client.callTool('waits', { name: stored }, { signal: other.signal, onProgress }),
      ].map(call => call.catch(({ code }) => code));
      const givenUp = async (name: string) => (await client.tools.cancelled()).names.includes(name);
      await waitUntil(() => begun === 2, 'both calls have begun');
      stop.abort('enough');
      await waitUntil(() => givenUp(lost), 'the server gives the call up');
      const spared = !(await givenUp(stored));
      other.abort();
      await waitUntil(() => givenUp(stored), 'the server gives the other call up');
      return [await Promise.all(calls), spared];
    },
    seen: () => [['call/aborted', 'call/aborted'], true],
  },
  {
    crosses: 'logging',
    name: 'from the level that was asked for, before the answer',
    async probe({ client }) {
      const seen: string[] = [];
      const off = client.on('log', ({ level, logger, data }) => {
        if (logger === 'tale') seen.push(`${level} ${(data as { said: string }).said}`);
      });
      await client.setLogLevel('error');
      await client.callTool('logs');
      const few = seen.splice(0);
      await client.setLogLevel('debug');
      await client.callTool('logs');
      off();
      return [few, seen.length];
    },
    seen: () => [['error', 'critical', 'alert', 'emergency'].map(level => `${level} ${level}`), 8],
  },
];

const changes: readonly Feature[] = [
  {
    crosses: 'subscriptions',
    name: 'to a resource: its changes and no others, until it is left',
    async probe(setup) {
      const { client } = setup;
      const uri = 'note://by/a';
      const watch = await watching(setup, { uris: [uri] });
      await client.tools.touch({ uri: 'note://by/b' });
      await client.tools.touch({ uri });
      await waitUntil(() => watch.seen.length > 0, 'the change is told of');
      await watch.stop();
      const countUpdates = () => setup.serverSide.sent('server', 'notifications/resources/updated').length;
      await waitUntil(async () => {
        const before = countUpdates();
        await client.tools.touch({ uri });
        await client.callTool('later');
        return countUpdates() === before;
      }, 'the server is left');
      return watch.seen;
    },
    seen: () => [{ uri: 'note://by/a' }],
  },
  {
    crosses: 'list changes',
    name: 'of all lists, each told of, and what came and went',
    alone: true,
    async probe(setup) {
      const { client } = setup;
      const watch = await watching(setup, { tools: true, prompts: true, resources: true });
      const lists = () => new Set(watch.seen.map(change => ('list' in change ? change.list : change.uri)));
      const grown = async () =>
        (await collectAll(client.listTools())).filter(({ name }) => name.startsWith('grown-')).length;
      await client.callTool('grow');
      await waitUntil(() => lists().size === 3, 'all three lists are said to have changed');
      const reports = [...lists()].sort();
      await waitUntil(async () => (await grown()) === 3, 'the list has what came');
      const { content } = await client.callTool('grown-1');
      const { contents } = await client.readResource('grown://1');
      watch.seen.length = 0;
      await client.callTool('shrink');
      await waitUntil(() => lists().size === 3, 'all three lists are said to have changed again');
      await waitUntil(async () => (await grown()) === 0, 'the list has lost what went');
      await watch.stop();
      return [reports, content, contents];
    },
    seen: () => [
      ['prompts', 'resources', 'tools'],
      [{ type: 'text', text: 'grown' }],
      [expect.objectContaining({ uri: 'grown://1', text: 'grown' })],
    ],
  },
  {
    crosses: 'roots',
    name: 'that they have changed',
    async probe({ client, serverSide }) {
      const countNotifications = () => serverSide.sent('client', 'notifications/roots/list_changed').length;
      await client.notifyRootsChanged();
      for (let tries = 0; tries < 30 && countNotifications() === 0; tries++) await client.ping();
      return countNotifications() > 0 ? 'told' : 'untold';
    },
    seen: () => 'told',
  },
];

export const notices: readonly Feature[] = [...calls, ...changes];
