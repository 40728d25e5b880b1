import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { dialects } from '../dialects/index.js';
import type { JsonObject } from '../jsonrpc/message.js';
import { createServer } from './server.js';
import { tool } from './tool.js';

const key = (id: string, byte: number) => ({ id, key: new Uint8Array(32).fill(byte) });
const [newest] = dialects;
const meta = {
  'io.modelcontextprotocol/protocolVersion': newest?.revision,
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
};

function replica(...stateKeys: ReturnType<typeof key>[]) {
  const input = z.object({ sure: z.boolean() });
  return createServer({
    name: 'replica',
    version: '1',
    ...(stateKeys.length > 0 ? { stateKeys } : {}),
    tools: { ask: tool({ run: async (_, ctx) => (await ctx.elicit({ message: 'Sure?', input })).action }) },
  });
}

async function call(server: ReturnType<typeof replica>, more: JsonObject = {}): Promise<JsonObject> {
  const params = { name: 'ask', _meta: meta, ...more };
  const request = { jsonrpc: '2.0' as const, id: 1, method: 'tools/call', params };
  const loan = { send: () => {}, whenGone: () => {} };
  return (await server.answer(request, newest as never, loan)) as unknown as JsonObject;
}

async function retried(first: ReturnType<typeof replica>, second: ReturnType<typeof replica>): Promise<JsonObject> {
  const { requestState } = (await call(first)).result as { requestState: string };
  return call(second, { requestState, inputResponses: { 'ask-0': { action: 'accept', content: { sure: true } } } });
}

describe('the keys of the state', () => {
  it('let any replica that has them take the retry [mrtr.retry-self-contained]', async () => {
    const { result } = await retried(replica(key('a', 1)), replica(key('a', 1)));
    expect(result).toMatchObject({ resultType: 'complete', content: [{ text: 'accept' }] });
  });

  it('can be changed: the first seals, all open', async () => {
    const { result } = await retried(replica(key('old', 1)), replica(key('next', 2), key('old', 1)));
    expect(result).toMatchObject({ resultType: 'complete' });
  });

  it('keep out what others sealed [mrtr.request-state-tampered-rejected]', async () => {
    for (const other of [replica(key('a', 2)), replica(key('b', 1)), replica()]) {
      const { error } = await retried(replica(key('a', 1)), other);
      expect(error).toMatchObject({ code: -32602 });
    }
  });

  it('are refused when they are no keys', () => {
    const short = { id: 'a', key: new Uint8Array(16) };
    for (const keys of [[short], [key('a.b', 1)], [key('a', 1), key('a', 2)]]) {
      expect(() => replica(...keys)).toThrow(/can not be sealed/);
    }
  });
});
