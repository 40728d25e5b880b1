import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer, memoryStores, type TenonError, tool } from 'tenon';
import { sqliteStores } from 'tenon/sqlite';
import { describe, expect, it } from 'vitest';
import { confirmationSchema, KEY } from './guarded-server.js';
import { callTool, getRetry, getText } from './wire.js';

describe('two replicas', () => {
  function replica(stores = memoryStores(), maxStateSize?: number) {
    const did: string[] = [];
    const server = createServer({
      name: 's',
      version: '1',
      stores,
      inputRequests: { keys: [KEY], ...(maxStateSize === undefined ? {} : { maxStateSize }) },
      tools: {
        t: tool({
          async run(_, ctx) {
            const made = await ctx.step('make', () => {
              did.push('make');
              return 'x'.repeat(5000);
            });
            for (const n of [1, 2, 3]) {
              await ctx.elicit({ message: `${n}?`, input: confirmationSchema });
              await ctx.step(`after ${n}`, () => void did.push(`after ${n}`));
            }
            return `${made.length}`;
          },
        }),
      },
    });
    return { server, did };
  }

  type Replica = ReturnType<typeof replica>;

  it.each([
    ['the state travels', undefined],
    ['it is kept in the store', 1000],
  ])('serve the rounds of a call in turn, and repeat no step: %s [mrtr.retry-self-contained]', async (_, size) => {
    for (const order of [
      [0, 1, 0, 1],
      [0, 0, 1, 0],
      [0, 1, 1, 1],
    ]) {
      const stores = memoryStores();
      const both = [replica(stores, size), replica(stores, size)];
      let answer = await callTool(both[order[0] as number]?.server as never, 't');
      const states: string[] = [];
      for (const at of order.slice(1)) {
        const retry = getRetry(answer);
        states.push(retry.requestState);
        answer = await callTool(both[at]?.server as never, 't', retry);
      }
      expect(getText(answer)).toBe('5000');
      expect(both.flatMap(({ did }) => did).sort()).toEqual(['after 1', 'after 2', 'after 3', 'make']);
      for (const state of states) expect(state.length < 1000).toBe(size !== undefined);
    }
  });

  it("accept each requestState once when they share a file, and see each other's steps [mrtr.request-state-single-use]", async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tenon-asking-'));
    const file = join(folder, 'stores.db');
    const stores = [sqliteStores(file), sqliteStores(file)];
    try {
      const [one, other] = stores.map(each => replica(each, 1000)) as [Replica, Replica];
      let answer = await callTool(one.server, 't');
      for (const { server } of [other, one, other]) {
        const retry = getRetry(answer);
        const both = await Promise.all([callTool(server, 't', retry), callTool(one.server, 't', retry)]);
        // The other one is still running, or has ended.
        const refusals = both.filter(({ error }) => error?.code === -32603 || error?.code === -32602);
        expect(refusals).toHaveLength(1);
        answer = both.find(({ error }) => error === undefined) as typeof answer;
      }
      expect(getText(answer)).toBe('5000');
      expect([...one.did, ...other.did].sort()).toEqual(['after 1', 'after 2', 'after 3', 'make']);
    } finally {
      for (const each of stores) await each.close();
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    }
  });

  it('refuse a large requestState with keys and without a store', async () => {
    const errors: TenonError[] = [];
    const server = createServer({
      name: 's',
      version: '1',
      inputRequests: { keys: [KEY] },
      onError: error => void errors.push(error),
      tools: {
        t: tool({
          async run(_, ctx) {
            await ctx.step('make', () => 'x'.repeat(20_000));
            return (await ctx.elicit({ message: 'Sure?', input: confirmationSchema })).action;
          },
        }),
      },
    });
    expect((await callTool(server, 't')).error).toEqual({ code: -32603, message: 'Internal error' });
    expect(errors).toMatchObject([{ code: 'handler/state-too-large', expected: 'at most 16384 characters' }]);
  });
});

describe('concurrent calls', () => {
  it('stay separate for the same tool with the same arguments [mrtr.not-used-for-other-requests]', async () => {
    for (const maxSuspended of [100, 0]) {
      const server = createServer({
        name: 's',
        version: '1',
        inputRequests: { maxSuspended },
        tools: {
          t: tool({
            async run(_, ctx) {
              const id = await ctx.step('id', () => Math.random());
              const input = { type: 'object', properties: { n: { type: 'integer' } } } as const;
              const one = await ctx.elicit({ message: `One of ${id}`, input });
              const two = await ctx.elicit({ message: `Two of ${id}`, input });
              return [one, two].map(({ content }) => content?.n).join();
            },
          }),
        },
      });
      let requestCount = 0;
      const given = new Map<string, number[]>();
      const client = await connect(server, {
        elicit: async ({ message }) => {
          const n = requestCount++;
          const [, call = ''] = message.split(' of ');
          given.set(call, [...(given.get(call) ?? []), n]);
          await new Promise(resolve => setTimeout(resolve, n % 3));
          return { action: 'accept', content: { n } };
        },
      });
      const results = await Promise.all(Array.from({ length: 30 }, () => client.callTool('t')));
      const texts = results.map(({ content }) => (content[0] as { text: string }).text);
      expect(texts.sort()).toEqual([...given.values()].map(pair => pair.join()).sort());
      await client.close();
    }
  });
});
