import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../jsonrpc/message.js';
import { answer, capabilitiesOf } from './answering.js';
import type { Answers } from './options.js';

const about = { signal: new AbortController().signal, server: 's' };
const form = (properties: object, required: string[] = []) => ({
  message: 'm',
  requestedSchema: { type: 'object', properties, required },
});
const ask = (method: string, params: object, answers: Answers) => answer(method, params as JsonObject, answers, about);
const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'result',
    error => error.rpc ?? error.code,
  );
const elicit = (result: unknown): Answers => ({ elicit: () => result as never });

describe('what a client declares', () => {
  it.each([
    [{}, {}],
    [{ elicit: () => ({ action: 'cancel' }) }, { elicitation: { form: {} } }],
    [{ elicitUrl: () => ({ action: 'cancel' }) }, { elicitation: { url: {} } }],
    [{ sample: () => ({}) }, { sampling: {} }],
    [{ sample: () => ({}), sampleTools: true }, { sampling: { tools: {} } }],
    [{ sampleTools: true }, {}],
    [{ roots: [] }, { roots: {} }],
    [{ extensions: { 'a.b/c': {} } }, { extensions: { 'a.b/c': {} } }],
  ] as [Answers, object][])(
    'follows from what it can answer (%#) [elicitation.capability-declared sampling.capability-declared roots.capability-declared sampling.tools.capability-declared elicitation.capability.one-mode-at-least]',
    (options, declared) => {
      expect(capabilitiesOf(options)).toEqual(declared);
    },
  );
});

describe('a question of the server', () => {
  it('is answered by the handler for it, also under the name that some use', async () => {
    const message = { role: 'assistant', content: { type: 'text', text: 'x' }, model: 'm' };
    const answers = { sample: () => message } as unknown as Answers;
    for (const method of ['sampling/createMessage', 'sampling/complete']) {
      expect(await ask(method, { messages: [], maxTokens: 1 }, answers)).toEqual(message);
    }
    expect(await ask('roots/list', {}, { roots: [{ uri: 'file:///a' }] })).toEqual({ roots: [{ uri: 'file:///a' }] });
    expect(await ask('roots/list', {}, { roots: async () => [] })).toEqual({ roots: [] });
  });

  it.each([
    ['no handler', 'roots/list', {}, {}, -32601],
    ['a method that is none', 'no/such', {}, {}, -32601],
    ['a method of clients', 'tools/call', { name: 'a' }, {}, -32601],
    ['broken params', 'sampling/createMessage', { messages: 5 }, { sample: () => ({}) }, -32602],
    [
      'a mode that was not declared [elicitation.mode.undeclared-error]',
      'elicitation/create',
      { mode: 'url', message: 'm', url: 'https://a' },
      elicit({ action: 'cancel' }),
      -32602,
    ],
    [
      'tools that were not declared [sampling.tools.undeclared-error sampling.tools.undeclared-fails]',
      'sampling/createMessage',
      { messages: [], maxTokens: 1, tools: [] },
      { sample: () => ({}) },
      -32601,
    ],
    [
      'an answer that does not fit the form [elicitation.response.content-on-accept]',
      'elicitation/create',
      form({ a: { type: 'string' } }),
      elicit({ action: 'accept', content: { a: 5 } }),
      'answer/form',
    ],
    [
      'an answer that lacks a field [elicitation.response.content-on-accept]',
      'elicitation/create',
      form({ a: { type: 'string' } }, ['a']),
      elicit({ action: 'accept' }),
      'answer/form',
    ],
    [
      'an answer that is none [elicitation.response.actions]',
      'elicitation/create',
      form({}),
      elicit({ action: 'maybe' }),
      'answer/malformed',
    ],
    [
      'a handler that returns nothing',
      'sampling/createMessage',
      { messages: [], maxTokens: 1 },
      { sample: () => undefined },
      'answer/malformed',
    ],
  ] as [string, string, object, Answers, unknown][])(
    'is refused for %s',
    async (_, method, params, answers, expected) => {
      expect(await code(ask(method, params, answers))).toBe(expected);
    },
  );

  it('has its defaults filled in, and no content when it was not accepted [elicitation.response.actions]', async () => {
    const params = form({ a: { type: 'string', default: 'd' }, b: { type: 'number', default: 1 } });
    expect(await ask('elicitation/create', params, elicit({ action: 'accept', content: { b: 2 } }))).toEqual({
      action: 'accept',
      content: { a: 'd', b: 2 },
    });
    expect(await ask('elicitation/create', params, elicit({ action: 'decline', content: { a: 'x' } }))).toEqual({
      action: 'decline',
    });
  });
});
