import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ask, createHost, type NodeHostOptions } from '@tenon/host';
import { type ClientOptions, connect, createServer, type RequestHandler, tasks, tool } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { takeCover } from '../support/extent.js';
import { createFolder } from './guard/guarded-host.js';

const VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const;
const UPSTREAM = ['2025-11-25', '2026-07-28'] as const;
const PAIRS = VERSIONS.flatMap(caller => UPSTREAM.map(upstream => ({ caller, upstream })));
const yes = z.object({ yes: z.boolean() });

/** A server whose tools run as tasks only, and note when they begin and when they are cancelled. */
function createTaskServer(version: string) {
  const begun: string[] = [];
  const cancelled: string[] = [];
  const events: string[] = [];
  let release = () => {};
  const released = new Promise<void>(resolve => {
    release = resolve;
  });
  const server = createServer({
    name: 'slow',
    version: '1',
    protocolVersions: [version],
    extensions: [tasks({ pollInterval: 50, onEvent: ({ type }) => void events.push(type) })],
    tools: {
      count: tool({
        task: 'required',
        output: z.object({ n: z.number() }),
        run: () => {
          begun.push('count');
          return { n: begun.length };
        },
      }),
      report: tool({
        task: 'required',
        run: async (_, ctx) => {
          begun.push('report');
          ctx.progress(1, 2, 'halfway');
          await released;
          return 'reported';
        },
      }),
      ask: tool({
        task: 'required',
        run: async (_, ctx) => {
          begun.push('ask');
          const { action } = await ctx.elicit({ message: 'Sure?', input: yes });
          return action;
        },
      }),
      wait: tool({
        task: 'required',
        run: (_, { signal }) => {
          begun.push('wait');
          return new Promise<string>((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              cancelled.push('wait');
              reject(new Error('cancelled'));
            });
          });
        },
      }),
    },
  });
  return { server, begun, cancelled, events, release };
}

async function connectThrough(
  { caller, upstream }: { readonly caller: string; readonly upstream: string },
  options: ClientOptions = {},
  hostOptions: Partial<NodeHostOptions> = {},
  server: object = {},
) {
  const slow = createTaskServer(upstream);
  const service: RequestHandler = slow.server;
  const host = await createHost({
    prefix: 'auto',
    servers: { slow: { service, ...server } },
    onError: () => {},
    ...hostOptions,
  });
  onTestFinished(() => host.close());
  const client = await connect(host.toServer(), { protocolVersion: caller, tasks: false, ...options });
  onTestFinished(() => client.close());
  return { ...slow, client };
}

/** In the cover, each caller meets one of the servers. */
const isInCover = ({ caller, upstream }: (typeof PAIRS)[number]): boolean =>
  VERSIONS.indexOf(caller) % UPSTREAM.length === UPSTREAM.indexOf(upstream);

