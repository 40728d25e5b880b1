import { connect, createServer, prompt, protocolVersions, resource, rpcError, type Server, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createGateway } from '../../examples/proxy/gateway.ts';

const [newest = ''] = protocolVersions;
const WITH_SESSIONS = '2025-06-18';

/** Ends of calls of the tool `wait`, by the name of the server. */
const cancelled: string[] = [];
const started = new Map<string, () => void>();

function createNotes(name: string, served: string): Server {
  return createServer({
    name,
    version: '1.0.0',
    protocolVersions: [served],
    tools: {
      remove: tool({
        input: z.object({ title: z.string() }),
        async run({ title }, ctx) {
          const { action } = await ctx.elicit({ message: `Remove ${title} from ${name}?`, input: z.object({}) });
          return `${name} ${title} ${action}`;
        },
      }),
      count: tool({
        run(_, ctx) {
          ctx.progress(1, 2, 'half');
          ctx.log('warning', `counted by ${name}`);
          return '3';
        },
      }),
      fail: tool({
        run() {
          throw rpcError(-32_050, 'no more notes', { left: 0 });
        },
      }),
      wait: tool({
        async run(_, ctx) {
          started.get(name)?.();
          await new Promise<void>(resolve => ctx.signal.addEventListener('abort', () => resolve()));
          cancelled.push(name);
          return 'ended';
        },
      }),
    },
    prompts: {
      review: prompt({
        input: z.object({ tag: z.string() }),
        complete: { tag: () => [`${name}-tag`] },
        run: ({ tag }) => `Review ${tag} of ${name}`,
      }),
    },
    resources: { 'note://glue': resource({ name: 'Glue', read: () => `Hide glue of ${name}` }) },
  });
}

describe.each([WITH_SESSIONS, newest])('the gateway of the example, for a client of %s', protocolVersion => {
  const servers = { old: createNotes('old', WITH_SESSIONS), new: createNotes('new', newest) };
  const closing: (() => Promise<unknown>)[] = [];
  let url = '';

  beforeAll(async () => {
    const targets: Record<string, string> = {};
    for (const [name, server] of Object.entries(servers)) {
      const served = await serveHttp(server, { port: 0 });
      closing.push(() => served.close());
      targets[name] = served.url;
    }
    const gateway = createGateway(targets);
    const served = await serveHttp(gateway, { port: 0 });
    closing.unshift(() => served.close());
    url = served.url;
  });

  afterAll(async () => {
    for (const close of closing) await close();
  });

  const elicit = () => ({ action: 'accept' as const, content: {} });

  it('lists the tools, prompts and resources of both servers', async () => {
    await using client = await connect(url, { protocolVersion });
    expect(client.server.protocolVersion).toBe(protocolVersion);
    const { tools } = await client.call('tools/list');
    expect(tools.map(each => each.name).sort()).toEqual([
      ...['new__count', 'new__fail', 'new__remove', 'new__wait'],
      ...['old__count', 'old__fail', 'old__remove', 'old__wait'],
    ]);
    const { prompts } = await client.call('prompts/list');
    expect(prompts.map(each => each.name).sort()).toEqual(['new__review', 'old__review']);
    const { resources } = await client.call('resources/list');
    expect(resources.map(each => each.uri).sort()).toEqual(['new+note://glue', 'old+note://glue']);
  });

  it.each(['old', 'new'])(
    'passes an input request of the %s server to the client, and its input back',
    async server => {
      await using client = await connect(url, { protocolVersion, elicit });
      const { content } = await client.callTool(`${server}__remove`, { title: 'Glue' });
      expect(content).toEqual([{ type: 'text', text: `${server} Glue accept` }]);
    },
  );

  it.each(['old', 'new'])('declares no elicitation to the %s server for a client without it', async server => {
    await using client = await connect(url, { protocolVersion });
    const calling = client.callTool(`${server}__remove`, { title: 'Glue' });
    expect(JSON.stringify(await calling.catch((error: Error) => error.message))).toContain('elicit');
  });

  it.each(['old', 'new'])('passes progress and log messages of the %s server', async server => {
    await using client = await connect(url, { protocolVersion, logLevel: 'debug' });
    const logged: unknown[] = [];
    client.on('log', ({ data }) => logged.push(data));
    const progress: unknown[] = [];
    await client.callTool(`${server}__count`, {}, { onProgress: each => progress.push(each) });
    expect(progress).toEqual([{ progress: 1, total: 2, message: 'half' }]);
    expect(logged).toEqual([`counted by ${server}`]);
  });

  it.each(['old', 'new'])('passes code, message and data of an error of the %s server', async server => {
    await using client = await connect(url, { protocolVersion });
    await expect(client.callTool(`${server}__fail`)).rejects.toMatchObject({
      rpcCode: -32_050,
      summary: expect.stringContaining('no more notes'),
      data: { left: 0 },
    });
  });

  it.each(['old', 'new'])('cancels the call at the %s server when the client cancels it', async server => {
    await using client = await connect(url, { protocolVersion });
    const running = new Promise<void>(resolve => started.set(server, resolve));
    const controller = new AbortController();
    const calling = client.callTool(`${server}__wait`, {}, { signal: controller.signal });
    await running;
    const before = cancelled.length;
    controller.abort();
    await expect(calling).rejects.toThrow();
    await expect.poll(() => cancelled.slice(before)).toEqual([server]);
  });

  it.each(['old', 'new'])('reads, prompts and completes at the %s server', async server => {
    await using client = await connect(url, { protocolVersion });
    const { contents } = await client.readResource(`${server}+note://glue`);
    expect(contents).toMatchObject([{ uri: `${server}+note://glue`, text: `Hide glue of ${server}` }]);
    const { messages } = await client.getPrompt(`${server}__review`, { tag: 'joinery' });
    expect(messages[0]?.content).toMatchObject({ text: `Review joinery of ${server}` });
    const { values } = await client.complete({
      ref: { type: 'ref/prompt', name: `${server}__review` },
      argument: { name: 'tag', value: '' },
    });
    expect(values).toEqual([`${server}-tag`]);
  });

  it.each(['old', 'new'] as const)('reports changes of a resource of the %s server', async server => {
    await using client = await connect(url, { protocolVersion });
    const uri = `${server}+note://glue`;
    const first = client.watch(uri)[Symbol.asyncIterator]().next();
    let isReported = false;
    void first.then(() => {
      isReported = true;
    });
    await expect
      .poll(() => {
        servers[server].notifyResourceUpdated('note://glue');
        return isReported;
      })
      .toBe(true);
    expect(await first).toMatchObject({ value: { uri } });
  });

  it('refuses the name of a server that it does not have', async () => {
    await using client = await connect(url, { protocolVersion });
    await expect(client.readResource('other+note://glue')).rejects.toMatchObject({ rpcCode: -32_602 });
  });
});
