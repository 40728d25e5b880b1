import type { TenonError } from '@tenon/base';
import { connectPair } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import type { Context } from '../../handler/context.js';
import { inputRequired, toolResult } from '../../handler/tool-result.js';
import type { ContentBlock } from '../../protocol/content.js';
import type { CreateMessageParams, CreateMessageResult } from '../../protocol/input-requests.js';
import { resource } from '../definitions/resource.js';
import { tool } from '../definitions/tool.js';
import { createServer } from '../server.js';

const RESERVED = { 'mcp.dev/x': 1 };
const text = (_meta: object): ContentBlock => ({ type: 'text', text: 'a', _meta: { ..._meta } });
const embedded = (_meta: object): ContentBlock => ({
  type: 'resource',
  resource: { uri: 'note:a', text: 'a', _meta: { ..._meta } },
});
const question = (_meta: object): CreateMessageParams => ({
  messages: [{ role: 'user', content: text(_meta) as never }],
  maxTokens: 1,
});

type Run = (context: Context, _meta: { readonly [key: string]: unknown }) => unknown;

/** Every form in which a tool gives `_meta`. */
const forms: [string, Run][] = [
  ['reply', (_, _meta) => toolResult({ content: 'a', _meta })],
  ['a reply with an error', (_, _meta) => toolResult({ content: 'a', isError: true, _meta })],
  ['a result in the form of the specification', (_, _meta) => ({ content: [{ type: 'text', text: 'a' }], _meta })],
  ['a block', (_, _meta) => text(_meta)],
  ['a list of blocks', (_, _meta) => ['a', text(_meta)]],
  ['a resource in a block', (_, _meta) => embedded(_meta)],
  ['ctx.notify', (context, _meta) => context.notify('notifications/message', { level: 'info', data: 1, _meta })],
  ['ctx.sample', async (context, _meta) => (await context.sample(question(_meta))).model],
];

function createCase(run: Run, _meta: { readonly [key: string]: unknown }) {
  const errors: TenonError[] = [];
  const server = createServer({
    name: 'a',
    version: '1',
    tools: { t: tool({ run: (_, context) => run(context, _meta) as string }) },
    onError: error => void errors.push(error),
  });
  const sample = (): CreateMessageResult => ({ role: 'assistant', content: { type: 'text', text: 'a' }, model: 'm' });
  return { errors, open: () => connectPair(server, { protocolVersion: '2025-11-25', sample }) };
}

describe('the _meta that a tool returns', () => {
  it.each(forms)(
    'fails the call in %s when its prefix is reserved [base.meta.reserved-prefix-domain-order]',
    async (_, run) => {
      const { errors, open } = createCase(run, RESERVED);
      const client = await open();
      expect(await client.callTool('t')).toMatchObject({ isError: true });
      expect(errors).toMatchObject([{ code: 'meta/reserved', message: expect.stringContaining('mcp.dev/x') }]);
      await client.close();
    },
  );

  it.each(forms)('reaches the client in %s when its prefix is free', async (name, run) => {
    const { errors, open } = createCase(run, { 'com.example.mcp/x': 1 });
    const client = await open();
    const { isError } = await client.callTool('t');
    expect([isError ?? false, errors]).toEqual([name === 'a reply with an error', []]);
    await client.close();
  });

  it('fails the call in a returned input request when its prefix is reserved', async () => {
    const requests = { a: { method: 'sampling/createMessage' as const, params: question(RESERVED) } };
    const { errors, open } = createCase(() => inputRequired({ inputRequests: requests }), {});
    const client = await open();
    await client.callTool('t').catch(() => {});
    expect(errors).toMatchObject([{ code: 'meta/reserved' }]);
    await client.close();
  });
});

describe('the _meta of prompts, resources and custom methods', () => {
  it.each([
    ['a prompt', 'prompts/get', { name: 'p' }],
    ['contents', 'resources/read', { uri: 'note:a' }],
    ['an entry of a list', 'resources/list', {}],
    ['a method of the author', 'example/m', {}],
  ])('fails the request in %s when its prefix is reserved', async (_, method, params) => {
    const errors: TenonError[] = [];
    const server = createServer({
      name: 'a',
      version: '1',
      prompts: { p: { run: () => ({ messages: [{ role: 'user' as const, content: text(RESERVED) }] }) } },
      resources: {
        'note:a': { read: () => ({ uri: 'note:a', text: 'a', _meta: RESERVED }) },
        'note:b/{id}': resource({ list: () => [{ id: 'b', _meta: RESERVED }], read: () => 'b' }),
      },
      methods: { 'example/m': { run: () => ({ _meta: RESERVED }) } },
      onError: error => void errors.push(error),
    });
    const client = await connectPair(server);
    await expect(client.call(method, params)).rejects.toMatchObject({ rpcCode: -32603 });
    expect(errors).toMatchObject([{ code: 'meta/reserved' }]);
    await client.close();
  });
});