describe.each(takeCover(PAIRS, isInCover))(
  'a tool that runs as a task only: caller $caller, server $upstream',
  pair => {
    it('runs once for a call without a task', async () => {
      const { client, begun } = await connectThrough(pair);
      const result = await client.callTool('count', {});
      expect(result.isError).not.toBe(true);
      expect(JSON.stringify(result.content)).toContain('1');
      expect(begun).toEqual(['count']);
    });

    it('is listed as callable without a task', async () => {
      const { client } = await connectThrough(pair);
      const listed = [];
      for await (const each of client.listTools()) listed.push(each);
      const support = listed.map(({ execution }) => execution?.taskSupport);
      const may = pair.caller === '2025-11-25' ? 'optional' : undefined;
      expect(support).toEqual(listed.map(() => may));
    });

    it('is cancelled when its caller cancels', async () => {
      const { client, begun, cancelled } = await connectThrough(pair);
      const stop = new AbortController();
      const call = client.callTool('wait', {}, { signal: stop.signal });
      call.catch(() => {});
      await expect.poll(() => begun).toEqual(['wait']);
      stop.abort();
      await expect(call).rejects.toMatchObject({ code: 'call/aborted' });
      await expect.poll(() => cancelled).toEqual(['wait']);
    });

    it('is cancelled when its caller times out', async () => {
      const { client, cancelled } = await connectThrough(pair);
      await expect(client.callTool('wait', {}, { totalTimeout: 1500 })).rejects.toMatchObject({ code: 'call/timeout' });
      await expect.poll(() => cancelled).toEqual(['wait']);
    });

    it('is cancelled at the total timeout of its server', async () => {
      const { client, cancelled } = await connectThrough(pair, {}, {}, { totalTimeout: 1500 });
      await expect(client.callTool('wait', {})).rejects.toThrow();
      await expect.poll(() => cancelled).toEqual(['wait']);
    });

    it('requests input of a caller that supports it', async () => {
      let requestCount = 0;
      const elicit: ClientOptions['elicit'] = () => {
        requestCount += 1;
        return { action: 'accept', content: { yes: true } };
      };
      const { client, begun } = await connectThrough(pair, { elicit });
      const result = await client.callTool('ask', {}).catch((error: Error) => error.message);
      const can = pair.caller >= '2025-06-18';
      expect(requestCount).toBe(can ? 1 : 0);
      if (can) expect(JSON.stringify(result)).toContain('accept');
      expect(begun.length).toBeLessThanOrEqual(1);
    });

    it('passes progress until it has ended', async () => {
      const { client, release } = await connectThrough(pair);
      const received: unknown[] = [];
      const call = client.callTool('report', {}, { onProgress: progress => void received.push(progress) });
      await expect.poll(() => received.length).toBeGreaterThan(0);
      release();
      expect(JSON.stringify(await call)).toContain('reported');
      const values = received.map(each => (each as { progress: number }).progress);
      expect(values).toEqual([...values].sort((a, b) => a - b));
      if (pair.caller >= '2025-03-26') expect(JSON.stringify(received)).toContain('halfway');
    });

    it('is approved and recorded once, also when its task requests input', async () => {
      const path = join(await createFolder(), 'audit.jsonl');
      const approved: string[] = [];
      const { client, events } = await connectThrough(
        pair,
        { elicit: () => ({ action: 'accept', content: { yes: true } }) },
        {
          policy: [ask()],
          approve: ({ name }) => approved.push(name) > 0,
          audit: path,
        },
      );
      await client.callTool(pair.caller >= '2025-06-18' ? 'ask' : 'count', {});
      expect(events.filter(each => each === 'created')).toHaveLength(1);
      expect(approved).toHaveLength(1);
      const steps = ['asked', 'allowed', 'called', 'answered'];
      const readSteps = async () => {
        const lines = (await readFile(path, 'utf8'))
          .trim()
          .split('\n')
          .map(line => JSON.parse(line));
        return lines
          .filter(({ action }) => steps.includes(action))
          .map(({ action, outcome }) => (action === 'answered' ? `${action} ${outcome}` : action));
      };
      const round = pair.caller === '2026-07-28' ? ['answered input requested'] : [];
      // The caller has its answer before the record of it is in the file.
      await expect.poll(readSteps).toEqual(['asked', 'allowed', 'called', ...round, 'answered ok']);
    });
  },
);

describe.each(VERSIONS)('a tool that runs as a task only, with waitForTasks: false: caller %s', caller => {
  const pair = { caller, upstream: '2026-07-28' };

  it('is refused only where the caller could declare tasks [ext-tasks.required-capability-error]', async () => {
    const { client, begun } = await connectThrough(pair, {}, { waitForTasks: false });
    const outcome = await client.callTool('count', {}).catch((error: { rpcCode?: number }) => error.rpcCode);
    if (caller === '2026-07-28') expect(outcome).toBe(-32021);
    else expect(outcome).not.toBe(-32021);
    expect(begun).toHaveLength(caller === '2026-07-28' ? 0 : 1);
  });
});
