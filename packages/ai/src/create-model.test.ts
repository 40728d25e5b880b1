import { createBroker, createHost } from '@tenon/host';
import { APICallError } from 'ai';
import { MockLanguageModelV3, MockLanguageModelV4 } from 'ai/test';
import { type CreateMessageParams, connect, createServer, type SamplingContent, tool } from 'tenon';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createModel } from './create-model.js';
import {
  createFailingModel,
  createScriptedModel,
  createToolCall,
  type ScriptedAnswer,
  text,
  USAGE,
} from './fixtures/scripted-language-model.js';

const IMAGE = 'iVBORw0KGgo=';
const AUDIO = 'UklGRgAAAABXQVZF';
const { signal } = new AbortController();

const createRequest = (rest: Partial<CreateMessageParams> = {}): CreateMessageParams => ({
  messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }],
  maxTokens: 100,
  ...rest,
});
const weather = {
  name: 'weather/get.now',
  description: 'The weather in a city',
  inputSchema: { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' as const },
};

async function generate(request: CreateMessageParams, ...answers: ScriptedAnswer[]) {
  const languageModel = createScriptedModel(...answers);
  const result = await createModel(languageModel).generate(request, { signal });
  const [call] = languageModel.doGenerateCalls;
  if (call === undefined) throw new Error('the model was not called');
  return { result, call };
}

describe('createModel', () => {
  it.each<[option: string, value: unknown]>([
    ['maxRetries', Number.NaN],
    ['maxRetries', -1],
    ['secrets', 'the key of the model'],
    ['takes', 'images'],
    ['takes/image', { image: true }],
    ['takes/images', { images: 'no' }],
    ['scores/cost', { cost: 5 }],
    ['replaces', 'claude'],
    ['name', 5],
    ['name', ''],
  ])('refuses an invalid option `%s`: %j', (option, value) => {
    const options = Object.fromEntries([[option.replace(/\/.*/, ''), value]]);
    expect(() => createModel(createScriptedModel(), options)).toThrow(
      expect.objectContaining({ code: 'options/invalid', message: expect.stringContaining(`invalid \`${option}\``) }),
    );
  });
});

it('refuses an empty name of a language model', () => {
  expect(() => createModel('')).toThrow('`languageModel` of createModel is invalid. Expected a string with characters');
});

describe('a request to a model', () => {
  it('contains the parameters of the sampling request [sampling.max-tokens-respected]', async () => {
    const request = createRequest({ systemPrompt: 'Be short.', temperature: 0.2, stopSequences: ['END'] });
    const { call } = await generate(request, text('Hi'));
    expect(call).toMatchObject({ maxOutputTokens: 100, temperature: 0.2, stopSequences: ['END'] });
    expect(call.prompt).toEqual([
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
    ]);
    expect(call.tools).toBeUndefined();
  });

  it('contains images and audio', async () => {
    const content: SamplingContent[] = [
      { type: 'image', data: IMAGE, mimeType: 'image/png' },
      { type: 'audio', data: AUDIO, mimeType: 'audio/wav' },
    ];
    const { call } = await generate(createRequest({ messages: [{ role: 'user', content }] }), text('Hi'));
    expect(call.prompt[0]?.content).toMatchObject([
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: IMAGE } },
      { type: 'file', mediaType: 'audio/wav', data: { type: 'data', data: AUDIO } },
    ]);
  });

  it('never downloads a URL that a server sends as the data of an image', async () => {
    const fetch = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('not in this test'));
    onTestFinished(() => fetch.mockRestore());
    const content = { type: 'image' as const, data: 'https://example.com/a.png', mimeType: 'image/png' };
    const generated = generate(createRequest({ messages: [{ role: 'user', content }] }), text('Hi'));
    await expect(generated).rejects.toMatchObject({ code: 'model/failed' });
    expect(fetch).not.toHaveBeenCalled();
  });

  it.each(['auto', 'required', 'none'] as const)(
    'contains tools with valid names, and the tool choice %s',
    async mode => {
      const request = createRequest({ tools: [weather], toolChoice: { mode } });
      const { call } = await generate(request, mode === 'none' ? text('Hi') : createToolCall('weather_get_now', {}));
      expect(call.toolChoice).toEqual({ type: mode });
      expect(call.tools).toEqual([
        {
          type: 'function',
          name: 'weather_get_now',
          description: 'The weather in a city',
          inputSchema: { type: 'object', properties: {} },
        },
      ]);
    },
  );

  it('contains uses of tools with their results', async () => {
    const uses = ['call_1', 'call_2'].map(id => ({ type: 'tool_use' as const, id, name: weather.name, input: { id } }));
    const results: SamplingContent[] = [
      {
        type: 'tool_result',
        toolUseId: 'call_1',
        content: [
          { type: 'text', text: '18 °C' },
          { type: 'image', data: IMAGE, mimeType: 'image/png' },
        ],
      },
      { type: 'tool_result', toolUseId: 'call_2', content: [{ type: 'text', text: 'no such city' }], isError: true },
    ];
    const messages: CreateMessageParams['messages'] = [
      { role: 'user', content: { type: 'text', text: 'Paris?' } },
      { role: 'assistant', content: [{ type: 'text', text: 'I look.' }, ...uses] },
      { role: 'user', content: results },
    ];
    const { call } = await generate(createRequest({ messages, tools: [weather] }), text('18 °C'));
    const toolName = 'weather_get_now';
    expect(call.prompt.slice(1)).toMatchObject([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look.' },
          { type: 'tool-call', toolCallId: 'call_1', toolName, input: { id: 'call_1' } },
          { type: 'tool-call', toolCallId: 'call_2', toolName, input: { id: 'call_2' } },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: 'call_1',
            toolName,
            output: {
              type: 'content',
              value: [
                { type: 'text', text: '18 °C' },
                { type: 'file', mediaType: 'image/png', data: { type: 'data', data: IMAGE } },
              ],
            },
          },
          { toolCallId: 'call_2', toolName, output: { type: 'error-text', value: 'no such city' } },
        ],
      },
    ]);
  });
});

