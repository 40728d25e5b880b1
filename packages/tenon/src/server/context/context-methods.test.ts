import { TenonError } from '@tenon/base';
import { connectPair, protocolVersions } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import type { Context } from '../../handler/context.js';
import type { Middleware } from '../../handler/operation.js';
import { prompt } from '../definitions/prompt.js';
import { tool } from '../definitions/tool.js';
import { createServer } from '../server.js';

const about = { name: 's', version: '1' };
const text = (value: string) => [{ type: 'text', text: value }];

describe.each(protocolVersions)('the methods of the context, on %s', protocolVersion => {
  it('work when destructured', async () => {
    const seen: unknown[] = [];
    const run = async (_: unknown, ctx: Context) => {
      const { progress, log, notify, fail, step, closeStream, roots, sample } = ctx;
      log('error', 'logged');
      progress(1);
      notify('com.example/told', {});
      seen.push(await step('once', () => 5), closeStream(), (await roots()).length);
      seen.push((await sample({ messages: [], maxTokens: 1 })).model);
      return fail('kept');
    };
    const server = createServer({ ...about, tools: { t: tool({ run }) } });
    const notifications: string[] = [];
    const client = await connectPair(server, {
      protocolVersion,
      logLevel: 'debug',
      roots: [{ uri: 'file:///a' }],
      sample: () => ({ role: 'assistant', model: 'm', content: { type: 'text', text: '' } }),
    });
    client.on('log', ({ data }) => notifications.push(String(data)));
    client.on('notification', ({ method }) => notifications.push(method));
    const result = await client.callTool(
      't',
      {},
      { onProgress: ({ progress }) => notifications.push(`progress ${progress}`) },
    );
    expect(result).toMatchObject({ content: text('kept'), isError: true });
    expect(seen.slice(-4)).toEqual([5, false, 1, 'm']);
    expect(notifications.slice(0, 3)).toEqual(['logged', 'progress 1', 'com.example/told']);
    await client.close();
  });

  it('request a form when destructured', async () => {
    if (['2024-11-05', '2025-03-26'].includes(protocolVersion)) return;
    const input = { type: 'object', properties: { yes: { type: 'boolean' } } } as const;
    const run = async (_: unknown, { elicit, elicitUrl }: Context) =>
      `${(await elicit({ message: 'Sure?', input })).action} ${typeof elicitUrl}`;
    const server = createServer({ ...about, tools: { t: tool({ run }) } });
    const client = await connectPair(server, { protocolVersion, elicit: () => ({ action: 'decline' }) });
    expect(await client.callTool('t')).toMatchObject({ content: text('decline function') });
    await client.close();
  });

  it('let middleware throw the result of `fail`', async () => {
    const errors: TenonError[] = [];
    const late: Middleware = async (operation, next) => {
      await next(operation);
      if (operation.name === 'layered') throw operation.context.fail('not now');
      return next(operation);
    };
    const server = createServer({
      ...about,
      onError: error => errors.push(error),
      use: [late],
      tools: {
        sync: tool({
          run: (_, ctx) => {
            throw ctx.fail('no');
          },
        }),
        later: tool({
          output: { type: 'object' },
          run: async (_, { fail }) => {
            throw fail(['no', { type: 'text', text: 'way' }]);
          },
        }),
        layered: tool({ run: () => 'done' }),
      },
    });
    const client = await connectPair(server, { protocolVersion });
    expect(await client.callTool('sync')).toMatchObject({ content: text('no'), isError: true });
    expect(await client.callTool('later')).toMatchObject({ content: [...text('no'), ...text('way')], isError: true });
    expect(await client.callTool('layered')).toMatchObject({ content: text('not now'), isError: true });
    expect(errors).toEqual([]);
    await client.close();
  });
});

describe('a context', () => {
  it('lets a test replace a method', async () => {
    const logged: unknown[] = [];
    const run = (_: unknown, ctx: Context) => {
      ctx.log = (...words) => void logged.push(words);
      ctx.log('info', 'a');
    };
    const client = await connectPair(createServer({ ...about, tools: { t: tool({ run }) } }));
    await client.callTool('t');
    expect(logged).toEqual([['info', 'a']]);
    await client.close();
  });
});

describe('an error report for a thrown value that is no error', () => {
  it.each([
    [{ code: 'E', reason: 'full' }, '{"code":"E","reason":"full"}'],
    ['full', 'full'],
    [undefined, 'undefined'],
    [Object.create(null), '{}'],
  ])('contains the value: %j', async (thrown, words) => {
    const errors: TenonError[] = [];
    const fails = () => {
      throw thrown;
    };
    const parts = { tools: { t: tool({ run: fails }) }, prompts: { p: prompt({ run: fails }) } };
    const server = createServer({ ...about, ...parts, onError: error => errors.push(error) });
    const client = await connectPair(server);
    await client.callTool('t');
    await client.call('prompts/get', { name: 'p' }).catch(() => {});
    expect(errors.map(({ summary }) => summary)).toEqual([words, words]);
    expect(TenonError.from({ message: 'a message' }).summary).toBe('a message');
    await client.close();
  });
});
