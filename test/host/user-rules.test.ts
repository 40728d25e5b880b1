import { createHost, createPolicy, type Host } from '@tenon/host';
import { type AuthInfo, connect, createServer, memoryStores, prompt, resource, tool } from 'tenon';
import { createHandler } from 'tenon/http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { collect } from '../interop/collect.js';

const run = () => 'done';
const files = createServer({
  name: 'files',
  version: '1.0.0',
  tools: {
    read: tool({
      description: 'Reads a file',
      input: { type: 'object', properties: { path: { type: 'string' } } },
      run,
    }),
    erase: tool({ description: 'Erases a file', run }),
  },
  prompts: { review: prompt({ run: () => 'Review it' }), audit: prompt({ run: () => 'Audit it' }) },
  resources: {
    'file:///open.txt': resource({ name: 'open', read: () => 'open' }),
    'file:///secret.txt': resource({ name: 'secret', read: () => 'secret' }),
    'file:///all/{name}': resource({ name: 'all', read: ({ name }) => name }),
  },
});

/** Tokens by their texts. `ann-less` is another token of the same user. */
const TOKENS: Readonly<Record<string, AuthInfo>> = {
  ann: { principal: 'ann', scopes: ['files:read', 'files:write'], claims: { groups: ['admins'] } },
  'ann-less': { principal: 'ann', scopes: ['files:read'], claims: {} },
  bob: { principal: 'bob', scopes: ['files:read'], claims: { groups: ['staff'] } },
};

let host: Host;
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function serve(options: Parameters<typeof createHost>[0]) {
  host = await createHost({ servers: { files: { service: files } }, ...options });
  const handler = createHandler(host.toServer(), {
    authorize: request => {
      const auth = TOKENS[request.header('authorization') ?? ''];
      return { auth };
    },
  });
  closing.push(
    () => host.close(),
    () => handler.close(),
  );
  const open = async (token?: string, protocolVersion?: string) => {
    const headers = { value: token };
    const client = await connect(
      {
        url: 'http://127.0.0.1/mcp',
        fetch: (url, init) => handler(new Request(url, init)),
        headers: () => (headers.value === undefined ? {} : { authorization: headers.value }),
      },
      protocolVersion === undefined ? {} : { protocolVersion },
    );
    closing.push(() => client.close());
    return { client, headers };
  };
  return open;
}

const user = { groups: 'admins', scopes: 'files:write' };
const denied = { isError: true, content: [{ text: expect.stringContaining('denied by rule') }] };
const done = { content: [{ text: 'done' }] };

describe.each(['2025-06-18', '2026-07-28'])('rules about the token of the caller, on %s', version => {
  let open: Awaited<ReturnType<typeof serve>>;
  beforeEach(async () => {
    const rules = [
      { action: 'allow', server: 'files', name: 'erase', user },
      { action: 'deny', server: 'files', name: ['erase', 'audit', '*secret*'] },
      { action: 'allow' },
    ] as const;
    open = await serve({ policy: rules });
  });

  it('apply to each call by its own token, and never match anonymous callers', async () => {
    const ann = await open('ann', version);
    expect(await ann.client.callTool('files__erase')).toMatchObject(done);
    expect(await (await open('bob', version)).client.callTool('files__erase')).toMatchObject(denied);
    expect(await (await open(undefined, version)).client.callTool('files__erase')).toMatchObject(denied);
    // The next token of the same user has fewer scopes.
    ann.headers.value = 'ann-less';
    expect(await ann.client.callTool('files__erase')).toMatchObject(denied);
  });

  it('hide denied entries from the lists of that caller', async () => {
    const listAll = async (token: string | undefined) => {
      const { client } = await open(token, version);
      return {
        tools: (await collect(client.listTools())).map(({ name }) => name),
        prompts: (await collect(client.listPrompts())).map(({ name }) => name),
        resources: (await collect(client.listResources())).map(({ uri }) => uri),
        templates: (await collect(client.listResourceTemplates())).map(({ uriTemplate }) => uriTemplate),
      };
    };
    const rest = { prompts: ['files__review'], resources: ['file:///open.txt'], templates: ['file:///all/{name}'] };
    expect(await listAll('ann')).toEqual({ tools: ['files__read', 'files__erase'], ...rest });
    expect(await listAll('bob')).toEqual({ tools: ['files__read'], ...rest });
    expect(await listAll(undefined)).toEqual({ tools: ['files__read'], ...rest });
  });
});