describe('the result of a model', () => {
  it('contains the text and the model of the response', async () => {
    const { result } = await generate(createRequest(), { ...text('Hi'), response: { modelId: 'scripted-1-2026' } });
    expect(result).toEqual({
      role: 'assistant',
      content: { type: 'text', text: 'Hi' },
      model: 'scripted-1-2026',
      stopReason: 'endTurn',
    });
  });

  it.each([
    ['stop', 'end_turn', 'endTurn'],
    ['stop', 'stop_sequence', 'stopSequence'],
    ['length', 'max_tokens', 'maxTokens'],
    ['content-filter', 'SAFETY', 'SAFETY'],
    ['other', undefined, 'other'],
  ] as const)('contains a stop reason for %s (%s)', async (unified, raw, stopReason) => {
    const { result } = await generate(createRequest(), { ...text('Hi'), finishReason: { unified, raw } });
    expect(result.stopReason).toBe(stopReason);
  });

  it('contains uses of tools by their own names [sampling.tool-use.stop-reason]', async () => {
    const { result } = await generate(
      createRequest({ tools: [weather] }),
      createToolCall('weather_get_now', { city: 'Paris' }),
    );
    expect(result).toMatchObject({
      content: { type: 'tool_use', id: 'call_1', name: weather.name, input: { city: 'Paris' } },
      stopReason: 'toolUse',
    });
  });

  it('omits uses of a tool that the provider runs itself', async () => {
    const search = { toolCallId: 'search_1', toolName: 'web_search', providerExecuted: true };
    const { result } = await generate(createRequest({ tools: [weather] }), {
      content: [
        { type: 'tool-call', input: '{}', ...search },
        { type: 'tool-result', result: { pages: 1 }, ...search },
        { type: 'text', text: 'Found.' },
      ],
    });
    expect(result).toMatchObject({ content: { type: 'text', text: 'Found.' }, stopReason: 'endTurn' });
  });

  it('contains images and audio, and no reasoning', async () => {
    const { result } = await generate(createRequest(), {
      content: [
        { type: 'reasoning', text: 'secret thoughts' },
        { type: 'text', text: 'Here.' },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: IMAGE } },
        { type: 'file', mediaType: 'audio/wav', data: { type: 'data', data: IMAGE } },
        { type: 'file', mediaType: 'Image/PNG', data: { type: 'data', data: IMAGE } },
        { type: 'file', mediaType: 'application/pdf', data: { type: 'data', data: IMAGE } },
      ],
    });
    expect(result.content).toEqual([
      { type: 'text', text: 'Here.' },
      { type: 'image', data: IMAGE, mimeType: 'image/png' },
      { type: 'audio', data: IMAGE, mimeType: 'audio/wav' },
      { type: 'image', data: IMAGE, mimeType: 'Image/PNG' },
    ]);
  });

  it('contains an empty text where the response is empty', async () => {
    const { result } = await generate(createRequest(), { content: [] });
    expect(result.content).toEqual({ type: 'text', text: '' });
  });

  it('carries the signature of Gemini to the next request, and nothing else of the provider', async () => {
    const providerMetadata = { google: { thoughtSignature: 'sig', cachedContent: 'x' }, openai: { itemId: 'fc_1' } };
    const first = await generate(
      createRequest({ tools: [weather] }),
      createToolCall('weather_get_now', {}, { providerMetadata }),
    );
    const use = [first.result.content].flat()[0];
    if (use?.type !== 'tool_use') throw new Error('there is no use of a tool');
    expect(use._meta).toEqual({ 'dev.tenon/thoughtSignature': { google: 'sig' } });
    const repeat = async (_meta: { [key: string]: unknown }) => {
      const messages: CreateMessageParams['messages'] = [
        { role: 'assistant', content: { ...use, _meta } },
        { role: 'user', content: { type: 'tool_result', toolUseId: use.id, content: [] } },
      ];
      const { call } = await generate(createRequest({ messages, tools: [weather] }), text('Hi'));
      return call.prompt[0]?.content[0];
    };
    expect(await repeat(use._meta ?? {})).toMatchObject({ providerOptions: { google: { thoughtSignature: 'sig' } } });
    const forged = { 'dev.tenon/thoughtSignature': { google: { serviceTier: 'x' }, anthropic: 1 } };
    expect(await repeat(forged)).not.toMatchObject({ providerOptions: { google: expect.anything() } });
  });
});

