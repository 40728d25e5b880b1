import type { JsonObject } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { createTransportPair } from '../../transports/memory.js';
import { connectTo } from '../connect.js';
import { createTransportEndpoint } from '../connection/endpoint.js';
import type { ClientOptions } from '../options.js';
import { EXTENSION, failing, PARAMETER, scripted } from '../tasks/fixtures/scripted.js';

const capabilities = { tools: {}, prompts: {}, resources: {} };
const tool = { name: 'a', inputSchema: { type: 'object' }, outputSchema: null, annotations: null };

async function collect<T>(list: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const each of list) all.push(each);
  return all;
}

const start = (version: string, script: Record<string, () => JsonObject>, options: ClientOptions = {}) =>
  scripted(version, script, options, { capabilities });

describe.each(['2024-11-05', '2025-06-18', PARAMETER, EXTENSION])('a client of %s', version => {
  it('delivers a result with null members, and reports them once', async () => {
    const { client, errors } = await start(version, {
      'tools/list': () => ({ tools: [tool], nextCursor: null }),
      'tools/call': () => ({ content: [{ type: 'text', text: 'b', annotations: null }], isError: null, _meta: null }),
    });
    expect(await collect(client.listTools())).toEqual([{ name: 'a', inputSchema: { type: 'object' } }]);
    for (let round = 0; round < 2; round++)
      expect((await client.callTool('a')).content).toEqual([{ type: 'text', text: 'b' }]);
    expect(errors).toEqual(['peer/deviation']);
    await client.close();
  });

  it('uses a server that refuses the log level, and reports the refusal', async () => {
    const script = { 'logging/setLevel': () => failing(-32601), 'tools/call': () => ({ content: [] }) };
    const { client, errors, sent } = await scripted(
      version,
      script,
      { logLevel: 'debug' },
      {
        capabilities: { ...capabilities, logging: {} },
      },
    );
    expect((await client.callTool('a')).content).toEqual([]);
    const requests = version === EXTENSION ? 0 : 1;
    expect(sent('logging/setLevel')).toHaveLength(requests);
    expect(errors).toEqual(requests === 0 ? [] : ['peer/error']);
    const setting = client.setLogLevel('info');
    if (requests === 0) await setting;
    else await expect(setting).rejects.toMatchObject({ code: 'peer/error', rpcCode: -32601 });
    await client.close();
  });

  it('delivers structured content without other content', async () => {
    const { client } = await start(version, { 'tools/call': () => ({ structuredContent: { sum: 5 } }) });
    expect(await client.callTool('a')).toMatchObject({ structuredContent: { sum: 5 }, content: [] });
    await client.close();
  });

  it.each(['off', 'warn', 'error'] as const)(
    'treats a result that breaks its output schema as validate: %s says',
    async validate => {
      const outputSchema = { type: 'object', properties: { sum: { type: 'integer' } } };
      const script = {
        'tools/list': () => ({ tools: [{ ...tool, outputSchema }] }),
        'tools/call': () => ({ structuredContent: { sum: 'five' }, content: [] }),
      };
      const { client, errors } = await start(version, script, { validate });
      await collect(client.listTools());
      errors.splice(0);
      const call = client.callTool('a');
      if (validate === 'error') await expect(call).rejects.toMatchObject({ code: 'peer/invalid-result' });
      else expect(await call).toMatchObject({ structuredContent: { sum: 'five' } });
      expect(errors).toEqual(validate === 'warn' ? ['peer/invalid-result'] : []);
      await client.close();
    },
  );

  it('lists nothing for a list that the server omits or does not know', async () => {
    const missing: string[] = [];
    const { client, errors } = await start(version, { 'resources/list': () => ({}) });
    const options = (list: string) => ({ onListMissing: () => void missing.push(list) });
    expect(await collect(client.listResources(options('resources')))).toEqual([]);
    expect(await collect(client.listResourceTemplates(options('templates')))).toEqual([]);
    expect(await collect(client.listPrompts(options('prompts')))).toEqual([]);
    expect(missing).toEqual(['resources', 'templates', 'prompts']);
    expect(errors).toEqual(['peer/deviation', 'peer/deviation']);
    await client.close();
  });

  it('rejects all deviations with `strict`', async () => {
    const { client, errors } = await start(
      version,
      {
        'tools/list': () => ({ tools: [{ name: 'a', inputSchema: { type: 'object' } }] }),
        'tools/call': () => ({ content: [], isError: null }),
        'prompts/list': () => ({ prompts: [{ name: 'a', description: null }] }),
        'resources/list': () => ({}),
      },
      { strict: true },
    );
    const invalid = { code: 'peer/invalid-result' };
    await expect(client.callTool('a')).rejects.toMatchObject(invalid);
    await expect(collect(client.listPrompts())).rejects.toMatchObject(invalid);
    await expect(collect(client.listResources())).rejects.toMatchObject(invalid);
    await expect(collect(client.listResourceTemplates())).rejects.toMatchObject({ rpcCode: -32601 });
    expect(errors).toEqual([]);
    await client.close();
  });

  it('reports an error of a list other than a missing method', async () => {
    const { client } = await start(version, { 'resources/list': () => failing(-32603, 'Internal error') });
    await expect(collect(client.listResources())).rejects.toMatchObject({ rpcCode: -32603 });
    await client.close();
  });
});