it('hides denied tools from the search and the descriptions of a collapsed list', async () => {
  const rules = [
    { action: 'allow', name: 'erase', user },
    { action: 'deny', name: 'erase' },
    { action: 'allow' },
  ] as const;
  const open = await serve({ policy: rules, budget: 1 });
  const find = async (token: string) => {
    const { client } = await open(token);
    expect((await collect(client.listTools())).map(({ name }) => name)).toContain('search_tools');
    const found = await client.callTool('search_tools', { query: 'erase a file' });
    const described = await client.callTool('describe_tools', { names: ['files__erase'] });
    return [found, described].map(each => JSON.stringify(each).includes('Erases a file'));
  };
  expect(await find('ann')).toEqual([true, true]);
  expect(await find('bob')).toEqual([false, false]);
  const { client } = await open('bob');
  expect(await client.callTool('call_tool', { name: 'files__erase', arguments: {} })).toMatchObject(denied);
});

it('lists tools that are denied for some arguments only, and all tools with `listDenied`', async () => {
  const listTools = async (options: Parameters<typeof createHost>[0]) => {
    const { client } = await (await serve(options))('bob');
    return (await collect(client.listTools())).map(({ name }) => name);
  };
  const some = { action: 'deny', name: 'read', arguments: { path: { under: '/etc' } } } as const;
  expect(await listTools({ policy: [some, { action: 'allow' }] })).toEqual(['files__read', 'files__erase']);
  expect(await listTools({ policy: [some, { action: 'deny' }] })).toEqual([]);
  const exception = { action: 'allow', name: 'read', only: ['path'] } as const;
  expect(await listTools({ policy: [exception, { action: 'deny' }] })).toEqual(['files__read']);
  expect(await listTools({ policy: [{ action: 'deny' }], listDenied: true })).toEqual(['files__read', 'files__erase']);
});

it('counts the quotas of the policy for each user and tool, and continues to count when other rules apply', async () => {
  const quotas = [{ per: ['principal', 'tool'], calls: 2, window: 3_600_000 }] as const;
  const open = await serve({ policy: createPolicy([{ action: 'allow' }], { quotas }) });
  const [ann, bob] = [(await open('ann')).client, (await open('bob')).client];
  for (let n = 0; n < 2; n += 1) expect(await ann.callTool('files__erase')).toMatchObject(done);
  const limited = { rpcCode: 429, data: { retryAfterMs: expect.any(Number) } };
  await expect(ann.callTool('files__erase')).rejects.toMatchObject(limited);
  expect(await ann.callTool('files__read')).toMatchObject(done);
  expect(await bob.callTool('files__erase')).toMatchObject(done);
  host.update({ policy: createPolicy([{ action: 'deny', server: 'x' }, { action: 'allow' }], { quotas }) });
  await expect(ann.callTool('files__erase')).rejects.toMatchObject(limited);
  host.update({ policy: createPolicy([{ action: 'allow' }]) });
  expect(await ann.callTool('files__erase')).toMatchObject(done);
});

it('counts the quotas of the policy together with other processes on the same stores', async () => {
  const stores = { ...memoryStores(), durable: true, close: async () => {} };
  const policy = createPolicy([{ action: 'allow' }], { quotas: [{ per: ['tool'], calls: 1, window: 3_600_000 }] });
  const keys = [{ id: 'a', key: new Uint8Array(32) }] as const;
  const first = await (await serve({ policy, stores, inputRequests: { keys } }))('ann');
  const second = await (await serve({ policy, stores, inputRequests: { keys } }))('bob');
  expect(await first.client.callTool('files__erase')).toMatchObject(done);
  await expect(second.client.callTool('files__erase')).rejects.toMatchObject({ rpcCode: 429 });
});
