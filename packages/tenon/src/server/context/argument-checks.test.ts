import type { TenonError } from '@tenon/base';
import { connectPair } from '@tenon/testing';
import { describe, expect, it, vi } from 'vitest';
import type { Context } from '../../handler/context.js';
import { inputRequired } from '../../handler/tool-result.js';
import { tool } from '../definitions/tool.js';
import { createServer } from '../server.js';

const input = { type: 'object', properties: { yes: { type: 'boolean' } } };
const text = { role: 'user', content: { type: 'text', text: 'a' } };

type Method = 'sample' | 'elicit' | 'elicitUrl';

/** Arguments that a program in JavaScript may pass, with the member that the error names. */
const wrong: readonly (readonly [method: Method, member: string, argument: unknown])[] = [
  ['sample', 'messages', { messages: 'x', maxTokens: 1 }],
  ['sample', 'messages', { maxTokens: 1 }],
  ['sample', 'messages/0', { messages: ['x'], maxTokens: 1 }],
  ['sample', 'messages/0/role', { messages: [{ ...text, role: 'system' }], maxTokens: 1 }],
  ['sample', 'maxTokens', { messages: [text] }],
  ['elicit', 'message', { message: 5, input }],
  ['elicit', 'input', { message: 'Sure?' }],
  ['elicit', 'input', { message: 'Sure?', input: 'x' }],
  ['elicitUrl', 'message', { url: 'https://a.example' }],
  ['elicitUrl', 'url', { message: 'Visit' }],
  ['elicitUrl', 'url', { message: 'Visit', url: 5 }],
];

/** Requests and notifications with a number that JSON would send as `null`. */
const inexact: readonly (readonly [subject: string, send: (ctx: Context) => unknown])[] = [
  ['the input request sampling/createMessage', ctx => ctx.sample({ messages: [text], maxTokens: Number.NaN } as never)],
  ['the notification notifications/a', ctx => ctx.notify('notifications/a', { n: 1 / 0 })],
  [
    'tool "t": the input request "a"',
    () =>
      inputRequired({
        inputRequests: {
          a: { method: 'sampling/createMessage', params: { messages: [text], maxTokens: Number.NaN } as never },
        },
      }),
  ],
];

/** Calls of methods with positional arguments, with the argument that the error names. */
const wrongPositional: readonly (readonly [
  named: string,
  call: (ctx: { [name: string]: (...given: unknown[]) => unknown }) => unknown,
])[] = [
  ['`progress` of ctx.progress', ctx => ctx.progress?.('1')],
  ['`progress` of ctx.progress', ctx => ctx.progress?.({ progress: 1, total: 2 })],
  ['`total` of ctx.progress', ctx => ctx.progress?.(1, 'half done')],
  ['`message` of ctx.progress', ctx => ctx.progress?.(1, 2, { text: 'half done' })],
  ['`level` of ctx.log', ctx => ctx.log?.('started')],
  ['`level` of ctx.log', ctx => ctx.log?.('warn', 'started')],
  ['`logger` of ctx.log', ctx => ctx.log?.('info', 'started', { n: 1 })],
  ['`method` of ctx.notify', ctx => ctx.notify?.({ method: 'notifications/a' })],
  ['`params` of ctx.notify', ctx => ctx.notify?.('notifications/a', 'text')],
  ['`name` of ctx.step', ctx => ctx.step?.(() => 'done')],
  ['`work` of ctx.step', ctx => ctx.step?.('pay', Promise.resolve('paid'))],
  ['the argument of ctx.ping is invalid at timeout', ctx => ctx.ping?.({ timeout: '5s' })],
];

