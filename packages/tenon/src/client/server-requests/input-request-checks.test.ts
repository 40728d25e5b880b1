import type { JsonObject } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { tool } from '../../server/definitions/tool.js';
import { createServer } from '../../server/server.js';
import { createTransportPair } from '../../transports/memory.js';
import { connectTo } from '../connect.js';
import { createInProcessEndpoint, createTransportEndpoint } from '../connection/endpoint.js';
import type { ClientOptions } from '../options.js';
import { EXTENSION, scripted } from '../tasks/fixtures/scripted.js';
import { findInputRequestIssue } from './input-request-checks.js';

const text = { type: 'text', text: 'a' };
const sampling = (content: unknown, more: JsonObject = {}) => ({
  messages: [{ role: 'user', content }],
  maxTokens: 1,
  ...more,
});
const form = (properties: JsonObject, more: JsonObject = {}) => ({
  message: 'm',
  requestedSchema: { type: 'object', properties, ...more },
});

const malformed: readonly (readonly [string, JsonObject])[] = [
  ['sampling/createMessage', sampling({ type: 'text' })],
  ['sampling/createMessage', sampling([text, { type: 'text', text: 5 }])],
  ['sampling/createMessage', sampling({ type: 'image', data: 'aa' })],
  ['sampling/createMessage', sampling({ type: 'tool_use', id: '1', name: 'a' })],
  ['sampling/createMessage', sampling({ type: 'tool_result', toolUseId: '1' })],
  ['sampling/createMessage', sampling({ type: 'tool_result', toolUseId: '1', content: [{ type: 'text' }] })],
  ['sampling/createMessage', sampling('a')],
  ['sampling/createMessage', sampling(undefined)],
  ['sampling/createMessage', { messages: [{ role: 'system', content: text }], maxTokens: 1 }],
  ['sampling/createMessage', sampling(text, { maxTokens: '5' })],
  ['sampling/createMessage', sampling(text, { systemPrompt: 5 })],
  ['sampling/createMessage', sampling(text, { stopSequences: 'a' })],
  ['sampling/createMessage', sampling(text, { tools: [{ name: 'a' }] })],
  ['sampling/createMessage', sampling(text, { toolChoice: { mode: 'some' } })],
  ['sampling/createMessage', sampling(text, { modelPreferences: { hints: ['a'] } })],
  ['elicitation/create', { message: 'm' }],
  ['elicitation/create', { message: 'm', mode: 'form', url: 'https://a' }],
  ['elicitation/create', { message: 'm', mode: 'voice', requestedSchema: { type: 'object', properties: {} } }],
  ['elicitation/create', { message: 'm', requestedSchema: {} }],
  ['elicitation/create', { message: 'm', requestedSchema: { type: 'array', properties: {} } }],
  ['elicitation/create', { message: 'm', requestedSchema: { type: 'object' } }],
  ['elicitation/create', form({ a: { type: 'object', properties: { b: { type: 'string' } } } })],
  ['elicitation/create', form({ a: { type: 'array', items: { type: 'object', properties: {} } } })],
  ['elicitation/create', form({ a: { type: 'array' } })],
  ['elicitation/create', form({ a: { $ref: '#/$defs/b' } })],
  ['elicitation/create', form({ a: { anyOf: [{ type: 'object', properties: {} }, { type: 'null' }] } })],
  ['elicitation/create', form({ a: {} })],
  ['elicitation/create', form({ a: 'string' })],
  ['elicitation/create', form({ a: { type: 'string', title: {} } })],
  ['elicitation/create', form({ a: { type: 'string' } }, { required: 'a' })],
  ['elicitation/create', { mode: 'url', message: 'm' }],
  ['elicitation/create', { mode: 'url', message: 'm', url: 'no URL' }],
];

const wellFormed: readonly (readonly [string, JsonObject])[] = [
  [
    'sampling/createMessage',
    sampling(text, { temperature: 0.5, modelPreferences: { hints: [{ name: 'a' }], costPriority: 1 } }),
  ],
  ['sampling/createMessage', sampling([text, { type: 'audio', data: 'aa', mimeType: 'audio/wav' }])],
  [
    'sampling/createMessage',
    sampling({ type: 'tool_result', toolUseId: '1', content: [text], structuredContent: null }),
  ],
  ['sampling/createMessage', sampling({ type: 'com.example/later', a: 1 })],
  ['elicitation/create', form({})],
  [
    'elicitation/create',
    form({ a: { type: 'string', format: 'email', minLength: 1 }, b: { type: 'integer', minimum: 0 } }),
  ],
  [
    'elicitation/create',
    form({ a: { type: 'string', enum: ['b'], enumNames: ['B'] }, c: { type: 'boolean', default: true } }),
  ],
  ['elicitation/create', form({ a: { type: 'string', oneOf: [{ const: 'b', title: 'B' }] } })],
  ['elicitation/create', form({ a: { type: 'array', items: { type: 'string', enum: ['b'] }, minItems: 1 } })],
  ['elicitation/create', form({ a: { type: 'array', items: { anyOf: [{ const: 'b', title: 'B' }] } } })],
  ['elicitation/create', form({ a: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null } })],
  ['elicitation/create', form({ a: { type: ['string', 'null'] } })],
  ['elicitation/create', { mode: 'url', message: 'm', url: 'https://a.example/b' }],
  ['roots/list', {}],
];

