import { describe, expect, it } from 'vitest';
import { createAnswers } from './answers.js';
import { hasHandshake, type MatrixCase, matrixCases, openCase } from './matrix.js';
import type { Json } from './wire.js';

const from = (variant: MatrixCase, date: string) => variant.version >= date;
const textOf = (result: unknown): string => (result as { content: { text: string }[] }).content[0]?.text ?? '';

describe('retries', () => {
  for (const variant of matrixCases.filter(each => !hasHandshake(each))) {
    it(`\`${variant.transport}: repeat the complete request, with the responses\` [mrtr.retry-new-id, stdio.metadata-in-body, mrtr.retry-original-params, mrtr.retry-full-meta, mrtr.retry-params-location, mrtr.input-responses-map, mrtr.input-responses-key-for-key, mrtr.request-state-echoed, mrtr.request-state-opaque, mrtr.fulfil-before-retry, mrtr.input-required-shape, mrtr.terminates-request, result.result-type-input-required, caching.interim-no-hints, versioning.declared-per-request]`, async () => {
      const { client, wire, close } = await openCase(variant, createAnswers());
      wire.rewind();
      await client.callTool('dialogue', { topic: 'tea' });
      const sent = wire.crossings.map(({ value }) => value as Json).filter(({ method }) => method === 'tools/call');
      const results = wire.crossings.flatMap(({ value }) =>
        (value as Json).result ? [(value as { result: Json }).result] : [],
      );
      const interim = results.filter(({ resultType }) => resultType === 'input_required');
      expect(new Set(sent.map(({ id }) => id)).size).toBe(4);
      expect(interim.length).toBe(3);
      sent.forEach(({ params }, round) => {
        const { name, arguments: args, _meta, inputResponses, requestState } = params as Json;
        expect([name, args]).toEqual(['dialogue', { topic: 'tea' }]);
        expect(_meta).toMatchObject({
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': { roots: {} },
        });
        const before = interim[round - 1];
        expect(requestState).toEqual(before?.requestState);
        expect(Object.keys(inputResponses ?? {})).toEqual(Object.keys(before?.inputRequests ?? {}));
        expect(JSON.stringify(inputResponses ?? {})).not.toMatch(/jsonrpc|resultType|"id"/);
      });
      for (const { ttlMs, cacheScope } of interim) expect([ttlMs, cacheScope]).toEqual([undefined, undefined]);
      expect(wire.issues).toEqual([]);
      await close();
    });

    it(`\`${variant.transport}: are refused when requestState was changed, or belongs to another request\` [mrtr.request-state-untrusted, mrtr.request-state-integrity, mrtr.request-state-tampered-rejected]`, async () => {
      const { client, close } = await openCase(variant, createAnswers());
      const ask = (more: Json, topic = 'tea') =>
        client.call('tools/call', { name: 'dialogue', arguments: { topic }, ...more } as never, {
          resolveInputRequests: false,
        });
      const { requestState, inputRequests } = (await ask({})) as unknown as {
        requestState: string;
        inputRequests: Json;
      };
      const [key] = Object.keys(inputRequests) as [string];
      const inputResponses = { [key]: { action: 'accept', content: { yes: true } } };
      const changed = `${requestState.slice(0, -2)}${requestState.at(-2) === 'A' ? 'B' : 'A'}${requestState.slice(-1)}`;
      await expect(ask({ requestState: changed, inputResponses })).rejects.toMatchObject({ rpcCode: -32602 });
      await expect(ask({ requestState, inputResponses }, 'coffee')).rejects.toMatchObject({ rpcCode: -32602 });
      await expect(ask({ requestState, inputResponses: { [key]: { action: 'shrug' } } })).rejects.toMatchObject({
        rpcCode: -32602,
      });
      expect(await ask({ requestState, inputResponses })).toMatchObject({ resultType: 'input_required' });
      await close();
    });

    it('`request only input that the client declared` [mrtr.capability-respected, mrtr.capability-missing-error, meta.capability-missing-error, meta.capability-missing-http-400, meta.capability-status-before-stream, meta.capabilities-empty-object, errors.missing-capability-shape, sampling.tools.not-sent-undeclared]', async () => {
      const { client, wire, close } = await openCase(variant, {
        sample: () => ({ role: 'assistant', content: { type: 'text', text: 'x' }, model: 'm' }),
      });
      await expect(client.callTool('formed')).rejects.toMatchObject({
        rpcCode: -32021,
        data: { requiredCapabilities: { elicitation: {} } },
      });
      if (variant.transport === 'http') expect(wire.exchanges.at(-1)?.status).toBe(400);
      await expect(client.callTool('visits')).rejects.toMatchObject({
        rpcCode: -32021,
        data: { requiredCapabilities: { elicitation: { url: {} } } },
      });
      await expect(client.callTool('uses')).rejects.toMatchObject({
        rpcCode: -32021,
        data: { requiredCapabilities: { sampling: { tools: {} } } },
      });
      await expect(client.callTool('rooted')).rejects.toMatchObject({
        rpcCode: -32021,
        data: { requiredCapabilities: { roots: {} } },
      });
      expect(wire.issues).toEqual([]);
      await close();
    });
  }
});

describe('a missing input response', () => {
  const each = matrixCases.filter(variant => variant.transport !== 'stdio' && from(variant, '2025-06-18'));
  it.each(each.map(variant => [`${variant.transport} ${variant.version}`, variant] as const))(
    'reaches the handler with its reason: %s [elicitation.server-handles-refusal, elicitation.response.actions]',
    async (_, variant) => {
      const actions = ['decline', 'cancel'] as const;
      let turn = 0;
      const elicit = () => {
        if (turn === 2) throw new Error('the window is gone');
        return { action: actions[turn++] ?? ('cancel' as const) };
      };
      const { client, wire, close } = await openCase(variant, { elicit });
      for (const action of actions) expect(JSON.parse(textOf(await client.callTool('formed')))).toEqual({ action });
      const failed = await client.callTool('formed').then(
        ({ isError }) => isError,
        () => true,
      );
      expect(failed).toBe(true);
      expect((await client.callTool('word')).content).toEqual([{ type: 'text', text: '"tenon"' }]);
      expect(wire.issues).toEqual([]);
      await close();
    },
  );
});
