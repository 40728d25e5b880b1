import type { JsonObject, TenonError } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { isListMissing, readMethod, readParams, readResult, withLists } from './tolerant-reading.js';

function connectionWith(strict = false) {
  const errors: TenonError[] = [];
  return { peer: 'notes', strict, errors, onError: (error: TenonError) => void errors.push(error) };
}

const tool = { name: 'a', inputSchema: { type: 'object', properties: { b: { default: null } } } };
const text = { type: 'text', text: 'a' };

/** Side, method, message with nulls, and the message as it is read. */
const nulls: readonly (readonly ['params' | 'result', string, JsonObject, JsonObject])[] = [
  [
    'result',
    'tools/list',
    {
      tools: [
        { ...tool, description: null, outputSchema: null, annotations: null, _meta: null },
        { ...tool, title: null, icons: null, execution: null, annotations: { readOnlyHint: null, title: 'b' } },
      ],
      nextCursor: null,
      _meta: null,
    },
    { tools: [tool, { ...tool, annotations: { title: 'b' } }] },
  ],
  [
    'result',
    'tools/call',
    {
      content: [
        { ...text, annotations: null, _meta: null },
        { type: 'resource', resource: { uri: 'a:b', text: 'c', blob: null, mimeType: null } },
      ],
      isError: null,
    },
    { content: [text, { type: 'resource', resource: { uri: 'a:b', text: 'c' } }] },
  ],
  [
    'result',
    'resources/list',
    { resources: [{ uri: 'a:b', name: 'c', mimeType: null, size: null }] },
    { resources: [{ uri: 'a:b', name: 'c' }] },
  ],
  [
    'result',
    'resources/templates/list',
    { resourceTemplates: [{ uriTemplate: 'a:{b}', name: 'c', mimeType: null }] },
    { resourceTemplates: [{ uriTemplate: 'a:{b}', name: 'c' }] },
  ],
  [
    'result',
    'prompts/list',
    {
      prompts: [
        { name: 'a', arguments: [{ name: 'b', required: null }] },
        { name: 'c', arguments: null },
      ],
    },
    { prompts: [{ name: 'a', arguments: [{ name: 'b' }] }, { name: 'c' }] },
  ],
  [
    'result',
    'prompts/get',
    { description: null, messages: [{ role: 'user', content: { ...text, annotations: null } }] },
    { messages: [{ role: 'user', content: text }] },
  ],
  [
    'result',
    'resources/read',
    { contents: [{ uri: 'a:b', text: '', blob: null }] },
    { contents: [{ uri: 'a:b', text: '' }] },
  ],
  [
    'result',
    'initialize',
    {
      protocolVersion: 'v',
      instructions: null,
      serverInfo: { name: 'a', version: '1', title: null },
      capabilities: { tools: { listChanged: null }, prompts: null, experimental: null },
    },
    { protocolVersion: 'v', serverInfo: { name: 'a', version: '1' }, capabilities: { tools: {} } },
  ],
  [
    'result',
    'completion/complete',
    { completion: { values: [], total: null, hasMore: null } },
    { completion: { values: [] } },
  ],
  ['result', 'elicitation/create', { action: 'decline', content: null }, { action: 'decline' }],
  [
    'result',
    'sampling/createMessage',
    { role: 'assistant', model: 'm', content: text, stopReason: null },
    { role: 'assistant', model: 'm', content: text },
  ],
  ['result', 'roots/list', { roots: [{ uri: 'file:///a', name: null }] }, { roots: [{ uri: 'file:///a' }] }],
  ['params', 'tools/call', { name: 'a', arguments: null, _meta: null }, { name: 'a' }],
  ['params', 'prompts/get', { name: 'a', arguments: null }, { name: 'a' }],
  ['params', 'resources/list', { cursor: null }, {}],
  [
    'params',
    'initialize',
    {
      clientInfo: { name: 'a', version: '1', websiteUrl: null },
      capabilities: { sampling: null, roots: { listChanged: null } },
    },
    { clientInfo: { name: 'a', version: '1' }, capabilities: { roots: {} } },
  ],
  [
    'params',
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'a', uri: null }, argument: { name: 'b', value: '' }, context: null },
    { ref: { type: 'ref/prompt', name: 'a' }, argument: { name: 'b', value: '' } },
  ],
  [
    'params',
    'sampling/createMessage',
    { messages: [{ role: 'user', content: text }], maxTokens: 1, systemPrompt: null, tools: null, metadata: null },
    { messages: [{ role: 'user', content: text }], maxTokens: 1 },
  ],
  [
    'params',
    'elicitation/create',
    { mode: 'url', message: 'm', url: 'https://a', requestedSchema: null },
    { mode: 'url', message: 'm', url: 'https://a' },
  ],
  [
    'params',
    'notifications/progress',
    { progressToken: 1, progress: 2, total: null, message: null },
    { progressToken: 1, progress: 2 },
  ],
];

const read = { params: readParams, result: readResult };

describe('null in an optional member', () => {
  it.each(nulls)('counts as absent in the %s of %s', (side, method, message, expected) => {
    const connection = connectionWith();
    expect(read[side](connection, method, message)).toEqual(expected);
    expect(connection.errors).toMatchObject([{ code: 'peer/deviation', method, data: { deviation: 'null-member' } }]);
  });

  it.each(nulls)('fails with `strict` in the %s of %s', (side, method, message) => {
    const connection = connectionWith(true);
    const expected = side === 'result' ? { code: 'peer/invalid-result' } : { rpcCode: -32602 };
    expect(() => read[side](connection, method, message)).toThrow(expect.objectContaining(expected));
    expect(connection.errors).toEqual([]);
  });

  it('causes one report per connection, with the first paths', () => {
    const [one, other] = [connectionWith(), connectionWith()];
    for (const connection of [one, one, other]) {
      readResult(connection, 'tools/call', { content: [], isError: null });
      readResult(connection, 'prompts/get', { messages: [], description: null });
    }
    expect(one.errors.map(({ message }) => message)).toEqual([
      expect.stringContaining('notes, tools/call: null counts as absent at /isError.'),
    ]);
    expect(other.errors).toHaveLength(1);
  });
});

