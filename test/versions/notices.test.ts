import type { ChangeEvent, Client, Progress } from 'tenon';
import { expect, it } from 'vitest';
import { type ConnectedCase, describeMatrix, type MatrixCase } from './matrix.js';
import type { Json } from './wire.js';

const is = (variant: MatrixCase, date: string) => variant.version === date;
const from = (variant: MatrixCase, date: string) => variant.version >= date;
const newest = '2026-07-28';
const textOf = (result: unknown): string => (result as { content: { text: string }[] }).content[0]?.text ?? '';

/** Resolves as soon as something that changes by itself is so. */
async function until(so: () => boolean | Promise<boolean>): Promise<void> {
  await expect.poll(so, { interval: 5 }).toBe(true);
}

/** Watches, and is ready only when the server watches too. */
async function watching({ client, wire }: ConnectedCase, what: Parameters<Client['watch']>[0], variant: MatrixCase) {
  const seen: ChangeEvent[] = [];
  const stop = new AbortController();
  let isSubscribed = false;
  const done = (async () => {
    const onSubscribed = () => {
      isSubscribed = true;
    };
    for await (const change of client.watch(what, { signal: stop.signal, onSubscribed })) seen.push(change);
  })();
  const uris = typeof what === 'string' ? 1 : (what.uris?.length ?? 0);
  if (is(variant, newest))
    await until(() => wire.sent('server', 'notifications/subscriptions/acknowledged').length > 0);
  // A second watch of a resource shares the subscription, so it sends nothing.
  else if (uris > 0) await until(() => isSubscribed);
  return {
    seen,
    async stop() {
      stop.abort();
      await done;
    },
  };
}

