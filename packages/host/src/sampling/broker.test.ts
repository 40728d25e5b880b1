import { fakeClock } from '@tenon/testing';
import { describe, expect, it, vi } from 'vitest';
import type { CreateMessageParams } from '../../../tenon/src/protocol/input-requests.js';
import { type BrokerOptions, createBroker, type SamplingContext } from './broker.js';
import { afterTools, asking, IMAGE, weather } from './fixtures/requests.js';
import { type ScriptedAnswer, scriptedModel } from './fixtures/scripted-model.js';
import { rejectSampling } from './refusal.js';
import type { SamplingInfo } from './review.js';

const getRequests = (rest: Partial<SamplingContext> = {}): SamplingContext => ({
  server: 'notes',
  signal: new AbortController().signal,
  ...rest,
});
const yes = { allow: { '*': true } } as const;
const use = (name = weather.name, id = 'u1') => ({ content: { type: 'tool_use' as const, id, name, input: {} } });

function brokerOf(options: Partial<BrokerOptions> = {}, model = scriptedModel(() => 'Paris')) {
  const broker = createBroker({ models: [model], ...(options.review?.before ? {} : yes), ...options });
  return { broker, model };
}

describe('createBroker', () => {
  it('calls a model, and returns its response', async () => {
    const { broker } = brokerOf();
    expect(await broker(asking(), getRequests())).toEqual({
      role: 'assistant',
      content: { type: 'text', text: 'Paris' },
      model: 'scripted',
      stopReason: 'endTurn',
    });
  });

  it('requires a way to consent [security.consent.sampling]', () => {
    expect(() => createBroker({ models: [] })).toThrow(expect.objectContaining({ code: 'sampling/no-consent' }));
  });

  it.each([
    ['budget/tokens', { budget: { window: 1, tokens: Number.NaN } }],
    ['budget/window', { budget: { window: Number.NaN } }],
    ['budget/window', { budget: { tokens: 5 } }],
    ['models', { models: undefined }],
    ['budget/0/calls', { budget: [{ window: 1, calls: '5' }] }],
    ['budget/per/0', { budget: { window: 1, per: ['user'] } }],
    ['allow/notes', { allow: { notes: 'no' } }],
    ['maxTokens', { maxTokens: 0 }],
    ['maxRounds', { maxRounds: Number.NaN }],
    ['timeout', { timeout: Number.NaN }],
    ['bounds/tools', { bounds: { messages: 1, characters: 1 } }],
    ['review/before', { review: { before: 'ask' } }],
    ['models/0/generate', { models: [{ name: 'm' }] }],
    ['choose', { choose: 'first' }],
  ])('refuses an invalid `%s`', (path, options) => {
    expect(() => createBroker({ models: [], ...yes, ...options } as never)).toThrow(
      expect.objectContaining({ code: 'options/invalid', message: expect.stringContaining(`invalid \`${path}\``) }),
    );
  });

  it('accepts numbers without an end', () => {
    const none = Number.POSITIVE_INFINITY;
    const limits = { maxTokens: none, maxRounds: none, maxPerChain: none, timeout: none };
    expect(createBroker({ models: [], ...yes, ...limits })).toBeTypeOf('function');
  });

  it.each([
    ['a promise', async () => true],
    ['a text', () => 'no'],
  ])('refuses %s as the result of `allow`', async (_, allow) => {
    const { broker, model } = brokerOf({ allow: allow as never });
    await expect(broker(asking(), getRequests())).rejects.toThrow(
      /`allow` of createBroker is invalid. Expected true, false/,
    );
    expect(model.requests).toEqual([]);
  });

  it('limits the tokens of a model [sampling.max-tokens-respected] [sampling.max-tokens-ceiling]', async () => {
    const { broker, model } = brokerOf({ maxTokens: 50 });
    await broker(asking('x', { maxTokens: 100 }), getRequests());
    await broker(asking('x', { maxTokens: 20 }), getRequests());
    expect(model.requests.map(({ maxTokens }) => maxTokens)).toEqual([50, 20]);
  });

  it('adds no context, whatever is requested [sampling.include-context-default] [sampling.other-params-advisory] [sampling.include-context-ignorable] [security.isolation.no-conversation-leak] [sampling.messages-not-retained]', async () => {
    const seen: SamplingInfo[] = [];
    const before = (request: CreateMessageParams, details: SamplingInfo) => {
      seen.push(details);
      return request;
    };
    const { broker, model } = brokerOf({ review: { before } });
    await broker(asking('the secret of mail'), getRequests({ server: 'mail' }));
    const wide = { includeContext: 'allServers' as const, metadata: { user_id: 'x' }, _meta: { progressToken: 1 } };
    await broker(asking('what do you know?', wide), getRequests());
    await broker(asking('and now?'), getRequests());
    expect(model.requests[1]).toEqual(asking('what do you know?'));
    expect(model.requests[2]).toEqual(asking('and now?'));
    expect(seen.map(({ includeContext }) => includeContext)).toEqual(['none', 'allServers', 'none']);
  });
});

