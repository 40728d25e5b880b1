import { connectPair, protocolVersions } from '@tenon/testing';
import type { Client } from 'tenon';
import { describe, expect, it, vi } from 'vitest';
import type { Context } from '../handler/context.js';
import { prompt } from '../server/definitions/prompt.js';
import { tool } from '../server/definitions/tool.js';
import { createServer } from '../server/server.js';
import { ActiveCalls } from './active-calls.js';
import { createUpstreamOptions, forwardRequest } from './forward-request.js';
import { createProxyServer, type ProxyCall } from './proxy-server.js';

const input = { type: 'object', properties: {} } as const;
const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'a' } }];
const requests: Readonly<Record<string, (ctx: Context) => Promise<unknown>>> = {
  elicit: ctx => ctx.elicit({ message: 'Sure?', input }),
  elicitUrl: ctx => ctx.elicitUrl({ message: 'Visit', url: 'https://a.example' }),
  sample: ctx => ctx.sample({ messages, maxTokens: 1 }),
  roots: ctx => ctx.roots(),
};
const requireElicitation = { requiredCapabilities: { elicitation: {} } };

const upstream = createServer({
  name: 'notes',
  version: '1',
  onError: () => {},
  tools: {
    ...Object.fromEntries(
      Object.entries(requests).map(([name, request]) => [
        name,
        tool({ run: async (_, ctx) => JSON.stringify(await request(ctx)) }),
      ]),
    ),
    require: tool({ ...requireElicitation, run: () => 'x' }),
  },
  prompts: {
    ask: prompt({ run: async (_, ctx) => JSON.stringify(await ctx.elicit({ message: 'Sure?', input })) }),
  },
});

/** Calls all tools and the prompt. Returns the texts of failed tools, and the codes and messages of errors. */
async function callAll(client: Client): Promise<Readonly<Record<string, unknown>>> {
  const toOutcome = (result: Promise<{ isError?: boolean | undefined; content?: unknown }>) =>
    result.then(
      ({ isError, content }) => ({ isError, content }),
      ({ rpcCode, message }) => ({ rpcCode, message: String(message).replace(/^.*?: /, '') }),
    );
  const outcomes: Record<string, unknown> = { prompt: await toOutcome(client.getPrompt('ask').then(() => ({}))) };
  for (const name of [...Object.keys(requests), 'require']) outcomes[name] = await toOutcome(client.callTool(name));
  await client.close();
  return outcomes;
}

describe.each(protocolVersions)('a caller on %s that cannot answer input requests', protocolVersion => {
  it('gets the same from a proxy as from the server itself', async () => {
    const calls = new ActiveCalls(undefined, 'notes');
    const client = await connectPair(upstream, createUpstreamOptions(calls, {}));
    const forward = (call: ProxyCall) => forwardRequest(call, { client, calls });
    const proxy = createProxyServer(
      { name: 'notes', version: '1', onError: () => {} },
      { capabilities: { tools: {}, prompts: {} }, methodHandlers: { 'tools/call': forward, 'prompts/get': forward } },
    );
    const direct = await callAll(await connectPair(upstream, { protocolVersion }));
    const forwarded = await callAll(await connectPair(proxy, { protocolVersion }));
    await client.close();
    const withoutNames = (outcomes: object) => JSON.stringify(outcomes).replaceAll('elicitation/create', 'elicitation');
    expect(JSON.parse(withoutNames(forwarded))).toEqual(JSON.parse(withoutNames(direct)));
  });
});

describe('a server that refuses the log level of a caller', () => {
  it('answers the call, and the proxy reports the refusal once', async () => {
    const calls = new ActiveCalls(undefined, 'notes');
    const client = await connectPair(upstream, createUpstreamOptions(calls, {}));
    vi.spyOn(client, 'setLogLevel').mockRejectedValue(new Error('no logs'));
    const errors: unknown[] = [];
    const proxy = createProxyServer(
      { name: 'notes', version: '1', onError: ({ message }) => errors.push(message) },
      {
        capabilities: { tools: {}, logging: {} },
        methodHandlers: { 'tools/call': call => forwardRequest(call, { client, calls }) },
      },
    );
    const caller = await connectPair(proxy, { logLevel: 'debug' });
    for (let i = 0; i < 2; i++) expect(await caller.callTool('unknown').catch(error => error.rpcCode)).toBe(-32602);
    expect(errors).toEqual([expect.stringContaining('no logs')]);
    await caller.close();
    await client.close();
  });
});