describeMatrix(
  'notices',
  (rig, variant) => {
    it('reports growing progress under its token, until the response [progress.token-type, progress.token-in-meta, progress.token-unique, progress.increases, progress.known-token-only, progress.stops-after-completion, progress.token-echoed, progress.on-own-stream, schema.type.progress-token, schema.notification.progress, schema.notification.progress.message, meta.subscription-id-absent-elsewhere]', async () => {
      const { client, wire } = rig();
      const seen: Progress[] = [];
      await client.callTool('works', { steps: 3 }, { onProgress: report => seen.push(report) });
      await client.callTool('later');
      const messages = from(variant, '2025-03-26');
      expect(seen).toEqual(
        [1, 2, 3].map(step => ({ progress: step, total: 3, ...(messages ? { message: `step ${step}` } : {}) })),
      );
      const sent = wire.sent('server', 'notifications/progress');
      const requests = wire.crossings.map(
        ({ value }) => value as { method?: string; id?: unknown; params?: { _meta?: Json } },
      );
      const token = requests.find(({ method }) => method === 'tools/call')?.params?._meta?.progressToken;
      expect(sent.map(({ progressToken }) => progressToken)).toEqual([token, token, token]);
      expect(sent.every(({ _meta }) => _meta === undefined)).toBe(true);
      const tokens = requests.flatMap(({ method, params }) =>
        method === 'tools/call' ? [params?._meta?.progressToken] : [],
      );
      expect(new Set(tokens).size).toBe(2);
    });

    it('sends log messages from the requested level on, before the response [logging.level-order, logging.at-or-above-level, logging.only-when-requested, logging.before-final-response, logging.request-scoped-stream, schema.request.logging-set-level, schema.notification.message, schema.type.logging-level, logging.capability-declared]', async () => {
      const { client, wire } = rig();
      const seen: string[] = [];
      const off = client.on('log', ({ level, logger, data }) =>
        seen.push(`${level} ${logger} ${(data as { said: string }).said}`),
      );
      await client.callTool('logs');
      expect(seen.length).toBe(is(variant, newest) ? 0 : 7);
      seen.length = 0;
      await client.setLogLevel('error');
      await client.callTool('logs');
      expect(seen).toEqual(['error', 'critical', 'alert', 'emergency'].map(level => `${level} tale ${level}`));
      seen.length = 0;
      await client.setLogLevel('debug');
      await client.callTool('logs');
      expect(seen.length).toBe(8);
      expect(wire.sent('client', 'logging/setLevel').length).toBe(is(variant, newest) ? 0 : 2);
      off();
    });

    it('cancels a call, and only that, and nothing of it follows [cancellation.same-direction, cancellation.only-in-progress, cancellation.stdio-notification, cancellation.http-close-stream, cancellation.http-disconnect-is-cancel, cancellation.server-no-further-messages, cancellation.server-only-for-listen, cancellation.request-id-for-non-task, schema.notification.cancelled, schema.notification.cancelled.request-id-required]', async () => {
      const { client, wire } = rig();
      const stop = new AbortController();
      const other = new AbortController();
      let begun = 0;
      const onProgress = () => void begun++;
      const lost = client.callTool(
        'waits',
        { name: `lost ${variant.transport} ${variant.version}` },
        { signal: stop.signal, onProgress },
      );
      const stored = client.callTool(
        'waits',
        { name: `kept ${variant.transport} ${variant.version}` },
        { signal: other.signal, onProgress },
      );
      lost.catch(() => {});
      await until(() => begun === 2);
      stop.abort('enough');
      await expect(lost).rejects.toMatchObject({ code: 'call/aborted' });
      const givenUp = async (name: string) =>
        (await client.tools.cancelled()).names.includes(`${name} ${variant.transport} ${variant.version}`);
      await until(() => givenUp('lost'));
      expect(await givenUp('kept')).toBe(false);
      const notices = wire.sent('client', 'notifications/cancelled');
      const silently = variant.transport === 'http' && is(variant, newest);
      expect(notices.length).toBe(silently ? 0 : 1);
      const calls = wire.crossings.map(({ value }) => value as Json).filter(({ method }) => method === 'tools/call');
      if (!silently) expect(notices[0]?.requestId).toBe(calls[0]?.id);
      expect(wire.sent('server', 'notifications/progress').length).toBe(2);
      expect(
        wire.sent('server', 'notifications/message').filter(({ data }) => data === 'nobody may hear this'),
      ).toEqual([]);
      expect(wire.crossings.some(({ from: by, value }) => by === 'server' && (value as Json).id === calls[0]?.id)).toBe(
        false,
      );
      expect(wire.sent('server', 'notifications/cancelled')).toEqual([]);
      other.abort();
      await stored.catch(() => {});
      await until(() => givenUp('kept'));
    });

    it('survives a cancellation that arrives too late, or names no request [cancellation.race-safe]', async () => {
      const { client, wire } = rig();
      const stop = new AbortController();
      await client.callTool('blocks', {}, { signal: stop.signal });
      stop.abort();
      expect(wire.sent('client', 'notifications/cancelled')).toEqual([]);
      await client.notify('notifications/cancelled', { requestId: 12345 });
      await client.notify('notifications/cancelled', { requestId: 'none', reason: 'no reason' });
      await client.ping();
    });

    it('notifies once of many changes of each list [tools.list-changed-flag, prompts.list-changed-flag, resources.list-changed-flag, schema.notification.tools-list-changed, schema.notification.prompts-list-changed, schema.notification.resources-list-changed, subscriptions.filter-shape, subscriptions.listen-request-shape, subscriptions.listen-ack-first, subscriptions.ack-shape, subscriptions.id-is-listen-request-id, subscriptions.id-on-every-message, subscriptions.stdio-correlate-by-id]', async () => {
      const { client, wire } = rig();
      const watch = await watching(rig(), { tools: true, prompts: true, resources: true }, variant);
      await client.callTool('grow');
      await until(() => watch.seen.length >= 3);
      await client.callTool('later');
      expect(watch.seen.map(change => ('list' in change ? change.list : change.uri)).sort()).toEqual([
        'prompts',
        'resources',
        'tools',
      ]);
      for (const list of ['tools', 'prompts', 'resources']) {
        const sent = wire.sent('server', `notifications/${list}/list_changed`);
        expect(sent.length).toBe(1);
        const id = (sent[0]?._meta as Json | undefined)?.['io.modelcontextprotocol/subscriptionId'];
        const listen = wire.crossings
          .map(({ value }) => value as Json)
          .find(({ method }) => method === 'subscriptions/listen');
        expect(id).toBe(is(variant, newest) ? listen?.id : undefined);
      }
      await watch.stop();
      expect((await client.callTool('grown-1')).content).toEqual([{ type: 'text', text: 'grown' }]);
      expect((await client.readResource('grown://1')).contents).toMatchObject([{ text: 'grown' }]);
    });

    it('notifies of watched resources until they are unsubscribed [resources.subscribe.update-sent, resources.unsubscribe.stops-updates, resources.updated-notification, resources.subscribe-rpc-removed, resources.subscribe-flag, schema.request.resources-subscribe, schema.request.resources-unsubscribe, schema.notification.resources-updated, schema.result.empty, schema.result.empty-with-result-type, subscriptions.resource-uris-only, subscriptions.only-requested-types, subscriptions.filter-omitted-is-off, subscriptions.client-cancel-stdio, subscriptions.client-cancel-http, subscriptions.stops-after-cancel]', async () => {
      const { client, wire } = rig();
      const watch = await watching(rig(), 'note://by/a', variant);
      await client.tools.touch({ uri: 'note://by/b' });
      await client.tools.touch({ uri: 'note://by/a' });
      await until(() => watch.seen.length > 0);
      expect(watch.seen).toEqual([{ uri: 'note://by/a' }]);
      expect(wire.sent('server', 'notifications/resources/updated').map(({ uri }) => uri)).toEqual(['note://by/a']);
      await watch.stop();
      await until(async () => {
        wire.rewind();
        await client.tools.touch({ uri: 'note://by/a' });
        await client.callTool('later');
        return wire.sent('server', 'notifications/resources/updated').length === 0;
      });
    });

    it('watches several resources at once, each separately [subscriptions.delivered-per-matching-stream]', async () => {
      const { client } = rig();
      const one = await watching(rig(), { uris: ['note://by/a', 'note://all'] }, variant);
      rig().wire.rewind();
      const two = await watching(rig(), { uris: ['note://all'] }, variant);
      await client.tools.touch({ uri: 'note://all' });
      await until(() => one.seen.length > 0 && two.seen.length > 0);
      expect([one.seen[0], two.seen[0]]).toEqual([{ uri: 'note://all' }, { uri: 'note://all' }]);
      await one.stop();
      await two.stop();
    });

    it('omits unknown resources from a subscription [subscriptions.ack-subset]', async () => {
      const { client, wire } = rig();
      if (!is(variant, newest)) {
        await expect(client.watch('note://absent')[Symbol.asyncIterator]().next()).rejects.toMatchObject({
          rpcCode: -32002,
        });
        return;
      }
      const watch = await watching(rig(), { tools: true, uris: ['note://absent', 'note://all'] }, variant);
      const [ack] = wire.sent('server', 'notifications/subscriptions/acknowledged');
      expect(ack?.notifications).toEqual({ toolsListChanged: true, resourceSubscriptions: ['note://all'] });
      expect(client.server.protocolVersion).toBe(newest);
      await watch.stop();
    });

    it('carries methods and notifications of an extension [capabilities.extensions-map, base.custom-transport.preserves-protocol, base.custom-transport-preserves]', async () => {
      const { client, wire } = rig();
      expect(await client.call('notes/count')).toMatchObject({ count: 3 });
      expect(client.server.capabilities.extensions).toEqual({ 'com.example/notes': { colours: true } });
      expect(client.server.capabilities.experimental).toEqual({ thing: { on: true } });
      const received: unknown[] = [];
      const off = client.on('notification', ({ method, params }) => received.push([method, params]));
      await client.callTool('notice');
      expect(received).toEqual([['notifications/notes/said', { text: 'hello' }]]);
      expect(wire.answer('notes/count').result.resultType).toBe(is(variant, newest) ? 'complete' : undefined);
      off();
    });

    it('rejects unknown methods [base.error.method-not-found, schema.type.jsonrpc-error-response.id-required, schema.type.jsonrpc-error-response.id-optional, base.response.same-id, base.error.id-echo]', async () => {
      const { client, wire } = rig();
      wire.excuseClient();
      await expect(client.call('notes/absent')).rejects.toMatchObject({ rpcCode: -32601 });
      const request = wire.crossings.map(({ value }) => value as Json).find(({ method }) => method === 'notes/absent');
      const answered = wire.crossings.map(({ value }) => value as Json).find(({ error }) => error !== undefined);
      expect(answered?.id).toBe(request?.id);
    });

    it('passes trace context and other metadata through [otel.reserved-keys, otel.keys-not-prefixed, otel.traceparent-format, otel.baggage-format, base.meta.reserved-member, meta.request-meta-shape, base.meta.no-assumptions-on-reserved]', async () => {
      const { client } = rig();
      const meta = {
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        tracestate: 'congo=t61rcWkgMzE',
        baggage: 'userId=alice',
        'com.example/own': { deep: [1] },
      };
      expect(JSON.parse(textOf(await client.callTool('meta', {}, { meta }))).meta).toMatchObject(meta);
    });

    it('matches responses by their ids, in any order [stdio.responses-by-id, base.response.same-id]', async () => {
      const { client } = rig();
      const ended: string[] = [];
      const note = (name: string) => (value: unknown) => {
        ended.push(name);
        return value;
      };
      const slow = client.callTool('later', { delay: 300 }).then(note('slow'));
      const quick = client.tools.word().then(note('quick'));
      expect([textOf(await slow), await quick]).toEqual(['later', 'tenon']);
      expect(ended).toEqual(['quick', 'slow']);
    });

    it('responds to a ping [ping.respond-empty, schema.request.ping]', async () => {
      const { client, wire } = rig();
      await client.ping();
      if (is(variant, newest)) expect(wire.sent('client', 'server/discover').length).toBe(1);
      else expect(wire.answer('ping').result).toEqual({});
    });

    it('notifies of changed roots, if the version has the notification [roots.list-changed.notify, schema.notification.roots-list-changed, roots.no-list-changed, base.removed-notifications-not-sent]', async () => {
      const { client, wire } = rig();
      await client.notifyRootsChanged();
      await client.ping();
      expect(wire.sent('client', 'notifications/roots/list_changed').length).toBe(is(variant, newest) ? 0 : 1);
    });
  },
  { client: () => ({ extensions: [{ id: 'com.example/notes' }], roots: [] }) },
);

describeMatrix(
  'first entries',
  (rig, variant) => {
    it('reports the first prompt and the first resource of a server that had none [subscriptions.ack-subset, prompts.list-changed-notification, resources.list-changed-notification]', async () => {
      const watch = await watching(rig(), { prompts: true, resources: true }, variant);
      await rig().client.callTool('begin');
      await until(() => watch.seen.length === 2);
      expect(watch.seen).toEqual(expect.arrayContaining([{ list: 'prompts' }, { list: 'resources' }]));
      await watch.stop();
    });
  },
  { server: { toolsOnly: true } },
);
