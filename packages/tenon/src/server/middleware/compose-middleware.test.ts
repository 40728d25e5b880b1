import { connectPair } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import type { Middleware } from '../../handler/operation.js';
import { tool } from '../definitions/tool.js';
import { createServer } from '../server.js';
import { forMethod } from './compose-middleware.js';

/** Calls a tool through middleware, and returns the response and the reported errors. */
async function callThrough(use: readonly Middleware[], protocolVersion: '2025-06-18' | '2026-07-28') {
  const errors: string[] = [];
  const server = createServer({
    name: 's',
    version: '1',
    use,
    tools: { ok: tool({ run: () => 'fine' }) },
    onError: ({ code, message }) => errors.push(`${code}: ${message}`),
  });
  const client = await connectPair(server, { protocolVersion });
  const response = await client.call('tools/call', { name: 'ok' }).then(
    ({ content }) => content,
    ({ rpcCode }) => rpcCode,
  );
  await client.close();
  return { response, errors };
}

const forTools = (run: (...args: Parameters<Middleware>) => unknown) => [forMethod('tools/call', run as Middleware)];
const FINE = [{ type: 'text', text: 'fine' }];

describe.each(['2025-06-18', '2026-07-28'] as const)('middleware of %s', protocolVersion => {
  it.each([
    ['is nothing', () => undefined, /is invalid. Expected an object, got nothing/],
    ['has no content', () => ({ foo: 1 }), /is invalid at content. Expected a value, got nothing/],
    ['has a text as content', () => ({ content: 'x' }), /is invalid at content. Expected an array, got a string/],
    ['has an invalid block', () => ({ content: [{ type: 'text' }] }), /is invalid at content\/0\/text/],
  ])('reports a result that %s', async (_, run, message) => {
    const { response, errors } = await callThrough(forTools(run), protocolVersion);
    expect(response).toBe(-32603);
    expect(errors).toEqual([
      expect.stringMatching(/^handler\/result: .*result of middleware of tools\/call "ok" is invalid/),
    ]);
    expect(errors[0]).toMatch(message);
  });

  it('accepts changed results of the handler and own results', async () => {
    const changed = forTools(async (operation, next) => ({ ...(await next(operation)), _meta: { 'a.b/c': 1 } }));
    expect(await callThrough(changed, protocolVersion)).toEqual({ response: FINE, errors: [] });
    const own = forTools(() => ({ content: [] }));
    expect(await callThrough(own, protocolVersion)).toEqual({ response: [], errors: [] });
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['only params', { params: { name: 'ok' } }],
  ])('reports a call of next with %s', async (_, operation) => {
    const refusing = forMethod('tools/call', () => {
      throw new Error('not reached');
    });
    const { response, errors } = await callThrough(
      [...forTools((_, next) => next(operation as never)), refusing],
      protocolVersion,
    );
    expect(response).toBe(-32603);
    expect(errors).toEqual([expect.stringMatching(/^options\/invalid: .*`operation` of next is invalid/)]);
  });
});
