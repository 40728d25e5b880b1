import { createServer, inputRequired, tool, toolResult } from 'tenon';
import { describe, expect, it } from 'vitest';
import { type Json, postAlone, site } from './site.js';

const input = { type: 'object', properties: { n: { type: 'integer', minimum: 1 } }, required: ['n'] } as const;
const form = { elicitation: {}, roots: {} };

const server = () =>
  createServer({
    name: 's',
    version: '1',
    tools: {
      twice: tool({
        async run(_, ctx) {
          const first = await ctx.elicit({ message: 'First?', input });
          const second = await ctx.elicit({ message: 'Second?', input });
          return JSON.stringify([first, second]);
        },
      }),
      once: tool({ run: async (_, ctx) => JSON.stringify(await ctx.elicit({ message: 'First?', input })) }),
      roots: tool({ run: async (_, ctx) => JSON.stringify(await ctx.roots()) }),
      returns: tool({
        run: (_, { inputs }) =>
          inputs.inputResponses?.mine
            ? toolResult({ content: 'thanks' })
            : inputRequired({ inputRequests: { mine: { method: 'roots/list' } } }),
      }),
    },
    onError: () => {},
  });

async function asking(name: string) {
  const url = await site(server());
  const ask = async (more: Json = {}, as = name) => {
    const answer = await postAlone(url, 'tools/call', { name: as, ...more }, { capabilities: form });
    return { ...answer, ...(answer.messages.at(-1) as { result?: Json; error?: Json & { code: number } }) };
  };
  const first = await ask();
  const [key = ''] = Object.keys((first.result?.inputRequests ?? {}) as Json);
  return { ask, first, key, requestState: first.result?.requestState };
}

const accept = (content: unknown): Json => ({ action: 'accept', content });

describe('a retry', () => {
  it('carries the responses of earlier rounds in requestState [mrtr.earlier-answers-in-state]', async () => {
    const { ask, key, requestState } = await asking('twice');
    const second = await ask({ requestState, inputResponses: { [key]: accept({ n: 1 }) } });
    const [next = ''] = Object.keys(second.result?.inputRequests as Json);
    const last = await ask({ requestState: second.result?.requestState, inputResponses: { [next]: accept({ n: 2 }) } });
    const text = JSON.stringify([
      { action: 'accept', content: { n: 1 } },
      { action: 'accept', content: { n: 2 } },
    ]);
    expect(last.result?.content).toEqual([{ type: 'text', text }]);
  });

  it.each<[string, unknown]>([
    ['no object', 7],
    ['no answer', {}],
    ['an action that there is not', { action: 'maybe' }],
    ['content that is none', accept('x')],
  ])(
    'is refused with a malformed response: %s [mrtr.input-responses-validated, mrtr.malformed-responses-error]',
    async (_, answer) => {
      const { ask, key, requestState } = await asking('once');
      const { error } = await ask({ requestState, inputResponses: { [key]: answer } });
      expect(error?.code).toBe(-32602);
    },
  );

  it('is refused with malformed roots [mrtr.malformed-responses-error]', async () => {
    const { ask, key, requestState } = await asking('roots');
    for (const answer of [{}, { roots: 'x' }, { roots: [{}] }])
      expect((await ask({ requestState, inputResponses: { [key]: answer } })).error?.code).toBe(-32602);
    const good = await ask({ requestState, inputResponses: { [key]: { roots: [{ uri: 'file:///a' }] } } });
    expect(good.result?.content).toEqual([{ type: 'text', text: '[{"uri":"file:///a"}]' }]);
  });

  it('fails the call with content that does not fit the form, before the handler gets it [elicitation.form.server-validates]', async () => {
    for (const content of [{ n: 0 }, { n: 1.5 }, { n: 'x' }, {}]) {
      const { ask, key, requestState } = await asking('once');
      const { result, text } = await ask({ requestState, inputResponses: { [key]: accept(content) } });
      expect(result).toMatchObject({ isError: true });
      expect(text).not.toContain('"action');
    }
  });

  it('distinguishes accept, decline and cancel [elicitation.response.server-handles-each, elicitation.response.actions]', async () => {
    for (const action of ['decline', 'cancel']) {
      const { ask, key, requestState } = await asking('once');
      const { result } = await ask({ requestState, inputResponses: { [key]: { action, content: { n: 1 } } } });
      expect(result?.content).toEqual([{ type: 'text', text: JSON.stringify({ action }) }]);
    }
  });

  it('may contain unknown responses, and missing ones are requested again [mrtr.extra-responses-ignored, mrtr.missing-responses-reasked]', async () => {
    const { ask, key, requestState } = await asking('once');
    const more = await ask({
      requestState,
      inputResponses: { [key]: accept({ n: 1 }), other: accept({ n: 9 }), odd: {} },
    });
    expect(more.result).toMatchObject({ content: [{ text: '{"action":"accept","content":{"n":1}}' }] });
    for (const less of [{}, { inputResponses: {} }, { inputResponses: { other: accept({}) } }]) {
      const begun = await asking('once');
      const again = await begun.ask({ requestState: begun.requestState, ...less });
      expect(again.result?.inputRequests).toEqual(begun.first.result?.inputRequests);
    }
    const returned = await asking('returns');
    expect((await returned.ask({ inputResponses: { other: {} } })).result).toMatchObject({
      resultType: 'input_required',
    });
  });

  it('is accepted for its own request, and for no other [mrtr.request-state-request-bound]', async () => {
    const { ask, key, requestState } = await asking('once');
    const retry = { requestState, inputResponses: { [key]: accept({ n: 1 }) } };
    expect((await ask(retry, 'twice')).error?.code).toBe(-32602);
    expect((await ask({ ...retry, arguments: { a: 1 } })).error?.code).toBe(-32602);
    expect((await ask(retry)).result).toMatchObject({ content: [{ type: 'text' }] });
  });

  it('is requested in plain JSON [mrtr.single-response-preferred]', async () => {
    const { first } = await asking('once');
    expect(first.headers['content-type']).toContain('application/json');
    expect(first.result).toMatchObject({ resultType: 'input_required' });
  });
});