describe('token counts of a model', () => {
  const countTokens = async (request: CreateMessageParams, answer: ScriptedAnswer) => {
    const counts: number[] = [];
    const spent = (tokens: number) => void counts.push(tokens);
    const isAnswered = await createModel(createScriptedModel(answer))
      .generate(request, { signal, spent })
      .then(() => true)
      .catch(() => false);
    return { counts, isAnswered };
  };

  it('follow the counts of the provider', async () => {
    expect(await countTokens(createRequest(), text('Hi'))).toEqual({ counts: [42], isAnswered: true });
  });

  it('include a response that cannot be used', async () => {
    const request = createRequest({ tools: [weather], toolChoice: { mode: 'required' } });
    expect(await countTokens(request, text('no'))).toEqual({ counts: [42], isAnswered: false });
  });

  it('are absent when the provider counts none', async () => {
    const inputTokens = { ...USAGE.inputTokens, total: undefined };
    const outputTokens = { ...USAGE.outputTokens, total: undefined };
    const answer = { ...text('Hi'), usage: { inputTokens, outputTokens } };
    expect(await countTokens(createRequest(), answer)).toEqual({ counts: [], isAnswered: true });
  });
});

describe('an error of a model', () => {
  const createCallError = (message: string, statusCode?: number, headers: Record<string, string> = {}) =>
    new APICallError({
      message,
      url: 'https://models.example/v1?key=AIzaSyA1234567890abcdefghijklmnopqrstuv',
      requestBodyValues: { messages: ['private'] },
      responseBody: 'private',
      responseHeaders: headers,
      ...(statusCode === undefined ? {} : { statusCode }),
    });
  const fail = (error: unknown, options: Parameters<typeof createModel>[1] = {}) =>
    createModel(createFailingModel(error), { maxRetries: 0, ...options })
      .generate(createRequest(), { signal })
      .then(
        () => expect.unreachable(),
        (reason: Error) => reason,
      );

  it.each([
    [undefined, 3],
    [1, 2],
    [0, 1],
  ])('follows the last attempt, with `maxRetries` %j after %i attempts', async (maxRetries, attempts) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const languageModel = createFailingModel(createCallError('busy', 429));
    const generated = createModel(languageModel, { maxRetries }).generate(createRequest(), { signal });
    const failed = expect(generated).rejects.toMatchObject({ status: 429 });
    await vi.runAllTimersAsync();
    await failed;
    expect(languageModel.doGenerateCalls).toHaveLength(attempts);
  });

  it('contains the status and the next step, and no key, prompt or header', async () => {
    const key = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789';
    const error = await fail(
      createCallError(`Incorrect API key provided: ${key} for corp-7f3a`, 401, { cookie: 'private' }),
      {
        secrets: ['corp-7f3a'],
      },
    );
    expect(error).toMatchObject({
      code: 'model/refused',
      status: 401,
      peer: 'failing-1',
      hint: 'check the API key of the model',
    });
    expect(error.message).toContain('Incorrect API key provided');
    expect(error.cause).toBeUndefined();
    expect(JSON.stringify({ ...error, message: error.message })).not.toMatch(/sk-ant-api|corp-7f3a|private|AIza/);
  });

  it.each([
    ['a provider that cannot be reached', createCallError('Cannot connect to API'), 'model/unreachable'],
    ['an error of the provider', createCallError('Overloaded', 529), 'model/refused'],
    ['any other error', new Error('no key is set'), 'model/failed'],
    ['a value that is no error', 'broken', 'model/failed'],
  ])('contains a code and a next step for %s', async (_, error, code) => {
    expect(await fail(error)).toMatchObject({ code, name: 'TenonError', hint: expect.stringMatching(/try again$/) });
  });

  it('follows the last retry', async () => {
    const error = createCallError('Slow down', 429, { 'retry-after-ms': '1' });
    expect(await fail(error, { maxRetries: 1 })).toMatchObject({ code: 'model/refused', status: 429 });
  });

  it.each<[string, CreateMessageParams, ScriptedAnswer, string]>([
    [
      'an answer that a filter has removed',
      createRequest(),
      { content: [], finishReason: { unified: 'content-filter', raw: 'SAFETY' } },
      'SAFETY',
    ],
    [
      'arguments that are no object',
      createRequest({ tools: [weather] }),
      createToolCall('weather_get_now', [1]),
      'not a JSON object',
    ],
    [
      'an answer of a PDF alone',
      createRequest(),
      { content: [{ type: 'file', mediaType: 'application/pdf', data: { type: 'data', data: IMAGE } }] },
      'only files of the types application/pdf',
    ],
    [
      'no use of a required tool',
      createRequest({ tools: [weather], toolChoice: { mode: 'required' } }),
      text('no'),
      'toolChoice',
    ],
  ])('has the code model/answer for %s', async (_, request, answer, error) => {
    const generated = createModel(createScriptedModel(answer)).generate(request, { signal });
    await expect(generated).rejects.toMatchObject({ code: 'model/answer', summary: expect.stringContaining(error) });
  });

  it('equals the reason of an abort, which the model gets', async () => {
    const controller = new AbortController();
    const reason = new Error('closed');
    const languageModel = new MockLanguageModelV4({
      doGenerate: ({ abortSignal }) =>
        new Promise((_, reject) => {
          abortSignal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
          controller.abort(reason);
        }),
    });
    await expect(createModel(languageModel).generate(createRequest(), { signal: controller.signal })).rejects.toBe(
      reason,
    );
  });
});

