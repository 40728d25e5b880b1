import { connectPair, fakeClock, protocolVersions } from '@tenon/testing';
import { createServer, prompt, resource, rpcError, type TenonError, tool, toolError } from 'tenon';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Json, meta, newest, peerOf, post, postAlone, site } from './site.js';

const boom = (): never => {
  throw new Error('secret detail');
};

const server = createServer({
  name: 's',
  version: '1',
  tools: {
    fails: tool({ run: boom }),
    says: tool({
      run() {
        throw toolError('The service is closed on Sundays.');
      },
    }),
    typed: tool({ input: z.object({ n: z.number() }), run: () => 'x' }),
  },
  prompts: {
    greets: prompt({
      input: z.object({ name: z.string(), mood: z.enum(['glad', 'sad']).optional() }),
      complete: { name: boom },
      run: ({ name }) => name,
    }),
    fails: prompt({ run: boom }),
  },
  resources: {
    'note://fails': resource({ read: boom }),
    'note://{title}': resource({ name: 'note', read: () => undefined }),
  },
  onError: () => {},
});

const rpcOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: TenonError) => error.rpcCode,
  );

describe.each(protocolVersions)('errors on %s', protocolVersion => {
  const open = () => connectPair(server, { protocolVersion });

  it('are results for the model, for a tool [tools.call.execution-error-in-result, tools.call.execution-errors-to-model]', async () => {
    const client = await open();
    const failed = (text: string) => ({ isError: true, content: [{ type: 'text', text }] });
    expect(await client.callTool('says')).toMatchObject(failed('The service is closed on Sundays.'));
    expect(await client.callTool('fails')).toMatchObject(failed('Tool fails failed'));
    expect(await rpcOf(client.callTool('nothing'))).toBe(-32602);
    await client.close();
  });

  it('have the codes of the specification, for prompts [prompts.get.unknown-name-error, prompts.get.missing-argument-error, prompts.arguments-validated, prompts.internal-error]', async () => {
    const client = await open();
    const get = (params: Json) => rpcOf(client.call('prompts/get', params as never));
    expect(await get({ name: 'nothing' })).toBe(-32602);
    expect(await get({ name: 'greets' })).toBe(-32602);
    expect(await get({ name: 'greets', arguments: { mood: 'glad' } })).toBe(-32602);
    expect(await get({ name: 'greets', arguments: { name: 'Ada', mood: 'angry' } })).toBe(-32602);
    expect(await get({ name: 'greets', arguments: { name: 'Ada', mood: 'glad' } })).toBeUndefined();
    expect(await get({ name: 'fails' })).toBe(-32603);
    await client.close();
  });

  it('name the missing resource, and hide an internal failure [resources.read.not-found-error, resources.read.not-found-uri-in-data, resources.internal-error]', async () => {
    const client = await open();
    for (const uri of ['note://none', 'other://none']) {
      const error = (await client.readResource(uri).catch((thrown: unknown) => thrown)) as TenonError;
      expect(error.rpcCode).toBe(protocolVersion === newest ? -32602 : -32002);
      expect(error.data).toMatchObject({ uri });
    }
    const failed = (await client.readResource('note://fails').catch((thrown: unknown) => thrown)) as TenonError;
    expect(failed.rpcCode).toBe(-32603);
    expect(JSON.stringify([failed.message, failed.data])).not.toContain('secret detail');
    await client.close();
  });

  it('have the codes of the specification, for completion [completion.error.not-supported, completion.error.invalid-prompt-name, completion.error.missing-argument, completion.error.internal]', async () => {
    const client = await open();
    const argument = { name: 'name', value: '' };
    const complete = (params: Json) => rpcOf(client.call('completion/complete', params as never));
    expect(await complete({ ref: { type: 'ref/prompt', name: 'nothing' }, argument })).toBe(-32602);
    expect(await complete({ ref: { type: 'ref/resource', uri: 'other://{x}' }, argument })).toBe(-32602);
    expect(await complete({ ref: { type: 'ref/prompt', name: 'greets' } })).toBe(-32602);
    expect(await complete({ ref: { type: 'ref/prompt', name: 'greets' }, argument })).toBe(-32603);
    await client.close();
    const plain = createServer({ name: 's', version: '1', tools: { t: tool({ run: () => 'x' }) } });
    const params = { ref: { type: 'ref/prompt', name: 'p' }, argument };
    if (protocolVersion === newest) {
      const url = await site(plain);
      const { messages } = await postAlone(url, 'completion/complete', params);
      expect(messages).toMatchObject([{ error: { code: -32601 } }]);
    } else {
      const { ask, close } = await peerOf(plain, protocolVersion);
      expect(await ask('completion/complete', params)).toMatchObject({ error: { code: -32601 } });
      await close();
    }
  });

  it('name invalid log levels [logging.error.invalid-level, logging.invalid-level-error]', async () => {
    if (protocolVersion === newest) {
      const url = await site(server);
      const _meta = { ...meta(), 'io.modelcontextprotocol/logLevel': 'loud' };
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta } };
      const headers = { 'mcp-protocol-version': newest, 'mcp-method': 'tools/list' };
      expect((await post(url, body, headers)).messages).toMatchObject([{ error: { code: -32602 } }]);
      return;
    }
    const { ask, close } = await peerOf(server, protocolVersion);
    expect(await ask('logging/setLevel', { level: 'loud' })).toMatchObject({ error: { code: -32602 } });
    expect(await ask('logging/setLevel', { level: 'error' })).toMatchObject({ result: {} });
    await close();
  });

  it('are protocol errors for invalid cursors [pagination.invalid-cursor-handled, pagination.invalid-cursor-error]', async () => {
    const client = await open();
    for (const cursor of ['x', '-1', '1e9', '"', '\u0000', 'eyJhIjoxfQ=='])
      expect(await rpcOf(client.call('prompts/list', { cursor })), cursor).toBe(-32602);
    expect(await client.call('prompts/list')).toMatchObject({ prompts: [{ name: 'greets' }, { name: 'fails' }] });
    await client.close();
  });

  it('differ between client and server [errors.local-errors-distinguishable]', async () => {
    const clock = fakeClock();
    const slow = createServer({
      name: 's',
      version: '1',
      tools: { waits: tool({ run: () => new Promise<string>(() => {}) }) },
    });
    const client = await connectPair(slow, { protocolVersion, clock });
    const controller = new AbortController();
    const aborted = client.callTool('waits', {}, { signal: controller.signal }).catch((thrown: unknown) => thrown);
    controller.abort();
    expect(await aborted).toMatchObject({ code: 'call/aborted', rpcCode: undefined });
    const late = client.callTool('waits', {}, { idleTimeout: 5000 }).catch((thrown: unknown) => thrown);
    await new Promise(resolve => setTimeout(resolve, 20));
    clock.advance(5000);
    expect(await late).toMatchObject({ code: 'call/timeout', rpcCode: undefined });
    await client.close();
  });
});

