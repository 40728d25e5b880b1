import { protocolVersions } from '@tenon/testing';
import { connect, createServer, forMethod, type Middleware, prompt, resource, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { confirmationSchema } from './guarded-server.js';

const soon = () => new Promise(resolve => setTimeout(resolve, 2));
const byRetry = (version: string) => version >= '2026-07-28';
const versions = protocolVersions.filter(version => version >= '2025-06-18');

/** Served each way: held in memory, and entered again. */
const modes = versions.flatMap((version): [string, string, number][] => {
  if (!byRetry(version)) return [[version, 'by request', 0]];
  return [
    [version, 'held', 10],
    [version, 'replayed', 0],
  ];
});

function rig(layers: Middleware[], maxSuspended: number) {
  const events: string[] = [];
  const errors: string[] = [];
  const handler = async (ctx: {
    elicit(params: { message: string; input: typeof confirmationSchema }): Promise<{ action: string }>;
  }) => {
    const one = await ctx.elicit({ message: 'One?', input: confirmationSchema });
    const two = await ctx.elicit({ message: 'Two?', input: confirmationSchema });
    return `${one.action} ${two.action}`;
  };
  const server = createServer({
    name: 's',
    version: '1',
    inputRequests: { maxSuspended },
    use: layers,
    onError: ({ message }) => void errors.push(message),
    tools: { t: tool({ run: (_, ctx) => handler(ctx) }) },
    prompts: { p: prompt({ run: (_, ctx) => handler(ctx) }) },
    resources: { 'x:r': resource({ read: (_, ctx) => handler(ctx) }) },
  });
  const requests: string[] = [];
  const options = {
    elicit: ({ message }: { message: string }) => {
      requests.push(message);
      return { action: 'accept' as const, content: { yes: true } };
    },
  };
  return { server, events, errors, requests, options };
}

describe.each(modes)('middleware around a handler on %s, %s', (protocolVersion, _, maxSuspended) => {
  it.each([
    ['at once', async () => {}],
    ['taking its time', soon],
  ])('gets each round as an operation that ends, %s', async (_how, pause) => {
    const events: string[] = [];
    const layer: Middleware = async (operation, next) => {
      if (!/call|get|read/.test(operation.method)) return next(operation);
      events.push(`${operation.method} in`);
      try {
        const result = await next(operation);
        await pause();
        events.push(String(result.resultType ?? 'complete'));
        return result;
      } finally {
        await pause();
        events.push('out');
      }
    };
    const { server, options, requests, errors } = rig([layer], maxSuspended);
    const client = await connect<typeof server>(server, { protocolVersion, ...options });
    for (const [method, ask] of [
      ['tools/call', () => client.tools.t()],
      ['prompts/get', () => client.prompts.p()],
      ['resources/read', () => client.readResource('x:r')],
    ] as const) {
      events.length = 0;
      requests.length = 0;
      expect(JSON.stringify(await ask())).toContain('accept accept');
      const round = (end: string) => [`${method} in`, end, 'out'];
      const rounds = [round('input_required'), round('input_required'), round('complete')];
      expect(events).toEqual(byRetry(protocolVersion) ? rounds.flat() : round('complete'));
      expect(requests).toEqual(['One?', 'Two?']);
    }
    expect(errors).toEqual([]);
    await client.close();
  });

  it('works in any number if it changes nothing', async () => {
    const plain: Middleware = (operation, next) => next(operation);
    const { server, options, requests } = rig([plain, async (operation, next) => next(operation), plain], maxSuspended);
    const client = await connect<typeof server>(server, { protocolVersion, ...options });
    expect((await client.tools.t()).content).toEqual([{ type: 'text', text: 'accept accept' }]);
    expect(requests).toEqual(['One?', 'Two?']);
    await client.close();
  });

  it('can request input and run steps, before and after the handler', async () => {
    const did: string[] = [];
    const layer = forMethod('tools/call', async (operation, next) => {
      const { context } = operation;
      await context.step('opened', () => void did.push('opened'));
      const before = await context.elicit({ message: 'May it?', input: confirmationSchema });
      if (before.action !== 'accept') return { content: [] };
      const result = await next(operation);
      if (result.resultType === 'input_required') return result;
      const after = await context.elicit({ message: 'Was it good?', input: confirmationSchema });
      await context.step('closed', () => void did.push('closed'));
      return { ...result, _meta: { 'com.example/after': after.action } };
    });
    const { server, options, requests, errors } = rig([layer], maxSuspended);
    const client = await connect<typeof server>(server, { protocolVersion, ...options });
    const result = await client.tools.t();
    expect(result.content).toEqual([{ type: 'text', text: 'accept accept' }]);
    expect(result._meta).toMatchObject({ 'com.example/after': 'accept' });
    expect(requests).toEqual(['May it?', 'One?', 'Two?', 'Was it good?']);
    expect([did, errors]).toEqual([['opened', 'closed'], []]);
    await client.close();
  });

  it('can run a step after a round, which is stored', async () => {
    const did: string[] = [];
    const layer = forMethod('tools/call', async (operation, next) => {
      try {
        return await next(operation);
      } finally {
        await operation.context.step('audit', () => void did.push('audit'));
        await soon();
        did.push('over');
      }
    });
    const { server, options, errors } = rig([layer], maxSuspended);
    const client = await connect<typeof server>(server, { protocolVersion, ...options });
    expect((await client.tools.t()).content).toEqual([{ type: 'text', text: 'accept accept' }]);
    expect(did).toEqual(['audit', 'over', ...(byRetry(protocolVersion) ? ['over', 'over'] : [])]);
    expect(errors).toEqual([]);
    await client.close();
  });

  it('can refuse any round', async () => {
    let rounds = 0;
    const layer = forMethod('tools/call', (operation, next) => {
      if (++rounds === 2) return { content: [{ type: 'text', text: 'enough' }] };
      return next(operation);
    });
    const { server, options, requests, errors } = rig([layer], maxSuspended);
    const client = await connect<typeof server>(server, { protocolVersion, ...options });
    const result = await client.callTool('t');
    expect(errors).toEqual([]);
    if (byRetry(protocolVersion)) {
      expect(requests).toEqual(['One?']);
      expect(result.content).toEqual([{ type: 'text', text: 'enough' }]);
    } else expect(requests).toEqual(['One?', 'Two?']);
    await client.close();
  });
});