describe('a model of the AI SDK', () => {
  const server = createServer({
    name: 'guide',
    version: '1.0.0',
    tools: {
      ask: tool({
        async run(_, ctx) {
          const { content, model } = await ctx.sample(createRequest());
          return JSON.stringify([content, model]);
        },
      }),
    },
  });

  it.each(['2024-11-05', '2025-11-25', '2026-07-28'])(
    'responds to a server through a client of %s',
    async protocolVersion => {
      const broker = createBroker({ models: [createModel(createScriptedModel(text('Hi')))], allow: { guide: true } });
      const client = await connect(server, {
        protocolVersion,
        sample: (request, info) => broker(request, { server: 'guide', signal: info.signal }),
      });
      const { content } = await client.callTool('ask');
      expect(content).toEqual([{ type: 'text', text: '[{"type":"text","text":"Hi"},"scripted-1"]' }]);
      await client.close();
    },
  );

  it('responds to a server of a host, within the limits of the broker', async () => {
    const broker = createBroker({
      models: [createModel(createScriptedModel(text('Hi'), text('Hi again')))],
      allow: { guide: ['scripted-*'] },
      budget: { window: 60_000, tokens: 150 },
    });
    const host = await createHost({ servers: { guide: { service: server } }, broker });
    expect((await host.callTool('guide__ask')).isError).toBeUndefined();
    await expect(host.callTool('guide__ask')).rejects.toMatchObject({ rpcCode: 429 });
    await host.close();
  });

  it('may implement an earlier specification of providers', async () => {
    const languageModel = new MockLanguageModelV3({
      modelId: 'older',
      doGenerate: {
        content: [{ type: 'text', text: 'Hi' }],
        finishReason: { unified: 'stop', raw: 'stop' },
        usage: USAGE,
        warnings: [],
      },
    });
    const result = await createModel(languageModel).generate(createRequest(), { signal });
    expect(result).toMatchObject({ content: { type: 'text', text: 'Hi' }, model: 'older' });
  });

  it('takes the name and the inputs from its options', () => {
    const scores = { cost: 1 };
    const model = createModel('anthropic/claude-sonnet-4.5', { replaces: ['claude'], scores, takes: { audio: true } });
    expect(model).toMatchObject({ name: 'anthropic/claude-sonnet-4.5', replaces: ['claude'], scores });
    expect(model.takes).toEqual({ images: true, audio: true, tools: true });
    const own = createModel(createScriptedModel(), { name: 'mine' });
    expect([own.name, own.takes]).toEqual(['mine', { images: true, audio: false, tools: true }]);
  });
});