/** Opens a client of a server that answers each request with a message, and returns the client's messages. */
async function connectToRaw(reply: (request: JsonObject) => JsonObject[], options: ClientOptions = {}) {
  const received: JsonObject[] = [];
  const open = () => {
    const pair = createTransportPair();
    const onMessage = (value: unknown) => {
      const message = value as JsonObject;
      received.push(message);
      if (message.method !== undefined && message.id !== undefined)
        for (const each of reply(message)) void pair.server.send({ jsonrpc: '2.0', ...each } as never);
    };
    pair.server.open({ onMessage, onParseError() {}, onResponseLost() {}, onClose() {} });
    return pair.client;
  };
  const client = await connectTo(createTransportEndpoint(open), { protocolVersion: '2025-06-18', ...options });
  return { client, received };
}

const initialized = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {}, prompts: null },
  serverInfo: { name: 'a', version: '1' },
  instructions: null,
};

describe('a client whose server sends null members', () => {
  it('reports the deviation to the first listener although it happened while connecting', async () => {
    const { client } = await connectToRaw(({ id }) => [{ id, result: initialized, error: null }]);
    const errors: unknown[] = [];
    client.on('error', ({ code, data }) => errors.push([code, data]));
    expect(client.server.instructions).toBeUndefined();
    expect(client.server.capabilities).toEqual({ tools: {} });
    expect(errors).toEqual([['peer/deviation', { deviation: 'null-member' }]]);
    await client.close();
  });

  it('does not connect with `strict`', async () => {
    const opening = connectToRaw(({ id }) => [{ id, result: initialized }], { strict: true });
    await expect(opening).rejects.toMatchObject({ code: 'peer/invalid-result' });
  });

  it('accepts a sampling request with null members and another method name, unless `strict` is set', async () => {
    const sampling = { messages: [], maxTokens: 1, systemPrompt: null };
    const reply = ({ id, method }: JsonObject) =>
      method === 'initialize'
        ? [{ id, result: { ...initialized, capabilities: {}, instructions: '' } }]
        : [
            { id: 'q', method: 'sampling/complete', params: sampling },
            { id, result: {} },
          ];
    const requests: unknown[] = [];
    const sample: ClientOptions['sample'] = params => {
      requests.push(params);
      return { role: 'assistant', content: { type: 'text', text: 'b' }, model: 'm' };
    };
    for (const strict of [false, true]) {
      const { client, received } = await connectToRaw(reply, { sample, strict });
      await client.ping();
      await new Promise(resolve => setImmediate(resolve));
      const response = received.find(({ id }) => id === 'q');
      expect(response).toMatchObject(strict ? { error: { code: -32601 } } : { result: { model: 'm' } });
      await client.close();
    }
    expect(requests).toEqual([{ messages: [], maxTokens: 1 }]);
  });
});

describe('a capability that the server does not declare', () => {
  const reply = ({ id, method }: JsonObject): JsonObject[] =>
    method === 'initialize'
      ? [{ id, result: { ...initialized, capabilities: {}, instructions: '' } }]
      : [{ id, result: method === 'tools/list' ? { tools: [{ name: 'a', inputSchema: { type: 'object' } }] } : {} }];

  it('refuses the call, and names the option that assumes the capability', async () => {
    const { client, received } = await connectToRaw(reply);
    await expect(collect(client.listTools())).rejects.toMatchObject({
      code: 'call/not-offered',
      hint: expect.stringContaining("assumeCapabilities: ['tools']"),
    });
    expect(received.map(({ method }) => method)).not.toContain('tools/list');
    await client.close();
  });

  it('sends the call when the option names the capability', async () => {
    const options: ClientOptions = { assumeCapabilities: ['tools', 'resources.subscribe'] };
    const { client } = await connectToRaw(reply, options);
    expect(client.server.capabilities).toEqual({ tools: {}, resources: { subscribe: true } });
    expect(await collect(client.listTools())).toMatchObject([{ name: 'a' }]);
    await client.close();
    await expect(connectToRaw(reply, { assumeCapabilities: ['tool' as 'tools'] })).rejects.toMatchObject({
      code: 'connect/options',
    });
  });
});

describe('a result that requests input', () => {
  const answered = { content: [{ type: 'text', text: 'done' }] };
  const withNull = () => {
    let round = 0;
    return () => (round++ === 0 ? { resultType: 'input_required', inputRequests: null, requestState: 's' } : answered);
  };

  it('may have null for the input requests', async () => {
    const { client, errors, sent } = await start(EXTENSION, { 'tools/call': withNull() });
    expect(await client.callTool('a')).toMatchObject(answered);
    expect(sent('tools/call')[1]).toMatchObject({ requestState: 's' });
    expect(errors).toEqual(['peer/deviation']);
    await client.close();
  });

  it('may not with `strict`', async () => {
    const { client } = await start(EXTENSION, { 'tools/call': withNull() }, { strict: true });
    await expect(client.callTool('a')).rejects.toMatchObject({
      code: 'peer/invalid-result',
      message: expect.stringContaining('/inputRequests'),
    });
    await client.close();
  });
});