describe('findInputRequestIssue', () => {
  it.each(malformed)('finds the malformed member: %s %j', (method, params) => {
    expect(findInputRequestIssue(method, params)).toMatch(/^at \/.*: expected /);
  });

  it.each(wellFormed)('accepts a well-formed request: %s %j', (method, params) => {
    expect(findInputRequestIssue(method, params)).toBeUndefined();
  });
});

/** Handlers that record what they get. */
function createHandlers() {
  const received: unknown[] = [];
  const options: ClientOptions = {
    elicit(request) {
      received.push(request);
      return { action: 'accept', content: {} };
    },
    elicitUrl(request) {
      received.push(request);
      return { action: 'accept' };
    },
    sample(request) {
      received.push(request);
      return { role: 'assistant', content: { type: 'text', text: 'a' }, model: 'm' };
    },
  };
  return { received, options };
}

describe('a malformed input request', () => {
  it.each(malformed)('responds -32602 to the server without calling the handler: %s %j', async (method, params) => {
    const { received, options } = createHandlers();
    const responses: JsonObject[] = [];
    const open = () => {
      const { client, server } = createTransportPair();
      const onMessage = (value: unknown) => {
        const message = value as JsonObject;
        if (message.id === 'q') responses.push(message);
        else if (message.id !== undefined) {
          const serverInfo = { name: 'a', version: '1' };
          const result =
            message.method === 'initialize' ? { protocolVersion: '2025-11-25', capabilities: {}, serverInfo } : {};
          if (message.method === 'ping') void server.send({ jsonrpc: '2.0', id: 'q', method, params } as never);
          void server.send({ jsonrpc: '2.0', id: message.id, result } as never);
        }
      };
      server.open({ onMessage, onParseError() {}, onResponseLost() {}, onClose() {} });
      return client;
    };
    const options2025 = { ...options, protocolVersion: '2025-11-25', sampleTools: true } as const;
    const client = await connectTo(createTransportEndpoint(open), options2025);
    await client.ping();
    while (responses.length === 0) await new Promise(resolve => setImmediate(resolve));
    expect(responses).toMatchObject([
      { error: { code: -32602, message: expect.stringContaining('Invalid params: at /') } },
    ]);
    expect(received).toEqual([]);
    await client.close();
  });

  it.each(malformed)('fails the call on 2026-07-28: %s %j', async (method, params) => {
    const { received, options } = createHandlers();
    const script = {
      'tools/call': () => ({
        resultType: 'input_required',
        inputRequests: { q: { method, params } },
        requestState: 's',
      }),
    };
    const { client, sent } = await scripted(
      EXTENSION,
      script,
      { ...options, sampleTools: true },
      { capabilities: { tools: {} } },
    );
    const invalid = {
      code: 'peer/invalid-result',
      summary: expect.stringContaining(`the input request ${method} is malformed`),
    };
    await expect(client.callTool('a')).rejects.toMatchObject(invalid);
    await expect(client.call('tools/call', { name: 'a' }, { resolveInputRequests: false })).rejects.toMatchObject(
      invalid,
    );
    expect(received).toEqual([]);
    expect(sent('tools/call')).toHaveLength(2);
    await client.close();
  });
});

describe('a server of this library', () => {
  it.each(['2025-06-18', '2025-11-25', '2026-07-28'] as const)(
    'sends only well-formed input requests on %s',
    async protocolVersion => {
      const { received, options } = createHandlers();
      const server = createServer({
        name: 'a',
        version: '1',
        tools: {
          ask: tool({
            async run(_, ctx) {
              await ctx.sample({ messages: [{ role: 'user', content: { type: 'text', text: 'a' } }], maxTokens: 1 });
              await ctx.elicit({
                message: 'm',
                input: { type: 'object', properties: { a: { type: 'string', enum: ['b'] } } },
              });
              return 'done';
            },
          }),
        },
      });
      const client = await connectTo(createInProcessEndpoint(server), { ...options, protocolVersion });
      expect(await client.callTool('ask')).toMatchObject({ content: [{ text: 'done' }] });
      expect(received).toHaveLength(2);
      await client.close();
    },
  );
});
