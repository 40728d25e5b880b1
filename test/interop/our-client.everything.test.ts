import { gunzipSync } from 'node:zlib';
import { type Client, connect, type Events, type Target, type TenonError } from 'tenon';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type AskedFor, agreeable } from './answers.js';
import { collect, textOf } from './collect.js';
import { gone, type HttpPeer, isRunning, official, startHttpPeer, stdioPeer } from './process.js';

const everything = official('server-everything');

interface Road {
  readonly target: Target;
  /** Ends what the client does not end; checks what it does. */
  stop(): Promise<void>;
}

/** Which of the two transports it is, the client finds out by itself. */
async function overHttp(transport: 'streamableHttp' | 'sse', path: string): Promise<Road> {
  const peer: HttpPeer = await startHttpPeer([everything, transport]);
  return { target: peer.origin + path, stop: peer.stop };
}

const roads: Record<string, () => Promise<Road>> = {
  async stdio() {
    const { target, pid } = stdioPeer([everything, 'stdio']);
    return {
      target,
      async stop() {
        expect(isRunning(pid())).toBe(false);
      },
    };
  },
  'Streamable HTTP': () => overHttp('streamableHttp', '/mcp'),
  'HTTP+SSE': () => overHttp('sse', '/sse'),
};

describe.each(Object.keys(roads))('server-everything over %s', name => {
  let road: Road;
  let client: Client;
  const asked: AskedFor = [];
  const logs: Events['log'][] = [];
  const problems: TenonError[] = [];

  beforeAll(async () => {
    road = await (roads[name] as () => Promise<Road>)();
    client = await connect(road.target, agreeable(asked));
    client.on('log', log => logs.push(log));
    client.on('problem', problem => problems.push(problem));
  });

  afterAll(async () => {
    await client.close();
    await road.stop();
    expect(problems).toEqual([]);
  });

  it('agrees on the newest revision that it has, and lists what there is', async () => {
    expect(client.server).toMatchObject({
      revision: '2025-11-25',
      info: { name: 'mcp-servers/everything', title: 'Everything Reference Server' },
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, prompts: {}, logging: {}, completions: {} },
    });
    expect(client.server.instructions).toContain('Everything');
    // Tools that need a client's capability are added when it says that it is there: before or after the first list.
    await vi.waitFor(async () => expect((await collect(client.listTools())).map(tool => tool.name)).toContain('trigger-url-elicitation'));
    const tools = await collect(client.listTools());
    expect(tools.map(tool => tool.name)).toEqual(expect.arrayContaining(['echo', 'get-roots-list', 'trigger-sampling-request', 'simulate-research-query']));
    expect((await collect(client.resources.list())).length).toBeGreaterThan(5);
    expect((await collect(client.resources.templates())).map(({ uriTemplate }) => uriTemplate)).toEqual([
      'demo://resource/dynamic/text/{resourceId}',
      'demo://resource/dynamic/blob/{resourceId}',
    ]);
    expect((await collect(client.listPrompts())).map(prompt => prompt.name)).toEqual(['simple-prompt', 'args-prompt', 'completable-prompt', 'resource-prompt']);
  });

  it('answers its plain tools', async () => {
    expect(textOf(await client.callTool('echo', { message: 'hello – ü 🜚' }))).toBe('Echo: hello – ü 🜚');
    expect(textOf(await client.callTool('get-sum', { a: 2, b: 40 }))).toContain('42');
    expect(JSON.parse(textOf(await client.callTool('get-env')))).toHaveProperty('PATH');
    expect(await client.tools['get-structured-content']?.({ location: 'Chicago' })).toMatchObject({ temperature: 36 });
    const annotated = await client.callTool('get-annotated-message', { messageType: 'error', includeImage: true });
    expect(annotated.content).toMatchObject([{ annotations: { priority: 1 } }, { type: 'image', mimeType: 'image/png' }]);
    expect((await client.callTool('get-tiny-image')).content.some(({ type }) => type === 'image')).toBe(true);
    expect((await client.callTool('get-resource-links', { count: 3 })).content.slice(1)).toMatchObject(Array(3).fill({ type: 'resource_link' }));
    const reference = await client.callTool('get-resource-reference', { resourceType: 'Blob', resourceId: 2 });
    expect(reference.content[1]).toMatchObject({ type: 'resource', resource: { uri: 'demo://resource/dynamic/blob/2', blob: expect.any(String) } });
  });

  it('says what is wrong with a call', async () => {
    await expect(client.tools['get-sum']?.({ a: 'two' })).rejects.toMatchObject({ code: 'tool/failed', message: expect.stringContaining('expected number') });
    // The SDK that it is built on answers a tool that is not there with a result that says so.
    expect(await client.callTool('no-such-tool')).toMatchObject({ isError: true });
    // 2025-11-25 has -32002 for a resource that is not there; that SDK says -32602.
    await expect(client.resources.read('demo://nothing')).rejects.toMatchObject({ rpc: -32602, message: expect.stringContaining('demo://nothing') });
  });

  it('makes a resource, says so, and lets it be read', async () => {
    const changed = new Promise<Events['change']>(resolve => client.on('change', change => 'list' in change && change.list === 'resources' && resolve(change)));
    const result = await client.callTool('gzip-file-as-resource', { name: 'a.gz', data: 'data:text/plain,hello', outputType: 'resourceLink' });
    expect(result.content).toMatchObject([{ type: 'resource_link', uri: 'demo://resource/session/a.gz' }]);
    expect(await changed).toEqual({ list: 'resources' });
    const { contents } = await client.resources.read('demo://resource/session/a.gz');
    expect(gunzipSync(Buffer.from((contents[0] as { blob: string }).blob, 'base64')).toString()).toBe('hello');
  });

  it('has its questions answered: forms of every field, URLs, the model, roots', async () => {
    expect(textOf(await client.callTool('trigger-elicitation-request'))).toMatch(/Name: Ada[\s\S]*Integer: 42[\s\S]*"legacyTitledEnum": "pet-1"/);
    expect(textOf(await client.callTool('trigger-url-elicitation', { url: 'https://example.com/visit' }))).toContain('User completed the URL elicitation');
    expect(textOf(await client.callTool('trigger-sampling-request', { prompt: 'hello', maxTokens: 10 }))).toContain('You said: Resource trigger-sampling-request context: hello');
    expect(textOf(await client.callTool('get-roots-list'))).toContain('file:///work');
    expect(asked).toEqual(expect.arrayContaining(['form Please provide inputs for the following fields:', 'url https://example.com/visit', 'sample', 'roots']));
  });

  it('is told of the error that wants a visit first', async () => {
    const call = () => client.callTool('trigger-url-elicitation', { url: 'https://example.com/first', errorPath: true });
    await expect(call()).rejects.toMatchObject({ rpc: -32042, data: { elicitations: [{ mode: 'url', url: 'https://modelcontextprotocol.io' }] } });
    expect(textOf(await call())).toContain('User completed');
  });

  it('refuses a tool that only runs as a task', async () => {
    expect(textOf(await client.callTool('simulate-research-query', { topic: 'joints' }))).toMatch(/task/i);
  });

  it('reads resources, prompts and completions', async () => {
    expect(await client.resources.read('demo://resource/dynamic/text/7')).toMatchObject({ contents: [{ mimeType: 'text/plain', text: expect.stringContaining('Resource 7') }] });
    expect(await client.resources.read('demo://resource/dynamic/blob/7')).toMatchObject({ contents: [{ blob: expect.any(String) }] });
    const [first] = await collect(client.resources.list());
    expect((await client.resources.read(first?.uri as string)).contents).toHaveLength(1);
    expect((await client.prompts['args-prompt']?.({ city: 'Oslo' }))?.messages).toMatchObject([{ content: { text: "What's weather in Oslo?" } }]);
    expect((await client.prompts['simple-prompt']?.())?.messages).toHaveLength(1);
    const embedded = await client.prompts['resource-prompt']?.({ resourceType: 'Text', resourceId: '3' });
    expect(embedded?.messages[1]).toMatchObject({ content: { type: 'resource', resource: { uri: 'demo://resource/dynamic/text/3' } } });
    const ref = { type: 'ref/prompt', name: 'completable-prompt' } as const;
    expect((await client.complete({ ref, argument: { name: 'department', value: 'S' } })).values).toEqual(['Sales', 'Support']);
    const context = { arguments: { department: 'Sales' } };
    expect((await client.complete({ ref, argument: { name: 'name', value: 'D' }, context })).values).toEqual(['David']);
    const template = { type: 'ref/resource', uri: 'demo://resource/dynamic/text/{resourceId}' } as const;
    expect((await client.complete({ ref: template, argument: { name: 'resourceId', value: '5' } })).values).toEqual(['5']);
  });

  it('watches a resource', async () => {
    const uri = 'demo://resource/dynamic/text/1';
    const stop = new AbortController();
    const watching = client.watch(uri, { signal: stop.signal })[Symbol.asyncIterator]();
    const change = watching.next();
    await vi.waitFor(() => expect(logs.map(({ data }) => data)).toContainEqual(expect.stringContaining(`Subscribe Resource request for URI: ${uri}`)));
    await client.callTool('toggle-subscriber-updates');
    expect(await change).toEqual({ done: false, value: { uri } });
    stop.abort();
    await watching.next();
    expect(textOf(await client.callTool('toggle-subscriber-updates'))).toContain('Stopped');
    await vi.waitFor(() => expect(logs.map(({ data }) => data)).toContainEqual(expect.stringContaining('Unsubscribe Resource request')));
  });

  it('logs from the level that was asked for', async () => {
    await client.setLogLevel('debug');
    const seen = logs.length;
    expect(textOf(await client.callTool('toggle-simulated-logging'))).toContain('Started');
    await vi.waitFor(() => expect(logs.slice(seen).map(({ data }) => data)).toContainEqual(expect.stringMatching(/-level|Alert level/)));
    expect(textOf(await client.callTool('toggle-simulated-logging'))).toContain('Stopped');
  });

  it('reports progress, is cancelled, and answers pings', async () => {
    const seen: number[] = [];
    await client.callTool('trigger-long-running-operation', { duration: 0.2, steps: 4 }, { onProgress: ({ progress }) => seen.push(progress) });
    expect(seen).toEqual([1, 2, 3, 4]);
    const stop = new AbortController();
    const long = client.callTool('trigger-long-running-operation', { duration: 30, steps: 300 }, { signal: stop.signal, onProgress: () => stop.abort() });
    await expect(long).rejects.toMatchObject({ code: expect.stringMatching(/cancel|abort/) });
    await client.ping();
    await client.rootsChanged();
    await vi.waitFor(() => expect(asked.filter(each => each === 'roots').length).toBeGreaterThan(1));
  });
});

describe('server-everything without what a client can answer', () => {
  it('gives fewer tools to a client that can answer nothing, and ends with it', async () => {
    const { target, pid } = stdioPeer([everything, 'stdio']);
    const client = await connect(target);
    const names = (await collect(client.listTools())).map(tool => tool.name);
    expect(names).toContain('echo');
    expect(names).not.toContain('trigger-sampling-request');
    expect(isRunning(pid())).toBe(true);
    await client.close();
    await gone(pid());
  });
});
