import type { JsonObject } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { InputRequestOptions } from '../execution/options.js';
import { dialects } from '../protocol/versions/index.js';
import { memoryStores } from '../stores/memory-stores.js';
import { tool } from './definitions/tool.js';
import { createServer } from './server.js';

const key = (id: string, byte: number) => ({ id, key: new Uint8Array(32).fill(byte) });
const [newest] = dialects;
const meta = {
  'io.modelcontextprotocol/protocolVersion': newest?.protocolVersion,
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
};

function replica(inputRequests?: InputRequestOptions, stores?: ReturnType<typeof memoryStores>) {
  const input = z.object({ sure: z.boolean() });
  return createServer({
    name: 'replica',
    version: '1',
    onError: () => {},
    ...(inputRequests === undefined ? {} : { inputRequests }),
    ...(stores === undefined ? {} : { stores }),
    tools: {
      ask: tool({
        async run(_, ctx) {
          await ctx.step('large', () => 'x'.repeat(20_000));
          return (await ctx.elicit({ message: 'Sure?', input })).action;
        },
      }),
      small: tool({ run: async (_, ctx) => (await ctx.elicit({ message: 'Sure?', input })).action }),
    },
  });
}

type Replica = ReturnType<typeof replica>;

async function call(server: Replica, more: JsonObject = {}): Promise<JsonObject> {
  const params = { name: 'small', _meta: meta, ...more };
  const request = { jsonrpc: '2.0' as const, id: 1, method: 'tools/call', params };
  const io = { send: () => {}, onClientClosed: () => {} };
  return (await server.answer(request, server.classifyRequest(request) as never, io)) as unknown as JsonObject;
}

async function retried(first: Replica, second: Replica, name = 'small'): Promise<JsonObject> {
  const { requestState } = (await call(first, { name })).result as { requestState: string };
  const inputResponses = { 'ask-0': { action: 'accept', content: { sure: true } } };
  return call(second, { name, requestState, inputResponses });
}

describe('inputRequests.keys', () => {
  it('let any replica with the keys accept the retry [mrtr.retry-self-contained]', async () => {
    const { result } = await retried(replica({ keys: [key('a', 1)] }), replica({ keys: [key('a', 1)] }));
    expect(result).toMatchObject({ resultType: 'complete', content: [{ text: 'accept' }] });
  });

  it('allow rotation: the first key seals, all keys open', async () => {
    const { result } = await retried(
      replica({ keys: [key('old', 1)] }),
      replica({ keys: [key('next', 2), key('old', 1)] }),
    );
    expect(result).toMatchObject({ resultType: 'complete' });
  });

  it('reject requestState sealed with other keys [mrtr.request-state-tampered-rejected]', async () => {
    for (const other of [{ keys: [key('a', 2)] }, { keys: [key('b', 1)] }, undefined]) {
      const { error } = await retried(replica({ keys: [key('a', 1)] }), replica(other));
      expect(error).toMatchObject({ code: -32602 });
    }
  });

  it('default to a key of this process', async () => {
    const [one, other] = [replica(), replica()];
    expect((await retried(one, one)).result).toMatchObject({ resultType: 'complete' });
    expect((await retried(one, other)).error).toMatchObject({ code: -32602 });
  });

  it('reject invalid keys', () => {
    const short = { id: 'a', key: new Uint8Array(16) };
    for (const keys of [[], [short], [key('a.b', 1)], [key('', 1)], [key('a', 1), key('a', 2)]]) {
      expect(() => replica({ keys })).toThrow(/invalid `inputRequests\.keys`/);
    }
  });
});

describe('large requestState', () => {
  it('stays in the memory of a process with its own key, or in the configured stores', async () => {
    const own = replica();
    expect((await retried(own, own, 'ask')).result).toMatchObject({ resultType: 'complete' });
    const stores = memoryStores();
    const keys = [key('a', 1)];
    const { result } = await retried(replica({ keys }, stores), replica({ keys }, stores), 'ask');
    expect(result).toMatchObject({ resultType: 'complete' });
    expect((await stores.values.list('journal/')).length).toBe(1);
  });

  it('fails where a replica with shared keys could not find it', async () => {
    const { error } = await call(replica({ keys: [key('a', 1)] }), { name: 'ask' });
    expect(error).toEqual({ code: -32603, message: 'Internal error' });
  });
});
