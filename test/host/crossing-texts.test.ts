import { createHost, type HostServer } from '@tenon/host';
import { type Client, type ClientOptions, connect, createServer, TenonError, tool } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { retryUntilPasses } from '../interop/retry.js';

/** Versions in which a cancellation is a message. */
const VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const;
const yes = z.object({ yes: z.boolean() });

/** A server whose tools end when their call is cancelled, and what they were told. */
function waiting() {
  const reasons: unknown[] = [];
  const started: string[] = [];
  const server = createServer({
    name: 'waits',
    version: '1',
    tools: {
      wait: tool({
        run: (_, { signal }) =>
          new Promise<string>(resolve => {
            started.push('wait');
            signal.addEventListener('abort', () => {
              reasons.push((signal.reason as Error).message);
              resolve('cancelled');
            });
          }),
      }),
      ask: tool({ run: async (_, ctx) => (await ctx.elicit({ message: 'Sure?', input: yes })).action }),
    },
  });
  return { server, reasons, started };
}

async function connected(target: Parameters<typeof connect>[0], options: ClientOptions): Promise<Client> {
  const client = await connect(target, options);
  onTestFinished(() => client.close());
  return client;
}

async function hosted(servers: Record<string, HostServer>, more: object = {}) {
  const host = await createHost({ prefix: 'auto', servers, onError: () => {}, ...more });
  onTestFinished(() => host.close());
  return host;
}

describe('the reason of a cancellation', () => {
  it.each<[string, unknown, string]>([
    ['a text', 'the user pressed stop', 'the user pressed stop'],
    ['an error', new Error('the tab was closed'), 'the tab was closed'],
    ['none', undefined, 'The caller cancelled the request'],
    [
      'an error of the library',
      new TenonError('x/y', 'at /home/ada/.keys', { peer: 'node' }),
      'The caller cancelled the request',
    ],
    ['an object', { path: '/home/ada' }, 'The caller cancelled the request'],
    ['too long', 'a'.repeat(10_000), 'a'.repeat(500)],
  ])('comes from the caller: %s', async (_, reason, expected) => {
    const { server, reasons, started } = waiting();
    const client = await connected(server, { protocolVersion: '2025-11-25' });
    const stop = new AbortController();
    const call = client.callTool('wait', {}, { signal: stop.signal });
    await retryUntilPasses(() => expect(started).toHaveLength(1));
    stop.abort(reason);
    await expect(call).rejects.toMatchObject({ code: 'call/aborted' });
    await retryUntilPasses(() => expect(reasons).toEqual([expected]));
  });

  it('names the time limit of a call that takes too long', async () => {
    const { server, reasons } = waiting();
    const client = await connected(server, { protocolVersion: '2025-11-25' });
    await expect(client.callTool('wait', {}, { totalTimeout: 20 })).rejects.toMatchObject({ code: 'call/timeout' });
    await retryUntilPasses(() => expect(reasons).toEqual([expect.stringMatching(/^timed out after \d+ ms$/)]));
  });

  it.each(VERSIONS)('passes a host to a client and a server of %s', async protocolVersion => {
    const { server, reasons, started } = waiting();
    const host = await hosted({ waits: { service: server } });
    const client = await connected(host.toServer(), { protocolVersion });
    const stop = new AbortController();
    const call = client.callTool('wait', {}, { signal: stop.signal });
    await retryUntilPasses(() => expect(started).toHaveLength(1));
    stop.abort('the user pressed stop');
    await expect(call).rejects.toThrow();
    await retryUntilPasses(() => expect(reasons).toEqual(['the user pressed stop']));
  });

  it.each(['2025-06-18', '2025-11-25'])(
    "reaches the user of the call's input request, in %s",
    async protocolVersion => {
      const { server } = waiting();
      const host = await hosted({ waits: { service: server } });
      const notifications: unknown[] = [];
      let isRequested = false;
      const client = await connected(host.toServer(), {
        protocolVersion,
        elicit: (_, { signal }) =>
          new Promise(() => {
            isRequested = true;
            signal.addEventListener('abort', () => notifications.push((signal.reason as Error).message));
          }),
      });
      const stop = new AbortController();
      const call = client.callTool('ask', {}, { signal: stop.signal });
      await retryUntilPasses(() => expect(isRequested).toBe(true));
      stop.abort('the user pressed stop');
      await expect(call).rejects.toThrow();
      await retryUntilPasses(() => expect(notifications).toEqual(['the user pressed stop']));
    },
  );
});

describe('errors of a server, as a caller of a host gets them', () => {
  const SECRET = /hunter2|\/opt\/private|private\.example|ada|no-such/;
  const servers: Record<string, () => HostServer> = {
    'a program that is not there': () => ({ command: '/opt/private/no-such', args: ['--token', 'hunter2'], cwd: '/' }),
    'a folder that is not there': () => ({ command: process.execPath, cwd: '/opt/private' }),
    'a program that ends': () => ({
      command: process.execPath,
      args: ['-e', 'console.error("hunter2 at /opt/private"); process.exit(3)', 'hunter2'],
    }),
    'a host that is not there': () => ({ url: 'http://private.example.invalid:1/mcp?key=hunter2' }),
    'an address where nothing is': () => ({ url: 'http://127.0.0.1:1/private.example' }),
    'a road that throws': () => ({ service: () => Promise.reject(new Error('ENOENT /opt/private/hunter2')) }),
  };

  it.each(Object.keys(servers))('name no command, path, host or secret: %s', async what => {
    const host = await hosted({ bad: servers[what]?.() as HostServer }, { startTimeout: 5000 });
    const client = await connected(host.toServer(), { protocolVersion: '2026-07-28' });
    const notifications: string[] = [];
    for (const call of [
      () => client.callTool('x', {}),
      () => client.call('tools/list'),
      () => client.call('tools/list'),
    ]) {
      const error = await call().then(
        result => ({ result }),
        (thrown: TenonError) => ({ summary: thrown.summary, data: thrown.data }),
      );
      notifications.push(JSON.stringify(error));
    }
    expect(notifications).toHaveLength(3);
    for (const text of notifications) {
      expect(text).toContain('bad');
      expect(text).not.toMatch(SECRET);
      expect(text).not.toMatch(/stderr:|:\)|: ?[.;]/);
    }
  });
});
