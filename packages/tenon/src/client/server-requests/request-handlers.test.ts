import { getEventListeners } from 'node:events';
import { type JsonObject, LazyAbortSignal } from '@tenon/base';
import { fakeClock } from '@tenon/testing';
import { describe, expect, it, vi } from 'vitest';
import type { ClientHandlers, ClientOptions, ServerRequestInfo } from '../options.js';
import { createCapabilities, handleServerRequest, type ServerRequestOptions } from './request-handlers.js';

const about = { signal: new AbortController().signal, server: 's', progress: () => {} };
const form = (properties: object, required: string[] = []) => ({
  message: 'm',
  requestedSchema: { type: 'object', properties, required },
});
const ask = (method: string, params: object, answers: ServerRequestOptions) =>
  handleServerRequest(method, params as JsonObject, answers, about);
const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'result',
    error => error.rpcCode ?? error.code,
  );
const elicit = (result: unknown): ClientHandlers => ({ elicit: () => result as never });

describe('the capabilities of a client', () => {
  it.each([
    [{}, {}],
    [{ tasks: true }, { extensions: { 'io.modelcontextprotocol/tasks': {} } }],
    [{ elicit: () => ({ action: 'cancel' }) }, { elicitation: { form: {} } }],
    [{ elicitUrl: () => ({ action: 'cancel' }) }, { elicitation: { url: {} } }],
    [{ sample: () => ({}) }, { sampling: {} }],
    [{ sample: () => ({}), sampleTools: true }, { sampling: { tools: {} } }],
    [{ sampleTools: true }, {}],
    [{ roots: [] }, { roots: {} }],
    [
      { extensions: [{ id: 'a.b/c' }, { id: 'a.b/d', settings: { e: 1 } }] },
      { extensions: { 'a.b/c': {}, 'a.b/d': { e: 1 } } },
    ],
  ] as [ClientOptions, object][])(
    'follow from its handlers (%#) [elicitation.capability-declared sampling.capability-declared roots.capability-declared sampling.tools.capability-declared elicitation.capability.one-mode-at-least]',
    (options, declared) => {
      expect(createCapabilities({ tasks: false, ...options })).toEqual(declared);
    },
  );
});

describe('a request of the server', () => {
  it('returns the result of its handler', async () => {
    const message = { role: 'assistant', content: { type: 'text', text: 'x' }, model: 'm' };
    const answers = { sample: () => message } as unknown as ClientHandlers;
    expect(await ask('sampling/createMessage', { messages: [], maxTokens: 1 }, answers)).toEqual(message);
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
    ['roots that are no list', 'roots/list', {}, { roots: () => ({}) }, 'answer/malformed'],
    ['roots without a URI', 'roots/list', {}, { roots: () => [{ name: 'a' }] }, 'answer/malformed'],
    [
      'a number that is not finite',
      'elicitation/create',
      form({ a: { type: 'number' } }),
      elicit({ action: 'accept', content: { a: Number.NaN } }),
      'answer/malformed',
    ],
  ] as [string, string, object, ClientHandlers, unknown][])(
    'rejects %s',
    async (_, method, params, answers, expected) => {
      expect(await code(ask(method, params, answers))).toBe(expected);
    },
  );

  it('fills in defaults of accepted content, and omits content that was not accepted [elicitation.response.actions]', async () => {
    const params = form({ a: { type: 'string', default: 'd' }, b: { type: 'number', default: 1 } });
    expect(await ask('elicitation/create', params, elicit({ action: 'accept', content: { b: 2 } }))).toEqual({
      action: 'accept',
      content: { a: 'd', b: 2 },
    });
    expect(await ask('elicitation/create', params, elicit({ action: 'decline', content: { a: 'x' } }))).toEqual({
      action: 'decline',
    });
  });

  it('fills in a default of many digits only if it is text, because a number may not be the one that the server sent', async () => {
    const digits = '12345678901234567890';
    const params = form({ a: { type: 'string', default: digits }, b: { type: 'number', default: Number(digits) } });
    expect(await ask('elicitation/create', params, elicit({ action: 'accept', content: {} }))).toEqual({
      action: 'accept',
      content: { a: digits },
    });
  });

  it('aborts its handler and rejects after the timeout', async () => {
    await import('./input-request-checks.js');
    const clock = fakeClock();
    const signals: AbortSignal[] = [];
    const sample = (_: unknown, { signal }: ServerRequestInfo) => {
      signals.push(signal);
      return new Promise<never>(() => {});
    };
    const params = { messages: [], maxTokens: 1 };
    for (const [answerTimeout, ms] of [
      [undefined, 30 * 60_000],
      [5, 5],
    ] as const) {
      const late = code(
        ask('sampling/createMessage', params, { sample, clock, ...(answerTimeout ? { answerTimeout } : {}) }),
      );
      clock.advance(ms - 1);
      await new Promise(setImmediate);
      expect(signals.at(-1)?.aborted).toBe(false);
      clock.advance(1);
      expect([await late, signals.at(-1)?.aborted]).toEqual(['answer/timeout', true]);
    }
    await ask('roots/list', {}, { roots: [], clock });
    expect(clock.timers).toBe(0);
  });

  it('makes an AbortSignal only for a handler that reads it', async () => {
    const { AbortController: Own } = globalThis;
    let made = 0;
    vi.stubGlobal(
      'AbortController',
      class extends Own {
        constructor() {
          super();
          made += 1;
        }
      },
    );
    const request = { signal: new LazyAbortSignal(), server: 's', progress: () => {} };
    const params = { messages: [], maxTokens: 1 };
    const sampled = { role: 'assistant', content: { type: 'text', text: 'a' }, model: 'm' } as const;
    const signals: AbortSignal[] = [];
    const read = (_: unknown, { signal }: ServerRequestInfo) => {
      signals.push(signal);
      return sampled;
    };
    await handleServerRequest('sampling/createMessage', params, { sample: () => sampled }, request);
    expect(made).toBe(0);
    await handleServerRequest('sampling/createMessage', params, { sample: read }, request);
    expect([made, signals[0]?.aborted]).toEqual([1, false]);
    vi.unstubAllGlobals();
  });

  it('aborts the signal of its handler when the server cancels the request', async () => {
    const controller = new AbortController();
    const sample = (_: unknown, { signal }: ServerRequestInfo) =>
      new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const request = { signal: controller.signal, server: 's', progress: () => {} };
    const answering = code(
      handleServerRequest('sampling/createMessage', { messages: [], maxTokens: 1 }, { sample }, request),
    );
    controller.abort(new Error('no longer'));
    expect(await answering).toBe(-32603);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('ends when the server cancels it, although its handler ignores the signal', async () => {
    const clock = fakeClock();
    const controller = new AbortController();
    const request = { signal: controller.signal, server: 's', progress: () => {} };
    const options = { sample: () => new Promise<never>(() => {}), clock };
    const params = { messages: [], maxTokens: 1 };
    const answering = code(handleServerRequest('sampling/createMessage', params, options, request));
    controller.abort(new Error('no longer'));
    expect([await answering, clock.timers]).toEqual([-32603, 0]);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });
});
