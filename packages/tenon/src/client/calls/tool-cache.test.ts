import { connect } from 'tenon';
import { describe, expect, it } from 'vitest';
import type { Tool } from '../../protocol/content.js';
import { createNodeRequester } from '../../runtimes/node/http/http-requester.js';
import { tool } from '../../server/definitions/tool.js';
import { createServer } from '../../server/server.js';
import { json, serve } from '../../transports/http/client/fixtures/scripted-server.js';
import { connectTo } from '../connect.js';
import { createClientEndpoint } from '../connection/http-endpoint.js';
import { readListedTool, ToolCache } from './tool-cache.js';

const made = (name: string, more: object = {}) =>
  readListedTool({ name, inputSchema: { type: 'object' }, execution: { taskSupport: 'optional' }, ...more } as Tool);
const badly = { inputSchema: { type: 'object', properties: { a: { type: 'object', 'x-mcp-header': 'A' } } } };

describe('ToolCache', () => {
  it('reads the list once for concurrent readers, and again after it is cleared', async () => {
    const toolbox = new ToolCache();
    let read = 0;
    const list = async () => {
      read++;
      return [made('a')];
    };
    await Promise.all([toolbox.ensure(list), toolbox.ensure(list)]);
    await toolbox.ensure(list);
    expect([read, toolbox.isLoaded, toolbox.get('a')?.name, toolbox.get('b')]).toEqual([1, true, 'a', undefined]);
    await toolbox.set([made('a', { outputSchema: {} })]);
    toolbox.clear();
    expect([toolbox.get('a'), toolbox.validators.size]).toEqual([undefined, 0]);
    await toolbox.ensure(list);
    expect(read).toBe(2);
  });

  it('reads the list again after a failure', async () => {
    const toolbox = new ToolCache();
    await expect(toolbox.ensure(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await toolbox.ensure(async () => [made('a')]);
    expect(toolbox.isLoaded).toBe(true);
  });

  it('reads the list once more if it has changed meanwhile', async () => {
    const toolbox = new ToolCache();
    let read = 0;
    const list = async () => {
      read += 1;
      if (read === 1) toolbox.clear();
      return [made(`read${read}`)];
    };
    await toolbox.ensure(list);
    expect([read, toolbox.get('read1'), toolbox.get('read2')?.name]).toEqual([2, undefined, 'read2']);
  });

  it('ends after two lists that have changed meanwhile, and stores neither', async () => {
    const toolbox = new ToolCache();
    let read = 0;
    await toolbox.ensure(async () => {
      read += 1;
      toolbox.clear();
      return [made('a')];
    });
    expect([read, toolbox.isLoaded]).toEqual([2, false]);
  });

  it('finds no tool by the name of an Object.prototype member', async () => {
    const toolbox = new ToolCache();
    await toolbox.set([made('a')]);
    for (const name of ['constructor', '__proto__', 'toString']) expect(toolbox.get(name)).toBeUndefined();
  });

  it('keeps nothing of a tool whose calls need nothing of the list', async () => {
    const toolbox = new ToolCache();
    const header = { type: 'object', properties: { a: { type: 'string', 'x-mcp-header': 'A' } } };
    const needs = [{ outputSchema: {} }, { execution: { taskSupport: 'required' } }, { inputSchema: header }];
    await toolbox.set([{}, ...needs].map((more, n) => made(`t${n}`, { execution: undefined, ...more })));
    expect([0, 1, 2, 3].map(n => toolbox.get(`t${n}`)?.name)).toEqual([undefined, 't1', 't2', 't3']);
    expect(toolbox.isLoaded).toBe(true);
  });

  it('keeps tools whose schemas cannot be used', async () => {
    const toolbox = new ToolCache();
    const schemas = [{ $ref: '#/nowhere' }, { type: 5 }, { pattern: '(' }, { properties: 5 }];
    await toolbox.set(schemas.map((outputSchema, n) => made(`t${n}`, { outputSchema })));
    expect(toolbox.get('t3')?.name).toBe('t3');
    expect(toolbox.validators.get('t2')?.check('x')).toMatchObject({ ok: null });
    await toolbox.set([made('a', badly)]);
    expect([...toolbox.validators.keys()]).toEqual([]);
    expect(toolbox.get('a')?.headerParams).toEqual([]);
  });
});

describe('listTools over HTTP', () => {
  it('omits tools whose header annotations are invalid, and reports each', async () => {
    const cached = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
    const { url } = await serve(({ body }, response) => {
      const { id, method } = JSON.parse(body);
      const result =
        method === 'server/discover'
          ? { ...cached, supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
          : {
              ...cached,
              tools: [
                { name: 'good', inputSchema: { type: 'object' } },
                { name: 'bad', ...badly },
              ],
            };
      json(response, { jsonrpc: '2.0', id, result });
    });
    const client = await connectTo(createClientEndpoint({ url }, createNodeRequester()), { probeTimeout: 60_000 });
    const errors: string[] = [];
    client.on('error', ({ code, summary }) => errors.push(`${code} ${summary}`));
    const names: string[] = [];
    for await (const { name } of client.listTools()) names.push(name);
    await client.close();
    expect(names).toEqual(['good']);
    expect(errors).toEqual([expect.stringMatching(/^peer\/unusable-tool tool "bad" was ignored: .*x-mcp-header/)]);
  });
});

it('checks results with the changed tool if a tool changes while the application reads the list', async () => {
  const createTool = (value: unknown, type: string) =>
    tool({
      output: { type: 'object', properties: { value: { type } }, required: ['value'] },
      run: () => ({ value }) as never,
    });
  const server = createServer({ name: 'shop', version: '1', tools: { count: createTool(1, 'number') } });
  const client = await connect(server, { protocolVersion: '2025-11-25' });
  for await (const { name } of client.listTools()) {
    const changed = new Promise<void>(resolve => client.on('change', () => resolve()));
    server.tools.set(name, createTool('one', 'string'));
    await changed;
  }
  expect((await client.callTool('count')).structuredContent).toEqual({ value: 'one' });
  await client.close();
});

it('checks results by the tools of the server, whatever the application does to them', async () => {
  const output = { type: 'object', properties: { value: { type: 'number' } }, required: ['value'] };
  const server = createServer({
    name: 'shop',
    version: '1',
    tools: { count: tool({ output, run: () => ({ value: 1 }) as never }) },
  });
  const client = await connect(server);
  for await (const listed of client.listTools()) {
    Object.assign(listed.outputSchema ?? {}, { properties: { value: { type: 'string' } } });
  }
  expect((await client.callTool('count')).structuredContent).toEqual({ value: 1 });
  await client.close();
});
