import { expect, it } from 'vitest';
import { createAnswers, type ReceivedInputs } from './answers.js';
import { describeMatrix, type MatrixCase } from './matrix.js';
import type { Json, Wire } from './wire.js';

const is = (variant: MatrixCase, date: string) => variant.version === date;
const from = (variant: MatrixCase, date: string) => variant.version >= date;
const newest = '2026-07-28';
const textOf = (result: unknown): string => (result as { content: { text: string }[] }).content[0]?.text ?? '';

/** What the server asked, in the order in which it did, in either manner. */
function listInputRequests(wire: Wire): { method: string; params: Json }[] {
  return wire.crossings.flatMap(({ from: by, value }) => {
    if (by !== 'server') return [];
    const { method, id, params, result } = value as { method?: string; id?: unknown; params?: Json; result?: Json };
    if (method !== undefined && id !== undefined) return [{ method, params: params ?? {} }];
    const inputRequests = result?.inputRequests as Record<string, { method: string; params?: Json }> | undefined;
    return Object.values(inputRequests ?? {}).map(each => ({ method: each.method, params: each.params ?? {} }));
  });
}

const request: ReceivedInputs = { forms: [], samples: [], urls: [] };

describeMatrix(
  'asking',
  (rig, variant) => {
    it("declares the client's input handlers as capabilities of the protocol version [elicitation.capability-declared, sampling.capability-declared, roots.capability-declared, sampling.tools.capability-declared, elicitation.capability-per-request, sampling.capability-per-request, roots.capability-per-request, roots.no-list-changed, elicitation.capability.one-mode-at-least, schema.capability.client.elicitation, schema.capability.client.elicitation.modes, schema.capability.client.sampling, schema.capability.client.sampling.members, schema.capability.client.roots, schema.capability.client.roots-empty, meta.capability-undeclared-not-used]", async () => {
      const { client } = rig();
      const received = JSON.parse(textOf(await client.callTool('meta')));
      const full = { elicitation: { form: {}, url: {} }, sampling: { tools: {} } };
      if (from(variant, '2025-11-25')) expect(received.capabilities).toMatchObject(full);
      else if (is(variant, '2025-06-18'))
        expect(received.capabilities).toMatchObject({ elicitation: { form: {} }, sampling: {} });
      else expect(received.capabilities).toEqual({ roots: { listChanged: true }, sampling: {} });
      expect(received.capabilities.roots).toEqual(is(variant, newest) ? {} : { listChanged: true });
      expect(received.client).toMatchObject({ name: 'tenon' });
    });

    it('shows a form with every kind of field [elicitation.request.message, elicitation.form.flat-primitives, elicitation.form.mode-value, elicitation.response.actions, elicitation.response.content-on-accept, elicitation.mode.missing-is-form, elicitation.via-mrtr, schema.request.elicitation-create, schema.request.elicitation-create.form-extras, schema.request.elicitation-create.form-full, schema.result.elicitation-create, schema.result.elicitation-create.string-arrays, schema.type.elicitation-string, schema.type.elicitation-number, schema.type.elicitation-boolean, schema.type.elicitation-enum-names, schema.type.elicitation-defaults, schema.type.elicitation-enum-titled, schema.type.elicitation-multi-select, schema.typescript-is-truth]', async () => {
      const { client, wire } = rig();
      const result = await client.callTool('formed');
      if (!from(variant, '2025-06-18')) {
        expect(result).toMatchObject({
          isError: true,
          content: [
            {
              text: expect.stringMatching(
                /^The client does not support elicitation\/create\. Use a client that declares it/,
              ),
            },
          ],
        });
        expect(listInputRequests(wire)).toEqual([]);
        return;
      }
      const [inputRequest] = listInputRequests(wire);
      expect(inputRequest).toMatchObject({ method: 'elicitation/create', params: { message: 'Who are you?' } });
      const { properties } = (inputRequest as { params: Json }).params.requestedSchema as {
        properties: Record<string, Json>;
      };
      const simple = is(variant, '2025-06-18');
      expect(properties.name?.default).toBe(simple ? undefined : 'Ada');
      expect(properties.sure).toEqual({ type: 'boolean', default: true });
      expect(properties.size).toEqual(
        simple
          ? { type: 'string', enum: ['s', 'l'], enumNames: ['Small', 'Large'] }
          : expect.objectContaining({
              oneOf: [
                { const: 's', title: 'Small' },
                { const: 'l', title: 'Large' },
              ],
            }),
      );
      expect(properties.days).toEqual(
        simple
          ? { type: 'string', title: 'Days', description: 'Any of: mo, tu, we; separated by commas.' }
          : expect.objectContaining({ type: 'array', minItems: 1, default: ['mo'] }),
      );
      const { action, content } = JSON.parse(textOf(result));
      expect(action).toBe('accept');
      const defaults = simple ? {} : { age: 36 };
      expect(content).toEqual({
        name: 'Grace',
        mail: 'grace@example.com',
        ratio: 0.25,
        sure: true,
        colour: 'green',
        size: 'l',
        days: ['mo', 'tu'],
        fruits: ['a'],
        ...defaults,
      });
    });

    it('makes a form of a zod schema that every client can show [elicitation.form.flat-primitives]', async () => {
      const { client } = rig();
      const result = await client.callTool('zodded');
      if (!from(variant, '2025-06-18')) return expect(result.isError).toBe(true);
      expect(JSON.parse(textOf(result))).toEqual({
        action: 'accept',
        content: { mail: 'grace@example.com', kind: 'x', kinds: ['x', 'y'] },
      });
    });

    it('requests a URL visit if the protocol version has URL elicitation [elicitation.mode.only-supported, elicitation.url.request-members, elicitation.url.valid-url, elicitation.url.accept-is-consent, elicitation.accept-url-no-content, elicitation.url.id-opaque, elicitation.url.client-no-prefetch, elicitation.no-complete-notification, schema.request.elicitation-create.url, schema.request.elicitation-create.url-without-id]', async () => {
      const { client, wire } = rig();
      const result = await client.callTool('visits');
      if (!from(variant, '2025-11-25')) {
        expect(result.isError).toBe(true);
        expect(listInputRequests(wire)).toEqual([]);
        return;
      }
      expect(textOf(result)).toBe('accept');
      const { params } = listInputRequests(wire)[0] as { params: Json };
      expect(params).toMatchObject({ mode: 'url', message: 'Sign in', url: 'https://example.com/sign-in' });
      expect(typeof params.elicitationId).toBe(is(variant, newest) ? 'undefined' : 'string');
      const answers = wire.crossings.filter(each => each.from === 'client').map(({ value }) => JSON.stringify(value));
      expect(answers.some(text => text.includes('"action":"accept"') && !text.includes('"content"'))).toBe(true);
    });

    it('creates a new id for each URL visit [elicitation.url.id-unique]', async () => {
      const { client, wire } = rig();
      await client.callTool('visits');
      await client.callTool('visits');
      const ids = listInputRequests(wire).map(({ params }) => params.elicitationId);
      expect(new Set(ids).size).toBe(is(variant, '2025-11-25') ? 2 : is(variant, newest) ? 1 : 0);
    });

    it('requests sampling with the members of the protocol version [sampling.via-mrtr, schema.request.sampling-create-message, schema.request.sampling-create-message.full, schema.result.sampling-create-message, schema.type.sampling-message, schema.type.sampling-message.audio, schema.type.sampling-message.blocks, schema.type.model-preferences]', async () => {
      const { client, wire } = rig();
      const answer = JSON.parse(textOf(await client.callTool('samples')));
      expect(answer).toMatchObject({
        role: 'assistant',
        content: { type: 'text', text: 'Hm.' },
        model: 'm1',
        stopReason: 'endTurn',
      });
      const { params } = listInputRequests(wire)[0] as { params: Json };
      expect(params).toMatchObject({
        maxTokens: 50,
        systemPrompt: 'Be brief',
        temperature: 0.5,
        stopSequences: ['.'],
        includeContext: 'none',
        metadata: { why: 'test' },
      });
      const messages = params.messages as { role: string; content: Json }[];
      expect(messages[1]?.content.type).toBe(from(variant, '2025-03-26') ? 'audio' : 'text');
      expect(messages.length).toBe(from(variant, '2025-11-25') ? 3 : 4);
      expect(Array.isArray(messages[2]?.content)).toBe(from(variant, '2025-11-25'));
    });

    it('offers tools for sampling only to a client that supports them [sampling.tools.not-sent-undeclared, sampling.tool-use.each-answered, sampling.tool-result.alone, sampling.tool-result.id-matches, sampling.reply-to-tool-use, schema.request.sampling-create-message.tools, schema.result.sampling-create-message.tool-use, schema.type.tool-use-content, schema.type.tool-result-content, schema.type.tool-result-content.structured-any, schema.type.tool-choice]', async () => {
      const { client, wire } = rig();
      const result = await client.callTool('uses');
      if (!from(variant, '2025-11-25')) {
        expect(result).toMatchObject({
          isError: true,
          content: [
            { text: expect.stringMatching(/^The client does not support sampling\. Use a client that declares it/) },
          ],
        });
        expect(listInputRequests(wire)).toEqual([]);
        return;
      }
      expect(JSON.parse(textOf(result))).toEqual(['toolUse', { type: 'text', text: 'Hm.' }]);
      const [first, second] = listInputRequests(wire);
      expect(first?.params).toMatchObject({ tools: [{ name: 'look' }], toolChoice: { mode: 'auto' } });
      expect(((second as { params: Json }).params.messages as Json[])[2]).toMatchObject({
        content: [{ type: 'tool_result', toolUseId: 'u1' }],
      });
    });

    it('requests the roots [roots.uri-file-scheme, roots.list-via-mrtr, mrtr.input-request-roots-shape, schema.request.roots-list, schema.result.roots-list, schema.type.root, schema.type.root.meta]', async () => {
      const { client } = rig();
      const [root] = JSON.parse(textOf(await client.callTool('rooted')));
      const meta = from(variant, '2025-06-18') ? { _meta: { 'com.example/kind': 'root' } } : {};
      expect(root).toEqual({ uri: 'file:///home/ada', name: 'Home', ...meta });
    });

    it('sends two elicitations and a sampling request, and never repeats an answered one [mrtr.server-requests-only-via-mrtr, stdio.client-no-responses, stdio.server-no-requests, base.transport-directions, mrtr.retry-self-contained, mrtr.latest-round-only, base.removed-server-requests-not-sent, base.server-never-sends-requests, base.client-never-sends-responses]', async () => {
      const { client, wire } = rig();
      const result = await client.callTool('dialogue', { topic: 'tea' });
      if (!from(variant, '2025-06-18')) return expect(result.isError).toBe(true);
      expect(textOf(result)).toBe('accept Hm. accept true');
      expect(listInputRequests(wire).map(({ method }) => method)).toEqual([
        'elicitation/create',
        'sampling/createMessage',
        'elicitation/create',
      ]);
      const byRequest = wire.crossings.filter(
        ({ from: by, value }) => by === 'server' && 'method' in (value as Json) && 'id' in (value as Json),
      );
      expect(byRequest.length).toBe(is(variant, newest) ? 0 : 3);
      const clientResponses = wire.crossings.filter(
        ({ from: by, value }) => by === 'client' && !('method' in (value as Json)),
      );
      expect(clientResponses.length).toBe(is(variant, newest) ? 0 : 3);
    });

    it('sends concurrent input requests in one round [mrtr.input-request-keys-unique, mrtr.input-requests-map, mrtr.input-request-kinds]', async () => {
      const { client, wire } = rig();
      const result = await client.callTool('together');
      if (!from(variant, '2025-06-18')) return expect(result.isError).toBe(true);
      expect(textOf(result)).toBe('accept 1 m1');
      expect(wire.sent('client', 'tools/call').length).toBe(is(variant, newest) ? 2 : 1);
      expect(listInputRequests(wire).length).toBe(3);
    });

    it('sends the input requests that a handler returns, on every protocol version [mrtr.at-least-one-field, compat.legacy-wire-restored]', async () => {
      const { client, wire } = rig();
      const call = client.callTool('returns');
      if (!from(variant, '2025-06-18')) {
        const error = await call.then(
          result => (result.isError ? 'told' : 'answered'),
          () => 'told',
        );
        return expect(error).toBe('told');
      }
      expect(textOf(await call)).toBe('2:Grace model');
      expect(
        listInputRequests(wire)
          .map(({ method }) => method)
          .sort(),
      ).toEqual(['elicitation/create', 'roots/list', 'sampling/createMessage']);
      const results = wire.crossings.filter(
        ({ value }) => ((value as Json).result as Json | undefined)?.resultType === 'input_required',
      );
      expect(results.length).toBe(is(variant, newest) ? 2 : 0);
    });

    it('requests input in prompts and in reads of resources', async () => {
      const { client } = rig();
      if (!from(variant, '2025-06-18')) {
        await expect(client.prompts.asked()).rejects.toMatchObject({
          rpcCode: -32603,
          message: expect.stringContaining('does not support'),
        });
        await expect(client.readResource('note://asked')).rejects.toMatchObject({ rpcCode: -32603 });
        return;
      }
      expect((await client.prompts.asked()).messages[0]?.content).toMatchObject({ text: 'Greet Grace.' });
      expect((await client.readResource('note://asked')).contents[0]).toMatchObject({ text: 'accept' });
    });
  },
  { client: () => createAnswers(request) },
);
