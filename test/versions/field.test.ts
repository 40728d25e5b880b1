import { connect, createTransportPair } from 'tenon';
import { describe, expect, it, vi } from 'vitest';
import { type ProtocolVersion, protocolVersions } from '../support/official-schema.js';
import type { Json } from './wire.js';

const newest = '2026-07-28';
const handshakes = protocolVersions.filter(version => version !== newest);

describe('a deviating server', () => {
  /** A server that answers by hand. */
  async function answeredBy(
    protocolVersion: ProtocolVersion,
    answers: (method: string, params: Json) => Json | undefined,
    options: object = {},
  ) {
    const pair = createTransportPair();
    const notifications: Json[] = [];
    pair.server.open({
      onMessage(value) {
        const { id, method, params } = value as { id?: number; method?: string; params: Json };
        if (method === undefined) return void notifications.push(value as Json);
        if (id === undefined) return;
        const opening = protocolVersion === newest ? 'server/discover' : 'initialize';
        const capabilities = { tools: {}, prompts: {}, resources: {}, unheard: { of: 1 }, logging: { later: true } };
        const facts =
          protocolVersion === newest
            ? { supportedVersions: [newest], ttlMs: 0, cacheScope: 'private' }
            : { protocolVersion };
        const result =
          method === opening
            ? { ...facts, capabilities, serverInfo: { name: 's', version: '1' } }
            : answers(method, params);
        void pair.server.send({
          jsonrpc: '2.0',
          id,
          ...(result && 'error' in result ? result : { result: result ?? {} }),
        } as never);
      },
      onParseError() {},
      onResponseLost() {},
      onClose() {},
    });
    const client = await connect(pair.client, { protocolVersion, ...options });
    return { client, ask: (message: Json) => void pair.server.send(message as never), notifications };
  }

  it.each(handshakes)('may end a list with an empty cursor on %s', async version => {
    let lists = 0;
    const { client } = await answeredBy(version, () => ({ prompts: [{ name: `p${lists++}` }], nextCursor: '' }));
    const names: string[] = [];
    for await (const { name } of client.listPrompts()) names.push(name);
    expect(names).toEqual(['p0']);
  });

  it('continues a list after an empty cursor on the newest version [pagination.empty-string-cursor-valid]', async () => {
    const { client } = await answeredBy(newest, (_, { cursor }) => ({
      resultType: 'complete',
      prompts: [{ name: String(cursor) }],
      ...(cursor === undefined ? { nextCursor: '' } : {}),
    }));
    const names: string[] = [];
    for await (const { name } of client.listPrompts()) names.push(name);
    expect(names).toEqual(['undefined', '']);
  });

  it.each(protocolVersions)(
    'may send an empty structured content and unknown members on %s [result.open-object, result.result-type-absent-is-complete, tools.call.is-error-default, schema.capability.open-set]',
    async version => {
      const { client } = await answeredBy(version, method =>
        method === 'tools/list'
          ? { tools: [{ name: 't', inputSchema: { type: 'object' }, surplus: 1 }] }
          : {
              content: [
                { type: 'text', text: 'x', surplus: 1 },
                { type: 'unheard-of', x: 1 },
              ],
              structuredContent: {},
              surplus: 1,
            },
      );
      const result = await client.callTool('t');
      expect('structuredContent' in result).toBe(false);
      expect(result.content).toEqual([
        { type: 'text', text: 'x', surplus: 1 },
        { type: 'unheard-of', x: 1 },
      ]);
      expect(client.server.capabilities).toMatchObject({ unheard: { of: 1 }, logging: { later: true } });
    },
  );

  it('fails a call with a result of an unknown type [result.result-type-unknown-invalid, result.result-type-allowed-set, mrtr.unsupported-method-result-invalid]', async () => {
    const { client } = await answeredBy(newest, method =>
      method === 'prompts/get'
        ? { resultType: 'odd', messages: [] }
        : { resultType: 'input_required', requestState: 'x' },
    );
    await expect(client.call('prompts/get', { name: 'x' })).rejects.toMatchObject({ code: 'peer/invalid-result' });
    await expect(client.call('resources/list')).rejects.toBeInstanceOf(Error);
  });

  it.each(handshakes)('may request sampling by another method name on %s', async version => {
    const sample = () => ({ role: 'assistant' as const, content: { type: 'text' as const, text: 'yes' }, model: 'm' });
    const { ask, notifications } = await answeredBy(version, () => ({}), { sample });
    ask({ jsonrpc: '2.0', id: 'q', method: 'sampling/complete', params: { messages: [], maxTokens: 1 } });
    await vi.waitFor(() => expect(notifications).toHaveLength(1));
    expect(notifications).toEqual([
      { jsonrpc: '2.0', id: 'q', result: { role: 'assistant', content: { type: 'text', text: 'yes' }, model: 'm' } },
    ]);
  });

  it.each(['2025-11-25'] as const)(
    'gets an error on %s when it requests undeclared input [elicitation.mode.undeclared-error, elicitation.complete.unknown-ignored, sampling.tools.undeclared-error, sampling.tools.undeclared-fails]',
    async version => {
      const options = {
        elicit: () => ({ action: 'decline' as const }),
        sample: () => ({ role: 'assistant' as const, content: { type: 'text' as const, text: 'yes' }, model: 'm' }),
      };
      const { ask, notifications } = await answeredBy(version, () => ({}), options);
      ask({
        jsonrpc: '2.0',
        id: 1,
        method: 'elicitation/create',
        params: { mode: 'url', message: 'm', url: 'https://example.com', elicitationId: 'e' },
      });
      ask({
        jsonrpc: '2.0',
        id: 2,
        method: 'sampling/createMessage',
        params: { messages: [], maxTokens: 1, tools: [{ name: 't', inputSchema: { type: 'object' } }] },
      });
      ask({ jsonrpc: '2.0', id: 3, method: 'roots/list' });
      ask({ jsonrpc: '2.0', id: 4, method: 'ping' });
      ask({ jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId: 'unknown' } });
      await vi.waitFor(() => expect(notifications).toHaveLength(4));
      const codes = Object.fromEntries(
        notifications.map(({ id, error }) => [id, (error as { code: number } | undefined)?.code]),
      );
      expect(codes).toEqual({ 1: -32602, 2: expect.any(Number), 3: -32601, 4: undefined });
    },
  );

  it('fails the call when its result requests undeclared input [mrtr.unfulfillable-input-fails-locally]', async () => {
    const { client } = await answeredBy(newest, method =>
      method === 'tools/list'
        ? { tools: [] }
        : { resultType: 'input_required', inputRequests: { a: { method: 'roots/list' } } },
    );
    await expect(client.callTool('t')).rejects.toMatchObject({ code: 'call/unanswered-request' });
  });

  it('gets back requestState of the last round, byte for byte, and none when there was none [mrtr.request-state-echoed, mrtr.request-state-not-invented, mrtr.not-used-for-other-requests, caching.mrtr-retry-not-cached]', async () => {
    const seen: unknown[] = [];
    const rounds = [
      { requestState: '' },
      { requestState: ' ünï\n"' },
      { inputRequests: { a: { method: 'roots/list' } } },
    ];
    const { client } = await answeredBy(
      newest,
      (method, params) => {
        if (method !== 'resources/read') return {};
        seen.push([params.requestState, params.inputResponses]);
        const round = rounds[seen.length - 1];
        return round
          ? { resultType: 'input_required', ...round }
          : { resultType: 'complete', contents: [], ttlMs: 60_000, cacheScope: 'private' };
      },
      { roots: [] },
    );
    await client.readResource('x://y');
    expect(seen).toEqual([
      [undefined, undefined],
      ['', undefined],
      [' ünï\n"', undefined],
      [undefined, { a: { roots: [] } }],
    ]);
    await client.readResource('x://y');
    expect(seen.length).toBe(5);
  });
});
