import { TenonError } from '@tenon/base';
import { connectPair, fakeClock, protocolVersions } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { toolError, toolResult } from '../handler/tool-result.js';
import { prompt } from './definitions/prompt.js';
import { resource } from './definitions/resource.js';
import { tool } from './definitions/tool.js';
import { createServer } from './server.js';

const numbered = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;
const lettered = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } as const;
const mirrored = { type: 'object', properties: { x: { type: 'string', 'x-mcp-header': 'a b' } } } as const;
const refuse = (error: unknown) => () => Promise.reject(error);

const server = createServer({
  name: 's',
  version: '1',
  pageSize: 2,
  onError: () => {},
  cache: { ttlMs: 5, cacheScope: 'public' },
  tools: {
    double: tool({ input: numbered, output: numbered, run: ({ n }) => ({ n: Number(n) * 2 }) }),
    wrong: tool({ output: numbered, run: () => ({ n: 'secret' }) as never }),
    text: tool({ run: () => 'text' }),
    list: tool({ run: () => ['a', { type: 'text', text: 'b' }] }),
    json: tool({ run: () => ({ a: [1] }) }),
    nothing: tool({ run: () => undefined }),
    both: tool({ run: () => toolResult({ content: 'c', structuredContent: { a: 1 }, _meta: { 'a.b/c': 1 } }) }),
    fails: tool({ run: (_, ctx) => ctx.fail('kept') }),
    'for-model': tool({ run: refuse(toolError('for the model')) }),
    'of-another': tool({ run: refuse(new TenonError('tool/failed', 'secret', { peer: 'stdio: /home/me/x.js' })) }),
    throws: tool({ run: refuse(new Error('secret')) }),
    hidden: tool({ visible: ({ auth }) => auth?.principal === 'ann', run: () => 'seen' }),
  },
  prompts: {
    text: prompt({ description: 'd', run: () => 'words' }),
    many: prompt({ run: () => ['a', { role: 'assistant', content: { type: 'text', text: 'b' } }] }),
    needs: prompt({
      input: lettered,
      run: ({ a }) => `got ${a}`,
      complete: { a: ['one', 'Other', 'two'] },
    }),
    wrong: prompt({ run: () => [{ role: 'nobody', content: 5 }] as never }),
  },
  resources: {
    'a:text': resource({ mimeType: 'text/plain', read: () => 'text', cache: { ttlMs: 7, cacheScope: 'public' } }),
    'a:bytes': resource({ read: () => new Uint8Array(20_000).fill(255) }),
    'a:parts': resource({
      read: () => [
        { uri: 'a:1', text: '1' },
        { uri: 'a:2', blob: 'AA==' },
      ],
    }),
    'a:none': resource({ read: () => undefined }),
    'b:{x}': resource({
      read: ({ x }) => `x=${x}`,
      list: () => [{ x: '1', title: 'one' }, { x: '2' }],
      complete: { x: typed => Array.from({ length: 150 }, (_, n) => `${typed}${n}`) },
    }),
  },
});

const start = (protocolVersion: string) => connectPair(server, { protocolVersion, validate: 'off', cacheSize: 0 });
const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'result',
    (error: TenonError) => error.rpcCode ?? error.code,
  );