describe('the review of a broker', () => {
  it('gets the request, and its edited form is sent [sampling.host.review-requests] [sampling.host.edit-prompts] [sampling.system-prompt-adjustable] [sampling.security.approval-controls]', async () => {
    const before = vi.fn((request: CreateMessageParams) => ({ ...request, systemPrompt: 'edited', maxTokens: 999 }));
    const { broker, model } = brokerOf({ review: { before } });
    await broker(asking('Hi', { systemPrompt: 'evil' }), getRequests({ principal: 'ann' }));
    expect(before).toHaveBeenCalledWith(
      asking('Hi', { systemPrompt: 'evil' }),
      expect.objectContaining({ server: 'notes', principal: 'ann', model: 'scripted', rounds: 0 }),
    );
    expect(model.requests).toEqual([asking('Hi', { systemPrompt: 'edited' })]);
  });

  it.each([
    ['says no', () => rejectSampling(), 'User rejected sampling request'],
    ['says why not', () => rejectSampling('not today'), 'User rejected sampling request: not today'],
    ['says nothing', () => undefined as never, 'User rejected sampling request'],
  ])(
    'ends the request with -1 where the user %s [sampling.error.user-rejected] [sampling.host.human-in-loop]',
    async (_, no, message) => {
      const first = brokerOf({ review: { before: no } });
      await expect(first.broker(asking(), getRequests())).rejects.toMatchObject({
        code: 'rpc/error',
        rpcCode: -1,
        message,
      });
      expect(first.model.requests).toEqual([]);
      const last = brokerOf({ review: { after: no } });
      await expect(last.broker(asking(), getRequests())).rejects.toMatchObject({
        code: 'rpc/error',
        rpcCode: -1,
        message,
      });
      expect(last.model.requests).toHaveLength(1);
    },
  );

  it('gets the response before the server does, uses of tools too [sampling.host.review-responses] [security.consent.sampling]', async () => {
    const seen: unknown[] = [];
    const after: NonNullable<BrokerOptions['review']>['after'] = (result, details) => {
      seen.push(result.content, details.tokens);
      return { ...result, content: { type: 'text', text: 'hidden' } };
    };
    const { broker } = brokerOf({ review: { after } }, scriptedModel([use()], { spends: 70 }));
    const request = asking('x', { tools: [weather], toolChoice: { mode: 'required' } });
    expect(await broker(request, getRequests())).toMatchObject({
      content: { type: 'text', text: 'hidden' },
      stopReason: 'endTurn',
    });
    expect(seen).toEqual([use().content, 70]);
  });

  it('cannot make a request invalid', async () => {
    const before = (request: CreateMessageParams) => ({ ...request, messages: [] });
    const { broker } = brokerOf({ review: { before } });
    await expect(broker(asking(), getRequests())).rejects.toMatchObject({ rpcCode: -32602 });
    const image = [{ role: 'user' as const, content: { type: 'image' as const, data: IMAGE, mimeType: 'image/png' } }];
    const blind = brokerOf(
      { review: { before: request => ({ ...request, messages: image }) } },
      scriptedModel(['x'], { takes: {} }),
    );
    await expect(blind.broker(asking(), getRequests())).rejects.toMatchObject({ rpcCode: -32602 });
  });

  it('is aborted when the server stops waiting', async () => {
    const controller = new AbortController();
    let own: AbortSignal | undefined;
    const before = (_: CreateMessageParams, { signal }: SamplingInfo) => {
      own = signal;
      return new Promise<never>(() => {});
    };
    const answer = brokerOf({ review: { before } }).broker(asking(), getRequests({ signal: controller.signal }));
    controller.abort();
    await expect(answer).rejects.toMatchObject({ code: 'sampling/aborted' });
    expect(own?.aborted).toBe(true);
  });
});

describe('tools of a sampling request', () => {
  const withTools = (mode?: 'auto' | 'required' | 'none') =>
    asking('x', { tools: [weather], ...(mode ? { toolChoice: { mode } } : {}) });

  it('are optional for the model by default [sampling.tool-choice.default-auto] [sampling.tool-use.stop-reason]', async () => {
    const { broker } = brokerOf(
      {},
      scriptedModel(['text', { ...use(), role: 'assistant', model: 'm', stopReason: 'endTurn' }]),
    );
    expect(await broker(withTools(), getRequests())).toMatchObject({ stopReason: 'endTurn' });
    expect(await broker(withTools('auto'), getRequests())).toMatchObject({ role: 'assistant', stopReason: 'toolUse' });
  });

  it.each<['none' | 'required' | 'auto', ScriptedAnswer, string]>([
    ['none', use(), '[sampling.tool-choice.none]'],
    ['required', 'text', '[sampling.tool-choice.required]'],
    ['auto', use('rm'), 'a tool that is not there'],
    ['auto', { content: [use().content, use().content] }, 'the same id twice'],
  ])('cause an error for a use against the tool choice (%s): %# %s', async (mode, answer) => {
    const { broker } = brokerOf({}, scriptedModel([answer]));
    await expect(broker(withTools(mode), getRequests())).rejects.toMatchObject({ code: 'model/answer' });
  });

  it('may stay unused where the response was cut off', async () => {
    const truncated = {
      role: 'assistant' as const,
      model: 'm',
      content: { type: 'text' as const, text: 'I w' },
      stopReason: 'maxTokens',
    };
    expect(await brokerOf({}, scriptedModel([truncated])).broker(withTools('required'), getRequests())).toEqual(
      truncated,
    );
  });

  it('are used a limited number of times in one conversation', async () => {
    const { broker, model } = brokerOf({ maxRounds: 1 });
    await broker(afterTools(), getRequests());
    const { messages } = afterTools();
    const twice = afterTools({ messages: [...messages, ...messages] });
    await expect(broker(twice, getRequests())).rejects.toMatchObject({ rpcCode: -1 });
    expect(model.requests).toHaveLength(1);
  });

  it('are limited also when a server starts the conversation again', async () => {
    const { broker } = brokerOf({ maxPerChain: 2 });
    for (const chain of ['a', 'a', 'b']) await broker(asking(), getRequests({ chain }));
    await expect(broker(asking(), getRequests({ chain: 'a' }))).rejects.toMatchObject({ rpcCode: -1 });
  });
});