describe('null with a meaning', () => {
  it.each([
    ['result', 'tools/call', { content: [], structuredContent: null }],
    ['result', 'tools/call', { content: [], structuredContent: { a: null } }],
    ['result', 'tools/call', { resultType: null, content: [] }],
    ['result', 'tools/call', { resultType: 'task', taskId: 'a', status: 'working', ttlMs: null, ttl: null }],
    ['result', 'tools/call', { resultType: 'input_required', requestState: null }],
    ['result', 'tools/list', { tools: [{ name: 'a', inputSchema: null }] }],
    ['result', 'tools/list', { tools: [{ name: 'a', inputSchema: { default: null } }] }],
    ['result', 'tools/list', { tools: [{ name: 'a', inputSchema: {}, _meta: { b: null } }] }],
    ['result', 'tasks/get', { taskId: 'a', status: 'working', ttlMs: null }],
    ['result', 'com.example/own', { _meta: null, cursor: null }],
    ['params', 'tools/call', { name: 'a', arguments: { b: null }, inputResponses: null }],
    ['params', 'tools/call', { name: 'a', requestState: null, _meta: { progressToken: null } }],
    ['params', 'prompts/get', { name: null }],
    ['params', 'tools/call', { name: 'a', task: null }],
    ['params', 'notifications/message', { level: 'info', data: null }],
    ['params', 'com.example/own', { cursor: null, _meta: null }],
  ] as const)('stays in the %s of %s: %j', (side, method, message) => {
    const connection = connectionWith();
    expect(read[side](connection, method, message)).toBe(message);
    expect(connection.errors).toEqual([]);
  });
});

describe('a missing list', () => {
  it.each([
    ['tools/list', { nextCursor: 'a' }, { nextCursor: 'a', tools: [] }],
    ['prompts/list', { prompts: null }, { prompts: [] }],
    ['resources/list', {}, { resources: [] }],
    ['resources/templates/list', {}, { resourceTemplates: [] }],
    ['roots/list', {}, { roots: [] }],
    ['tasks/list', {}, { tasks: [] }],
    ['prompts/get', { description: 'a' }, { description: 'a', messages: [] }],
    ['resources/read', { contents: null }, { contents: [] }],
  ])('counts as empty in %s, and differs from an empty one', (method, result, expected) => {
    const connection = connectionWith();
    const complete = withLists(connection, method, result);
    expect(complete).toEqual(expected);
    expect(isListMissing(complete)).toBe(true);
    expect(isListMissing(withLists(connection, method, expected))).toBe(false);
    expect(connection.errors).toMatchObject([{ code: 'peer/deviation', data: { deviation: 'missing-list' } }]);
    expect(withLists(connectionWith(true), method, result)).toBe(result);
  });

  it.each([
    ['tools/call', { structuredContent: { a: 1 } }, { structuredContent: { a: 1 }, content: [] }],
    ['tools/call', { structuredContent: 0, content: null }, { structuredContent: 0, content: [] }],
    ['tools/call', { isError: true }, { isError: true, content: [] }],
    ['tools/call', {}, { content: [] }],
    ['tools/call', { content: null, isError: null }, { content: [], isError: null }],
    ['tools/call', { _meta: {} }, { _meta: {}, content: [] }],
    ['tasks/result', {}, { content: [] }],
    ['completion/complete', {}, { completion: { values: [] } }],
    ['completion/complete', { completion: null }, { completion: { values: [] } }],
    ['tasks/result', { structuredContent: {} }, { structuredContent: {}, content: [] }],
    ['completion/complete', { completion: {} }, { completion: { values: [] } }],
  ])('counts as empty in %s beside the rest of the result: %j', (method, result, expected) => {
    expect(withLists(connectionWith(), method, result)).toEqual(expected);
    expect(withLists(connectionWith(true), method, result)).toBe(result);
  });

  it.each([
    ['tools/call', { resultType: 'task', taskId: 'a' }],
    ['tools/call', { task: { taskId: 'a' } }],
    ['tools/call', { resultType: 'input_required' }],
    ['prompts/get', { resultType: 'input_required' }],
    ['resources/read', { resultType: 'input_required' }],
  ])('stays missing in %s if the result is a task or an input request: %j', (method, result) => {
    expect(withLists(connectionWith(), method, result)).toBe(result);
  });
});

describe('another name of a log level or method', () => {
  it('counts as the known name, unless `strict` refuses it', () => {
    const [connection, strict] = [connectionWith(), connectionWith(true)];
    const message = { level: 'warn', data: 1 };
    expect(readParams(connection, 'notifications/message', message)).toEqual({ level: 'warning', data: 1 });
    expect(readParams(connection, 'logging/setLevel', { level: 'warn' })).toEqual({ level: 'warning' });
    expect(readParams(connection, 'com.example/own', message)).toBe(message);
    expect(readParams(strict, 'notifications/message', message)).toBe(message);
    expect(readMethod(connection, 'sampling/complete')).toBe('sampling/createMessage');
    expect(readMethod(strict, 'sampling/complete')).toBe('sampling/complete');
    expect(connection.errors.map(({ data }) => data)).toEqual([
      { deviation: 'log-level' },
      { deviation: 'method-name' },
    ]);
  });
});
