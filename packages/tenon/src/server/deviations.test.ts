import { type JsonObject, type TenonError, toJsonObject } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { inputRequired } from '../handler/tool-result.js';
import { createTransportPair } from '../transports/memory.js';
import { prompt } from './definitions/prompt.js';
import type { ServerDefinition } from './definitions/server-definition.js';
import { tool } from './definitions/tool.js';
import { createServer } from './server.js';

const clientInfo = { name: 'c', version: '1', websiteUrl: null };

/** Creates a server, and a function that opens a session and returns the responses to its requests. */
function createDeviatingClient(options: Partial<ServerDefinition> = {}) {
  const errors: TenonError[] = [];
  const server = createServer({
    name: 'a',
    version: '1',
    tools: {
      ask: tool({
        run: async (_, ctx) =>
          JSON.stringify(await ctx.elicit({ message: 'm', input: { type: 'object', properties: {} } })),
      }),
    },
    prompts: { p: prompt({ run: () => 'text' }) },
    onError: error => void errors.push(error),
    ...options,
  } as ServerDefinition);
  const openSession = async (capabilities: JsonObject = { elicitation: {}, sampling: null }) => {
    const pair = createTransportPair();
    const responses = new Map<unknown, JsonObject>();
    let onResponse: () => void = () => {};
    const onMessage = (value: unknown) => {
      const message = value as JsonObject;
      if (message.method === 'elicitation/create')
        return void pair.client.send({
          jsonrpc: '2.0',
          id: message.id,
          result: { action: 'decline', content: null },
        } as never);
      responses.set(message.id, message);
      onResponse();
    };
    await pair.client.open({ onMessage, onParseError() {}, onResponseLost() {}, onClose() {} });
    await server.connect(pair.server);
    let id = 0;
    const request = async (method: string, params: JsonObject) => {
      id += 1;
      const response = new Promise<void>(resolve => {
        onResponse = () => responses.has(id) && resolve();
      });
      await pair.client.send({ jsonrpc: '2.0', id, method, params } as never);
      await response;
      return responses.get(id);
    };
    const opened = await request('initialize', {
      protocolVersion: '2025-06-18',
      clientInfo,
      capabilities,
      _meta: null,
    });
    await pair.client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return { request, opened };
  };
  return { errors, openSession };
}

describe('a server', () => {
  it('reads null for optional members as absent, and reports it once per session', async () => {
    const { errors, openSession } = createDeviatingClient();
    for (let round = 0; round < 2; round++) {
      const { request, opened } = await openSession();
      expect(opened).toMatchObject({ result: { protocolVersion: '2025-06-18' } });
      expect(await request('tools/list', { cursor: null })).toMatchObject({ result: { tools: [{ name: 'ask' }] } });
      expect(await request('prompts/get', { name: 'p', arguments: null })).toMatchObject({
        result: { messages: [{}] },
      });
      expect(await request('tools/call', { name: 'ask', arguments: null })).toMatchObject({
        result: { content: [{ text: '{"action":"decline"}' }] },
      });
    }
    expect(errors.map(({ code, method }) => [code, method])).toEqual([
      ['peer/deviation', 'initialize'],
      ['peer/deviation', 'initialize'],
    ]);
  });

  it('refuses all deviations with `strict`', async () => {
    const { errors, openSession } = createDeviatingClient({ strict: true });
    expect((await openSession()).opened).toMatchObject({ error: { code: -32602 } });
    expect(errors).toEqual([]);
  });

  it('refuses null where it has a meaning', async () => {
    const { openSession } = createDeviatingClient();
    const { request } = await openSession();
    for (const params of [{ name: null }, { name: 'ask', requestState: null }, { name: 'ask', inputResponses: null }])
      expect(await request('tools/call', params)).toMatchObject({ error: { code: -32602 } });
  });
});

describe('a stateless request', () => {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };

  it('reads null as absent too, and reports it once per server', async () => {
    const { errors, openSession } = createDeviatingClient();
    const { request } = await openSession({});
    errors.length = 0;
    for (let round = 0; round < 2; round++)
      expect(await request('prompts/get', { name: 'p', arguments: null, _meta: meta })).toMatchObject({
        result: { messages: [{}] },
      });
    expect(errors).toMatchObject([{ code: 'peer/deviation', method: 'prompts/get' }]);
  });

  it('keeps a null in its metadata', async () => {
    const { openSession } = createDeviatingClient();
    const { request } = await openSession({});
    const _meta = { ...meta, 'io.modelcontextprotocol/clientCapabilities': null };
    expect(await request('prompts/get', { name: 'p', _meta })).toMatchObject({ error: { code: -32602 } });
  });

  /** Calls a tool that requests input, and calls it again with a response. Returns the last response. */
  async function respond(name: string, response: JsonObject, options: Partial<ServerDefinition> = {}) {
    const { errors, openSession } = createDeviatingClient({
      tools: {
        ask: tool({
          run: async (_, ctx) =>
            JSON.stringify(await ctx.elicit({ message: 'm', input: { type: 'object', properties: {} } })),
        }),
        roots: tool({ run: async (_, ctx) => JSON.stringify(await ctx.roots()) }),
        returned: tool({
          run: (_, ctx) =>
            ctx.inputs.inputResponses === undefined
              ? inputRequired({ inputRequests: { a: { method: 'roots/list' } } })
              : JSON.stringify(ctx.inputs.inputResponses),
        }),
      },
      ...options,
    });
    const { request } = await openSession({});
    errors.length = 0;
    const _meta = {
      ...meta,
      'io.modelcontextprotocol/clientCapabilities': { roots: {}, elicitation: { form: {} } },
    };
    const first = toJsonObject((await request('tools/call', { name, _meta }))?.result);
    const { inputRequests, requestState } = first;
    const [key = ''] = Object.keys(toJsonObject(inputRequests));
    const last = await request('tools/call', { name, requestState, inputResponses: { [key]: response }, _meta });
    return { last, errors };
  }

  const deviating: [string, JsonObject, string][] = [
    ['ask', { action: 'decline', content: null }, '{"action":"decline"}'],
    ['roots', { roots: [{ uri: 'file:///a', name: null }] }, '[{"uri":"file:///a"}]'],
    ['returned', { roots: [{ uri: 'file:///a', name: null }] }, '{"a":{"roots":[{"uri":"file:///a"}]}}'],
  ];

  it.each(deviating)('reads the input response for the tool %s as a result: %j', async (name, response, text) => {
    const { last, errors } = await respond(name, response);
    expect(last).toMatchObject({ result: { content: [{ text }] } });
    expect(errors).toMatchObject([{ code: 'peer/deviation' }]);
  });

  it.each(deviating)('refuses the input response for the tool %s with `strict`: %j', async (name, response) => {
    const { last, errors } = await respond(name, response, { strict: true });
    expect(last).toMatchObject({ error: { code: -32602, message: expect.stringContaining('/inputResponses/') } });
    expect(errors).toEqual([]);
  });
});