describe('the limits of a broker', () => {
  it('admit configured servers, with their models [sampling.security.approval-controls]', async () => {
    const [small, large] = [
      scriptedModel(() => 's', { name: 'small-1' }),
      scriptedModel(() => 'l', { name: 'large-1' }),
    ];
    const broker = createBroker({ models: [small, large], allow: { notes: ['large*'], mail: false, web: true } });
    const by = async (server: string) => (await broker(asking(), getRequests({ server }))).model;
    expect([await by('notes'), await by('web')]).toEqual(['large-1', 'small-1']);
    for (const server of ['mail', 'other', 'toString']) await expect(by(server)).rejects.toMatchObject({ rpcCode: -1 });
  });

  it('count calls in a window, for each pair of server and principal [sampling.security.rate-limited]', async () => {
    const clock = fakeClock();
    const { broker } = brokerOf({ budget: { calls: 1, window: 1_000 }, clock });
    await broker(asking(), getRequests({ principal: 'ann' }));
    clock.advance(400);
    await expect(broker(asking(), getRequests({ principal: 'ann' }))).rejects.toMatchObject({
      rpcCode: 429,
      data: { retryAfterMs: 600 },
    });
    await broker(asking(), getRequests({ principal: 'bob' }));
    await broker(asking(), getRequests({ principal: 'ann', server: 'mail' }));
    clock.advance(600);
    await broker(asking(), getRequests({ principal: 'ann' }));
  });

  it('count tokens, those reserved before and those used after', async () => {
    const clock = fakeClock();
    const model = scriptedModel(() => 'x', { spends: 300 });
    const { broker } = brokerOf({ budget: [{ tokens: 1_000, window: 1_000, per: [] }], clock }, model);
    await expect(broker(asking('x', { maxTokens: 1_000 }), getRequests())).rejects.toMatchObject({ rpcCode: 429 });
    for (const server of ['a', 'b', 'c']) await broker(asking('x', { maxTokens: 200 }), getRequests({ server }));
    await expect(broker(asking('x', { maxTokens: 200 }), getRequests())).rejects.toMatchObject({ rpcCode: 429 });
    await broker(asking('x', { maxTokens: 10 }), getRequests());
  });

  it('count abandoned requests, and not failed ones', async () => {
    const clock = fakeClock();
    const never = scriptedModel(() => new Promise<never>(() => {}));
    const { broker } = brokerOf({ budget: { tokens: 500, window: 1e6 }, clock, timeout: 50 }, never);
    const late = broker(asking('x', { maxTokens: 300 }), getRequests());
    await vi.waitFor(() => expect(clock.timers).toBe(1));
    clock.advance(50);
    await expect(late).rejects.toMatchObject({ code: 'sampling/timeout' });
    await expect(broker(asking('x', { maxTokens: 300 }), getRequests())).rejects.toMatchObject({ rpcCode: 429 });
    const broken = brokerOf(
      { budget: { tokens: 500, window: 1e6 } },
      scriptedModel(() => Promise.reject(new Error('key sk-abcdefghijkl'))),
    );
    for (const _ of [1, 2, 3]) {
      const error = await broken.broker(asking('x', { maxTokens: 300 }), getRequests()).catch(each => each);
      expect(error).toMatchObject({
        code: 'model/failed',
        rpcCode: undefined,
        hint: expect.stringMatching(/try again$/),
      });
      expect(error.message).not.toContain('abcdefghijkl');
    }
  });

  it('restrict concurrent requests of each server', async () => {
    const { broker } = brokerOf({ maxAtOnce: 1 });
    const [first, second, third] = await Promise.allSettled([
      broker(asking(), getRequests()),
      broker(asking(), getRequests()),
      broker(asking(), getRequests({ server: 'mail' })),
    ]);
    expect(first?.status).toBe('fulfilled');
    expect(second).toMatchObject({ reason: { rpcCode: 429 } });
    expect(third?.status).toBe('fulfilled');
    await broker(asking(), getRequests());
  });
});