describe('errors over HTTP', () => {
  it('have status 200 where they have none of their own [http.ordinary-error-status]', async () => {
    const url = await site(server);
    const status = async (method: string, params: Json) => {
      const { status: given, messages } = await postAlone(url, method, params);
      return [given, (messages[0]?.error as Json | undefined)?.code];
    };
    expect(await status('tools/call', { name: 'nothing' })).toEqual([200, -32602]);
    expect(await status('prompts/get', { name: 'fails' })).toEqual([200, -32603]);
    expect(await status('resources/read', { uri: 'note://none' })).toEqual([200, -32602]);
  });
});

describe.each(protocolVersions.filter(version => version !== newest))(
  'a client that gets an input request on %s',
  protocolVersion => {
    const asks = createServer({
      name: 's',
      version: '1',
      tools: {
        roots: tool({
          run: async (_, ctx) => JSON.stringify(await ctx.roots().catch(({ rpcCode }: TenonError) => rpcCode)),
        }),
        samples: tool({
          run: async (_, ctx) =>
            JSON.stringify(
              await ctx.sample({ messages: [], maxTokens: 1 }).catch(({ rpcCode }: TenonError) => rpcCode),
            ),
        }),
      },
      onError: () => {},
    });

    it('reports a failure, and a refusal of the user [roots.error.internal, sampling.error.user-rejected]', async () => {
      const client = await connectPair(asks, {
        protocolVersion,
        roots: boom,
        sample() {
          throw rpcError(-1, 'User rejected sampling request');
        },
      });
      expect(await client.callTool('roots')).toMatchObject({ content: [{ text: '-32603' }] });
      expect(await client.callTool('samples')).toMatchObject({ content: [{ text: '-1' }] });
      await client.close();
    });
  },
);

describe('names of tools', () => {
  const named = (name: string) => () =>
    createServer({ name: 's', version: '1', tools: { [name]: tool({ run: () => name }) } });

  it.each(['a', 'A-z_0.9', 'x'.repeat(128)])(
    'may be %s [tools.name.charset, tools.name.length]',
    name => void named(name)(),
  );

  it.each(['', 'x'.repeat(129), 'a b', 'a,b', 'a/b', 'a:b', 'ä', 'a\n'])(
    'may not be %j [tools.name.charset, tools.name.length, tools.name.no-special-characters]',
    name => expect(named(name)).toThrow(/invalid tool name/),
  );

  it('are case-sensitive, and listed in the same order each time [tools.name.case-sensitive, tools.list.deterministic-order]', async () => {
    const tools = Object.fromEntries(['b', 'B', 'a', 'z', 'A'].map(name => [name, tool({ run: () => name })]));
    const both = createServer({ name: 's', version: '1', tools });
    const client = await connectPair(both, { cacheSize: 0 });
    const order = async () => (await client.call('tools/list')).tools.map(({ name }) => name);
    expect(await order()).toEqual(await order());
    expect((await order()).length).toBe(5);
    expect(await client.callTool('b')).toMatchObject({ content: [{ text: 'b' }] });
    expect(await client.callTool('B')).toMatchObject({ content: [{ text: 'B' }] });
    await client.close();
  });
});