describe.each(['2026-07-28', '2025-11-25'])('a handler on %s', protocolVersion => {
  it.each(inexact)('cannot send a value that JSON would lose, in %s', async (subject, send) => {
    const errors: TenonError[] = [];
    const sample = vi.fn();
    const tools = { t: tool({ run: (_: unknown, ctx: Context) => send(ctx) as string }) };
    const server = createServer({ name: 's', version: '1', tools, onError: error => errors.push(error) });
    const client = await connectPair(server, { protocolVersion, sample });
    expect(await client.callTool('t')).toMatchObject({ isError: true });
    expect(errors).toMatchObject([{ code: 'handler/output', summary: `${subject} cannot be serialized as JSON` }]);
    expect(sample).not.toHaveBeenCalled();
    await client.close();
  });

  it.each(wrongPositional)('gets an error that names %s', async (named, call) => {
    const errors: TenonError[] = [];
    const run = async (_: unknown, ctx: Context) => {
      await call(ctx as never);
      return 'done';
    };
    const server = createServer({ name: 's', version: '1', tools: { t: tool({ run }) }, onError: e => errors.push(e) });
    const client = await connectPair(server, { protocolVersion, logLevel: 'debug' });
    expect(await client.callTool('t', {}, { onProgress: () => {} })).toMatchObject({ isError: true });
    expect(errors).toMatchObject([{ code: 'options/invalid', summary: expect.stringContaining(named) }]);
    await client.close();
  });

  it.each<[received: string, data: unknown]>([
    ['Map at /', new Map([['a', 1]])],
    ['Set at /tags', { tags: new Set(['a']) }],
    ['Error at /error', { error: new Error('no') }],
    ['bigint at /', 5n],
    ['NaN at /0', [Number.NaN]],
    ['invalid Date at /at', { at: new Date(Number.NaN) }],
    ['function at /', () => 'later'],
  ])('reports data of ctx.log that JSON would lose, and continues: %s', async (received, data) => {
    const errors: TenonError[] = [];
    const logged: unknown[] = [];
    const run = (_: unknown, ctx: Context) => {
      ctx.log('info', data);
      ctx.log('info', { at: new Date(0) }, 'next');
      return 'done';
    };
    const server = createServer({ name: 's', version: '1', tools: { t: tool({ run }) }, onError: e => errors.push(e) });
    const client = await connectPair(server, { protocolVersion, logLevel: 'debug' });
    client.on('log', ({ data }) => logged.push(data));
    expect(await client.callTool('t')).toMatchObject({ content: [{ text: 'done' }] });
    expect(errors).toMatchObject([{ code: 'handler/output', received, message: expect.stringContaining('ctx.log') }]);
    expect(logged).toEqual([{ at: '1970-01-01T00:00:00.000Z' }]);
    await client.close();
  });

  it('gets the result of a tool that fails if it throws a failure with an invalid block', async () => {
    const errors: TenonError[] = [];
    const run = (_: unknown, ctx: Context) => {
      throw ctx.fail([null as never]);
    };
    const server = createServer({ name: 's', version: '1', tools: { t: tool({ run }) }, onError: e => errors.push(e) });
    const client = await connectPair(server, { protocolVersion });
    expect(await client.callTool('t')).toMatchObject({ content: [{ text: 'Tool t failed' }], isError: true });
    expect(errors).toMatchObject([{ code: 'handler/output', received: 'null' }]);
    await client.close();
  });

  it.each([
    ...wrong,
    ['sample', undefined, undefined] as const,
    ['elicit', undefined, 'x'] as const,
    ['elicitUrl', undefined, null] as const,
  ])('gets an error that names ctx.%s and %s for a wrong argument', async (method, member, argument) => {
    const errors: TenonError[] = [];
    let requests = 0;
    const answer = () => {
      requests += 1;
      return { action: 'cancel' as const };
    };
    const run = async (_: unknown, ctx: Context) => {
      await (ctx[method] as (given: unknown) => Promise<unknown>)(argument);
      return 'done';
    };
    const server = createServer({
      name: 's',
      version: '1',
      tools: { t: tool({ run }) },
      onError: error => errors.push(error),
    });
    const client = await connectPair(server, {
      protocolVersion,
      elicit: answer,
      elicitUrl: answer,
      sample: answer as never,
    });
    expect(await client.callTool('t')).toMatchObject({ isError: true });
    const summary = new RegExp(member === undefined ? `ctx\\.${method}` : `ctx\\.${method} is invalid at ${member}$`);
    expect(errors).toMatchObject([{ code: 'options/invalid', summary: expect.stringMatching(summary) }]);
    expect(requests).toBe(0);
    await client.close();
  });
});