describe.each(protocolVersions)('a server on %s', version => {
  const newest = version === '2026-07-28';

  it('validates arguments before a tool runs [tools.security.inputs-validated tools.call.input-validation-execution-error tools.call.invalid-arguments-protocol-error]', async () => {
    const client = await start(version);
    const call = client.callTool('double', { n: 'x' });
    if (['2025-11-25', '2026-07-28'].includes(version)) {
      const text = expect.stringMatching(/^Invalid arguments for tool double: .*\/?n/s);
      expect(await call).toMatchObject({ isError: true, content: [{ text }] });
    } else expect(await code(call)).toBe(-32602);
    expect(await client.callTool('double', { n: 4 })).toMatchObject({ content: [{ type: 'text', text: '{"n":8}' }] });
    await client.close();
  });

  it.each([
    ['text', [{ type: 'text', text: 'text' }]],
    [
      'list',
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    ],
    ['json', [{ type: 'text', text: '{"a":[1]}' }]],
    ['nothing', [{ type: 'text', text: '' }]],
    ['both', [{ type: 'text', text: 'c' }]],
  ])('converts what the tool %s returns to content [tools.call.is-error-default]', async (name, content) => {
    const client = await start(version);
    const result = await client.callTool(name);
    expect(result).toMatchObject({ content });
    expect(result).not.toHaveProperty('isError', true);
    await client.close();
  });

  it.each([
    ['fails', 'kept'],
    ['for-model', 'for the model'],
    ['of-another', 'Tool of-another failed'],
    ['throws', 'Tool throws failed'],
    ['wrong', 'Tool wrong failed'],
  ])('reports of the failed tool %s only what the model may know', async (name, text) => {
    const client = await start(version);
    expect(await client.callTool(name)).toMatchObject({ isError: true, content: [{ type: 'text', text }] });
    await client.close();
  });

  it('rejects a tool that the caller cannot see like an unknown one [tools.call.unknown-tool-error tools.security.access-control]', async () => {
    const client = await start(version);
    for (const name of ['hidden', 'no-such', 'constructor', '__proto__'])
      expect(await code(client.callTool(name))).toBe(-32602);
    const names: string[] = [];
    for await (const { name } of client.listTools()) names.push(name);
    expect(names).toHaveLength(11);
    expect(names).not.toContain('hidden');
    await client.close();
  });

  it('lists in pages [pagination.operations pagination.next-cursor-when-more tools.list.answered resources.list.answered prompts.list.answered]', async () => {
    const client = await start(version);
    const uris: string[] = [];
    for await (const { uri } of client.listResources()) uris.push(uri);
    expect(uris.toSorted()).toEqual(['a:bytes', 'a:none', 'a:parts', 'a:text', 'b:1', 'b:2']);
    const prompts: string[] = [];
    for await (const { name } of client.listPrompts()) prompts.push(name);
    expect(prompts.toSorted()).toEqual(['many', 'needs', 'text', 'wrong']);
    const first = await client.call('prompts/list');
    expect(first).toMatchObject({ prompts: [{}, {}], nextCursor: expect.any(String) });
    expect(await client.call('prompts/list', { cursor: first.nextCursor as string })).not.toHaveProperty('nextCursor');
    expect(await client.call('resources/templates/list')).toMatchObject({
      resourceTemplates: [{ uriTemplate: 'b:{x}' }],
    });
    await client.close();
  });

  it('reads resources in the form that they have [resources.contents.text-only-for-text resources.security.binary-encoded]', async () => {
    const client = await start(version);
    expect(await client.readResource('a:text')).toMatchObject({
      contents: [{ uri: 'a:text', mimeType: 'text/plain', text: 'text' }],
    });
    expect(await client.readResource('b:7')).toMatchObject({ contents: [{ uri: 'b:7', text: 'x=7' }] });
    expect(await client.readResource('a:parts')).toMatchObject({ contents: [{ uri: 'a:1' }, { uri: 'a:2' }] });
    const { contents } = await client.readResource('a:bytes');
    const { blob } = contents[0] as { blob: string };
    expect(Buffer.from(blob, 'base64')).toEqual(Buffer.alloc(20_000, 255));
    await client.close();
  });

  it('reports a missing resource with the error of the protocol version [resources.read.not-found-32602 errors.retired-codes-not-emitted resources.read.not-found-no-empty-contents resources.security.uris-validated]', async () => {
    const client = await start(version);
    for (const uri of ['a:none', 'no:such', '', 'constructor', 'b:../x', 'b:%2e%2e%2fx'])
      expect(await code(client.readResource(uri))).toBe(newest ? -32602 : -32002);
    await client.close();
  });

  it('returns prompts, and validates their arguments [prompts.security.validated]', async () => {
    const client = await start(version);
    const text = (words: string, role = 'user') => ({ role, content: { type: 'text', text: words } });
    expect(await client.call('prompts/get', { name: 'text' })).toMatchObject({
      description: 'd',
      messages: [text('words')],
    });
    expect(await client.call('prompts/get', { name: 'many' })).toMatchObject({
      messages: [text('a'), text('b', 'assistant')],
    });
    expect(await client.call('prompts/get', { name: 'needs', arguments: { a: '1' } })).toMatchObject({
      messages: [text('got 1')],
    });
    expect(await code(client.call('prompts/get', { name: 'needs' }))).toBe(-32602);
    expect(await code(client.call('prompts/get', { name: 'no' }))).toBe(-32602);
    expect(await code(client.call('prompts/get', { name: 'wrong' }))).toBe(-32603);
    await client.close();
  });

  it('returns at most a hundred completions [completion.max-100-values completion.security.inputs-validated]', async () => {
    const client = await start(version);
    const complete = (ref: object, name: string, value = '') =>
      client.complete({ ref: ref as never, argument: { name, value } });
    expect(await complete({ type: 'ref/prompt', name: 'needs' }, 'a', 'O')).toEqual({
      values: ['one', 'Other'],
      total: 2,
      hasMore: false,
    });
    const many = await complete({ type: 'ref/resource', uri: 'b:{x}' }, 'x', 'v');
    expect(many).toMatchObject({ total: 150, hasMore: true });
    expect(many.values).toHaveLength(100);
    for (const name of ['no', 'constructor', '__proto__'])
      expect(await complete({ type: 'ref/prompt', name: 'needs' }, name)).toMatchObject({ values: [] });
    expect(await code(complete({ type: 'ref/prompt', name: 'no' }, 'a'))).toBe(-32602);
    expect(await code(complete({ type: 'ref/resource', uri: 'b:{y}' }, 'a'))).toBe(-32602);
    await client.close();
  });

  it.runIf(newest)(
    'sends the lifetime of results, with scope private where callers differ [caching.hints-required caching.shape caching.call-results-unhinted caching.same-scope-all-pages caching.ttl-non-negative]',
    async () => {
      const client = await start(version);
      expect(await client.call('prompts/list')).toMatchObject({ ttlMs: 5, cacheScope: 'public' });
      expect(await client.call('tools/list')).toMatchObject({ ttlMs: 5, cacheScope: 'private' });
      expect(await client.call('resources/list')).toMatchObject({ ttlMs: 5, cacheScope: 'private' });
      expect(await client.readResource('a:text')).toMatchObject({ ttlMs: 7, cacheScope: 'public' });
      expect(await client.readResource('a:bytes')).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
      expect(await client.call('prompts/get', { name: 'text' })).not.toHaveProperty('ttlMs');
      expect(await client.callTool('text')).not.toHaveProperty('ttlMs');
      await client.close();
    },
  );
});

