import { PassThrough } from 'node:stream';
import { createServer, memoryStores, type Stores, tool } from 'tenon';
import { createHandler } from 'tenon/http';
import { serveStdio } from 'tenon/stdio';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';

const META = 'io.modelcontextprotocol/';
const KEYS = [{ id: 'k', key: new Uint8Array(32).fill(7) }];

interface Reply {
  readonly result?: { readonly requestState?: string; readonly inputRequests?: object; readonly content?: unknown };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

interface Received extends Reply {
  readonly status?: number;
  readonly retryAfter?: string | null;
}

type Send = (params: object) => Promise<Received>;

/** A server whose tool pays in a step after an input request, and then waits until the test releases it. */
function createShop(stores: Stores) {
  const paid: string[] = [];
  let release = () => {};
  const released = new Promise<void>(resolve => {
    release = resolve;
  });
  const pay = tool({
    async run(_, ctx) {
      const { content } = await ctx.elicit({ message: 'Who?', input: z.object({ name: z.string() }) });
      await ctx.step('pay', () => void paid.push(String(content?.name)));
      await released;
      return 'paid';
    },
  });
  const create = () =>
    createServer({ name: 'shop', version: '1.0.0', stores, inputRequests: { keys: KEYS }, tools: { pay } });
  return { create, paid, release: () => release() };
}

let id = 0;
function createRequest(params: object): { id: number; text: string } {
  id += 1;
  const _meta = {
    [`${META}protocolVersion`]: '2026-07-28',
    [`${META}clientCapabilities`]: { elicitation: {} },
  };
  const request = { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'pay', ...params, _meta } };
  return { id, text: JSON.stringify(request) };
}

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

type Shop = ReturnType<typeof createShop>;

function openHttp(shop: Shop): Send {
  const handler = createHandler(shop.create());
  closers.push(() => handler.close({ timeout: 0 }));
  return async params => {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'pay',
    };
    const body = createRequest(params).text;
    const response = await handler(new Request('http://localhost/mcp', { method: 'POST', headers, body }));
    const reply = (await response.json()) as Reply;
    return { ...reply, status: response.status, retryAfter: response.headers.get('retry-after') };
  };
}

async function openStdio(shop: Shop): Promise<Send> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const serving = await serveStdio(shop.create(), { exit: false, input, output });
  closers.push(() => serving.close());
  const replies = new Map<number, Reply>();
  let rest = '';
  output.on('data', chunk => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const reply = JSON.parse(line) as Reply & { readonly id: number };
      replies.set(reply.id, reply);
    }
  });
  return params => {
    const request = createRequest(params);
    input.write(`${request.text}\n`);
    return vi.waitFor(() => {
      const reply = replies.get(request.id);
      if (!reply) throw new Error('no response yet');
      return reply;
    });
  };
}

const STORES: readonly [string, () => Stores][] = [
  ['the memory of one process', () => memoryStores()],
  ['a store that processes share', () => ({ ...memoryStores(), durable: true, close: async () => {} })],
];

describe.each(STORES)('a retry with %s', (_, openStores) => {
  /** Opens one or two processes. Both handle requests of the same client. */
  const open = async (transport: 'http' | 'stdio') => {
    const shop = createShop(openStores());
    const send = transport === 'http' ? openHttp(shop) : await openStdio(shop);
    const { result } = await send({});
    const [key = ''] = Object.keys(result?.inputRequests ?? {});
    const retry = {
      requestState: result?.requestState,
      inputResponses: { [key]: { action: 'accept', content: { name: 'Ada' } } },
    };
    return { shop, send, retry };
  };

  it.each(['http', 'stdio'] as const)(
    'gets a delay to send it again while the same retry runs, over %s',
    async transport => {
      const { shop, send, retry } = await open(transport);
      const first = send(retry);
      await vi.waitFor(() => expect(shop.paid).toEqual(['Ada']));
      const repeated = await send(retry);
      expect(repeated.error).toEqual({
        code: -32603,
        message: 'The same retry is still running. Send it again, with the same requestState, after 5 s',
        data: { retryAfterMs: 5000 },
      });
      expect([repeated.status, repeated.retryAfter]).toEqual(
        transport === 'http' ? [503, '5'] : [undefined, undefined],
      );
      shop.release();
      expect((await first).result?.content).toEqual([{ type: 'text', text: 'paid' }]);
      expect(shop.paid).toEqual(['Ada']);
    },
  );

  it.each(['http', 'stdio'] as const)(
    'is refused with the advice to check the effect when it has ended, over %s',
    async transport => {
      const { shop, send, retry } = await open(transport);
      shop.release();
      await send(retry);
      const repeated = await send(retry);
      expect(repeated.error).toEqual({
        code: -32602,
        message:
          'Invalid params: requestState was already used, and its request has ended. Check the effect of the call before you send it again',
      });
      expect(shop.paid).toEqual(['Ada']);
    },
  );

  it('never advises to start the call again, because earlier rounds may have had effects', async () => {
    const { send, retry, shop } = await open('http');
    shop.release();
    const broken = await send({ ...retry, requestState: `${retry.requestState}x` });
    expect(broken.error?.message).toMatch(/Check the effect of the call before you send it again$/);
    expect(broken.error?.message).not.toMatch(/without it/);
  });
});
