/** The audit log has an end for each call that it has as `called`, however the call ends. */

import { ask, createAudit, createHost, type HostOptions } from '@tenon/host';
import { fakeClock } from '@tenon/testing';
import { type Client, type ClientOptions, connect, createServer, rpcError, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { retryUntilPasses } from '../../interop/retry.js';
import { createFaultyServer } from '../faulty-server.js';
import { VERSIONS } from './guarded-host.js';

const UPSTREAMS = ['2025-11-25', '2026-07-28'] as const;
const TIMEOUT = 60_000;
const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'What is it?' } }];
const yes = z.object({ yes: z.boolean() });
const refuse = (): never => {
  throw rpcError(-1, 'User rejected the request');
};
const refusing: ClientOptions = { tasks: false, elicit: refuse, sample: refuse, roots: refuse };

function createAskingServer(version: string) {
  const server = createServer({
    name: 'asking',
    version: '1',
    protocolVersions: [version],
    onError: () => {},
    tools: {
      form: tool({ run: async (_, ctx) => (await ctx.elicit({ message: 'Sure?', input: yes })).action }),
      model: tool({ run: async (_, ctx) => (await ctx.sample({ maxTokens: 5, messages })).role }),
      folders: tool({ run: async (_, ctx) => (await ctx.roots()).join() }),
      waits: tool({
        run: (_, { signal }) => new Promise<string>(end => signal.addEventListener('abort', () => end('over'))),
      }),
    },
  });
  return { service: server };
}

async function startHost(server: HostOptions['servers'][string], options: Partial<HostOptions> = {}) {
  const lines: string[] = [];
  const audit = await createAudit({ append: async line => void lines.push(line) });
  const host = await createHost({ prefix: 'never', onError: () => {}, ...options, servers: { far: server }, audit });
  onTestFinished(() => host.close());
  const readEvents = () => lines.map(line => JSON.parse(line)).filter(({ action }) => action !== undefined);
  /** Waits until the log has as many events, and returns the action and the outcome of each. */
  const waitForEvents = (count: number): Promise<string[]> =>
    retryUntilPasses(() => {
      const events = readEvents();
      expect(events).toHaveLength(count);
      expect(new Set(events.map(({ call }) => call)).size).toBe(1);
      expect(events[0].call).toMatch(/^[0-9a-f-]{36}$/);
      return events.map(({ action, outcome }) => [action, outcome].filter(Boolean).join(' '));
    });
  const open = async (client: ClientOptions): Promise<Client> => {
    const opened = await connect(host.toServer(), client);
    onTestFinished(() => opened.close());
    return opened;
  };
  return { host, open, waitForEvents };
}

const settle = (call: Promise<unknown>) => call.catch(() => {});

describe.each(UPSTREAMS)('a called line of a server of %s', upstream => {
  it.each(VERSIONS.flatMap(version => ['form', 'model', 'folders'].map(name => [version, name] as const)))(
    'has an end when a caller of %s refuses an input request: %s',
    async (protocolVersion, name) => {
      const { open, waitForEvents } = await startHost(createAskingServer(upstream));
      const client = await open({ protocolVersion, ...refusing });
      await settle(client.callTool(name, {}));
      const [, end] = await waitForEvents(2);
      const isByRequest = protocolVersion < '2026-07-28';
      if (!isByRequest) return expect(end).toBe('answered input requested');
      // A server of an older version gets the refusal, and its tool may go on.
      if (upstream < '2026-07-28') return expect(end).toBe('answered tool failed');
      // Versions without elicitation have no code for a missing capability either.
      const hasCode = name !== 'form' || protocolVersion >= '2025-06-18';
      expect(end).toMatch(hasCode ? /^failed -\d+$/ : /^failed client\/missing-capability$/);
    },
  );

  it.each(VERSIONS)('has an end when a caller of %s cancels the call', async protocolVersion => {
    const { open, waitForEvents } = await startHost(createAskingServer(upstream));
    const client = await open({ protocolVersion, ...refusing });
    const cancel = new AbortController();
    const call = settle(client.callTool('waits', {}, { signal: cancel.signal }));
    await waitForEvents(1);
    cancel.abort();
    await call;
    expect(await waitForEvents(2)).toEqual(['called', 'cancelled cancelled']);
  });

  it.each(VERSIONS)('has an end when the host closes during a call of a caller of %s', async protocolVersion => {
    const { host, open, waitForEvents } = await startHost(createAskingServer(upstream));
    const client = await open({ protocolVersion, ...refusing });
    const call = settle(client.callTool('waits', {}));
    await waitForEvents(1);
    await host.close();
    expect(await waitForEvents(2)).toEqual(['called', expect.stringMatching(/^(failed|cancelled) /)]);
    await call;
  });

  it.each(VERSIONS)('has an end when a caller of %s disconnects', async protocolVersion => {
    const { host, waitForEvents } = await startHost(createAskingServer(upstream));
    const http = await serveHttp(host.toServer(), { port: 0 });
    onTestFinished(() => http.close({ timeout: 0 }));
    const client = await connect(http.url, { protocolVersion, ...refusing });
    const call = settle(client.callTool('waits', {}));
    await waitForEvents(1);
    await client.close();
    await call;
    expect(await waitForEvents(2)).toEqual(['called', 'cancelled cancelled']);
  });

  it('has an end when the time of the call is over', async () => {
    const clock = fakeClock();
    const { open, waitForEvents } = await startHost(
      { ...createAskingServer(upstream), idleTimeout: TIMEOUT, totalTimeout: TIMEOUT },
      { clock },
    );
    const client = await open({ protocolVersion: '2026-07-28', ...refusing });
    const call = settle(client.callTool('waits', {}));
    await waitForEvents(1);
    clock.advance(TIMEOUT);
    await call;
    expect(await waitForEvents(2)).toEqual(['called', 'failed call/timeout']);
  });
});

it.each(VERSIONS)('has the end `call/outcome-unknown` when a server of %s exits during the call', async version => {
  const { open, waitForEvents } = await startHost(createFaultyServer({ version }).server);
  const client = await open({ validate: 'off', cacheSize: 0 });
  await settle(client.call('tools/call', { name: 'dies', arguments: {} }));
  expect(await waitForEvents(2)).toEqual(['called', 'failed call/outcome-unknown']);
});

it('has one ID in all lines of a call, and another ID for another call', async () => {
  const lines: string[] = [];
  const audit = await createAudit({ append: async line => void lines.push(line) });
  const service = createServer({ name: 'far', version: '1', tools: { go: tool({ run: () => 'gone' }) } });
  const policy = [ask({ tool: 'go' })];
  const approve = () => true;
  const host = await createHost({ prefix: 'never', servers: { far: { service } }, audit, policy, approve });
  onTestFinished(() => host.close());
  await Promise.all([host.callTool('go', {}), host.callTool('go', {})]);
  await retryUntilPasses(() => expect(lines.filter(line => line.includes('"answered"'))).toHaveLength(2));
  const events = lines.map(line => JSON.parse(line) as { action?: string; call?: string });
  const ids = [...new Set(events.flatMap(({ call }) => call ?? []))];
  const byCall = ids.map(id => events.filter(({ call }) => call === id).map(({ action }) => action));
  const each = ['asked', 'allowed', 'called', 'answered'];
  expect(byCall).toEqual([each, each]);
});