describe('createServer() with an invalid definition', () => {
  const define = (more: object) => () => createServer({ name: 's', version: '1', ...more });
  const run = () => '';
  it.each([
    ['a tool name with a space', { tools: { 'a b': tool({ run }) } }, 'tool/name'],
    ['a tool name that is too long', { tools: { ['a'.repeat(129)]: tool({ run }) } }, 'tool/name'],
    [
      'input that is not an object [tools.input-schema.valid]',
      { tools: { a: tool({ input: { type: 'string' }, run }) } },
      'tool/input',
    ],
    ['a header name that is none', { tools: { a: tool({ input: mirrored, run }) } }, 'tool/x-mcp-header'],
    ['a method of the protocol', { methods: { ping: { run: () => ({}) } } }, 'server/method-taken'],
    [
      'a method of an extension [ext-tasks.reserved-names]',
      { methods: { 'tasks/mine': { run: () => ({}) } } },
      'server/method-taken',
    ],
    [
      'an extension without a prefix [versioning.extension-id-rules]',
      { extensions: [{ id: 'thing' }] },
      'server/extension-id',
    ],
    ['a version that there is not', { protocolVersions: ['2099-01-01'] }, 'server/protocol-version'],
    ['no version', { protocolVersions: [] }, 'server/no-protocol-version'],
  ])('throws at once: %s', (_, more, expected) => {
    expect(define(more)).toThrow(expect.objectContaining({ code: expected }));
  });
});

describe('a list of tools that changes', () => {
  it.each(protocolVersions)('notifies watchers on %s once for many changes', async protocolVersion => {
    const clock = fakeClock();
    const changing = createServer({ name: 's', version: '1', clock, tools: { a: tool({ run: () => '' }) } });
    const client = await connectPair(changing, { protocolVersion });
    const controller = new AbortController();
    const received: unknown[] = [];
    const watching = (async () => {
      for await (const change of client.watch({ tools: true }, { signal: controller.signal })) {
        received.push(change);
        controller.abort();
      }
    })();
    for (let n = 0; n < 10; n++) await new Promise(resolve => setImmediate(resolve));
    for (let n = 0; n < 10; n++) changing.tools.set(`t${n}`, tool({ run: () => '' }));
    clock.advance(20);
    await watching;
    expect(received).toEqual([{ list: 'tools' }]);
    await client.close();
  });
});
