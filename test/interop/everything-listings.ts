import { gunzipSync } from 'node:zlib';
import type { Client, ClientEvents, TenonError } from 'tenon';
import { expect, it } from 'vitest';
import type { ReceivedRequests } from './answers.js';
import { collect, getText } from './collect.js';
import { retryUntilPasses } from './retry.js';
import type { EverythingServer } from './server-types.js';

/** Our client at server-everything, and what it was asked and told. */
export interface EverythingClient {
  readonly client: Client<EverythingServer>;
  readonly requests: ReceivedRequests;
  readonly logs: ClientEvents['log'][];
  readonly errors: TenonError[];
}

/** What server-everything offers. */
export function testOfferings(now: () => EverythingClient): void {
  it('agrees on the newest protocol version that it supports, and lists everything', async () => {
    expect(now().client.server).toMatchObject({
      protocolVersion: '2025-11-25',
      info: { name: 'mcp-servers/everything', title: 'Everything Reference Server' },
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true },
        prompts: {},
        logging: {},
        completions: {},
      },
    });
    expect(now().client.server.instructions).toContain('Everything');
    // Tools that need a client's capability are added when it says that it is there: before or after the first list.
    await retryUntilPasses(async () =>
      expect((await collect(now().client.listTools())).map(tool => tool.name)).toContain('trigger-url-elicitation'),
    );
    const tools = await collect(now().client.listTools());
    expect(tools.map(tool => tool.name)).toEqual(
      expect.arrayContaining(['echo', 'get-roots-list', 'trigger-sampling-request', 'simulate-research-query']),
    );
    expect((await collect(now().client.listResources())).length).toBeGreaterThan(5);
    expect((await collect(now().client.listResourceTemplates())).map(({ uriTemplate }) => uriTemplate)).toEqual([
      'demo://resource/dynamic/text/{resourceId}',
      'demo://resource/dynamic/blob/{resourceId}',
    ]);
    expect((await collect(now().client.listPrompts())).map(prompt => prompt.name)).toEqual([
      'simple-prompt',
      'args-prompt',
      'completable-prompt',
      'resource-prompt',
    ]);
  });

  it('calls its plain tools', async () => {
    expect(getText(await now().client.callTool('echo', { message: 'hello – ü 🜚' }))).toBe('Echo: hello – ü 🜚');
    expect(getText(await now().client.callTool('get-sum', { a: 2, b: 40 }))).toContain('42');
    expect(JSON.parse(getText(await now().client.callTool('get-env')))).toHaveProperty('PATH');
    expect(await now().client.tools['get-structured-content']({ location: 'Chicago' })).toMatchObject({
      temperature: 36,
    });
    const annotated = await now().client.callTool('get-annotated-message', {
      messageType: 'error',
      includeImage: true,
    });
    expect(annotated.content).toMatchObject([
      { annotations: { priority: 1 } },
      { type: 'image', mimeType: 'image/png' },
    ]);
    expect((await now().client.callTool('get-tiny-image')).content.some(({ type }) => type === 'image')).toBe(true);
    expect((await now().client.callTool('get-resource-links', { count: 3 })).content.slice(1)).toMatchObject(
      Array(3).fill({ type: 'resource_link' }),
    );
    const reference = await now().client.callTool('get-resource-reference', { resourceType: 'Blob', resourceId: 2 });
    expect(reference.content[1]).toMatchObject({
      type: 'resource',
      resource: { uri: 'demo://resource/dynamic/blob/2', blob: expect.any(String) },
    });
  });

  it('gets the errors of invalid calls', async () => {
    // @ts-expect-error `a` is a number
    await expect(now().client.tools['get-sum']({ a: 'two' })).rejects.toMatchObject({
      code: 'tool/failed',
      message: expect.stringContaining('expected number'),
    });
    // The SDK that it is built on answers a tool that is not there with a result that says so.
    expect(await now().client.callTool('no-such-tool')).toMatchObject({ isError: true });
    // 2025-11-25 has -32002 for a resource that is not there; that SDK says -32602.
    await expect(now().client.readResource('demo://nothing')).rejects.toMatchObject({
      rpcCode: -32602,
      message: expect.stringContaining('demo://nothing'),
    });
  });

  it('gets a resource that a tool creates', async () => {
    const changed = new Promise<ClientEvents['change']>(resolve =>
      now().client.on('change', change => 'list' in change && change.list === 'resources' && resolve(change)),
    );
    const result = await now().client.callTool('gzip-file-as-resource', {
      name: 'a.gz',
      data: 'data:text/plain,hello',
      outputType: 'resourceLink',
    });
    expect(result.content).toMatchObject([{ type: 'resource_link', uri: 'demo://resource/session/a.gz' }]);
    expect(await changed).toEqual({ list: 'resources' });
    const { contents } = await now().client.readResource('demo://resource/session/a.gz');
    expect(gunzipSync(Buffer.from((contents[0] as { blob: string }).blob, 'base64')).toString()).toBe('hello');
  });

  it('reads resources, prompts and completions', async () => {
    expect(await now().client.readResource('demo://resource/dynamic/text/7')).toMatchObject({
      contents: [{ mimeType: 'text/plain', text: expect.stringContaining('Resource 7') }],
    });
    expect(await now().client.readResource('demo://resource/dynamic/blob/7')).toMatchObject({
      contents: [{ blob: expect.any(String) }],
    });
    const [first] = await collect(now().client.listResources());
    expect((await now().client.readResource(first?.uri as string)).contents).toHaveLength(1);
    expect((await now().client.prompts['args-prompt']({ city: 'Oslo' })).messages).toMatchObject([
      { content: { text: "What's weather in Oslo?" } },
    ]);
    expect((await now().client.prompts['simple-prompt']()).messages).toHaveLength(1);
    const embedded = await now().client.prompts['resource-prompt']({ resourceType: 'Text', resourceId: '3' });
    expect(embedded.messages[1]).toMatchObject({
      content: { type: 'resource', resource: { uri: 'demo://resource/dynamic/text/3' } },
    });
    const ref = { type: 'ref/prompt', name: 'completable-prompt' } as const;
    expect((await now().client.complete({ ref, argument: { name: 'department', value: 'S' } })).values).toEqual([
      'Sales',
      'Support',
    ]);
    const context = { arguments: { department: 'Sales' } };
    expect((await now().client.complete({ ref, argument: { name: 'name', value: 'D' }, context })).values).toEqual([
      'David',
    ]);
    const template = { type: 'ref/resource', uri: 'demo://resource/dynamic/text/{resourceId}' } as const;
    expect(
      (await now().client.complete({ ref: template, argument: { name: 'resourceId', value: '5' } })).values,
    ).toEqual(['5']);
  });
}
