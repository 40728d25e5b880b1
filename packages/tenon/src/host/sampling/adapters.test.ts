import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { CreateMessageParams, CreateMessageResult } from '../../protocol/input-requests.js';
import { anthropicModel } from './anthropic.js';
import { anthropicManners, geminiManners, openaiManners } from './fixtures/manners.js';
import { type Manners, type Provider, type Reply, startProvider } from './fixtures/provider.js';
import { afterTools, asking, IMAGE, weather } from './fixtures/requests.js';
import { geminiModel } from './gemini.js';
import type { Model } from './model.js';
import { openaiModel } from './openai.js';

let open: Provider | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

const signal = new AbortController().signal;
const image = { type: 'image' as const, data: IMAGE, mimeType: 'image/png' };

interface Case {
  readonly name: string;
  readonly manners: Manners;
  make(url: string): Model;
  says(text: string, reason: string): JsonObject;
  uses(name: string, inputs: JsonObject[]): JsonObject;
  readonly reasons: readonly (readonly [string, string])[];
}

const cases: readonly Case[] = [
  {
    name: 'anthropic',
    manners: anthropicManners,
    make: url => anthropicModel({ model: 'claude-test', key: anthropicManners.key, url }),
    says: (text, stop_reason) => ({
      type: 'message',
      role: 'assistant',
      model: 'served-1',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 's' },
        { type: 'text', text },
      ],
      stop_reason,
      usage: { input_tokens: 30, output_tokens: 12 },
    }),
    uses: (name, inputs) => ({
      model: 'served-1',
      content: inputs.map((input, i) => ({ type: 'tool_use', id: `call_${i}`, name, input })),
      stop_reason: 'tool_use',
      usage: { input_tokens: 30, output_tokens: 12 },
    }),
    reasons: [
      ['end_turn', 'endTurn'],
      ['stop_sequence', 'stopSequence'],
      ['max_tokens', 'maxTokens'],
      ['refusal', 'refusal'],
    ],
  },
  {
    name: 'openai',
    manners: openaiManners,
    make: url => openaiModel({ model: 'gpt-test', key: openaiManners.key, url }),
    says: (content, finish_reason) => ({
      model: 'served-1',
      choices: [{ index: 0, message: { role: 'assistant', content, refusal: null }, finish_reason }],
      usage: { prompt_tokens: 30, completion_tokens: 12, total_tokens: 42 },
    }),
    uses: (name, inputs) => ({
      model: 'served-1',
      choices: [
        {
          message: {
            role: 'assistant',
            content: null,
            tool_calls: inputs.map((input, i) => ({
              id: `call_${i}`,
              type: 'function',
              function: { name, arguments: JSON.stringify(input) },
            })),
          },
          finish_reason: 'tool_calls',
        },
      ],
      usage: { total_tokens: 42 },
    }),
    reasons: [
      ['stop', 'endTurn'],
      ['length', 'maxTokens'],
      ['content_filter', 'refusal'],
    ],
  },
  {
    name: 'gemini',
    manners: geminiManners,
    make: url => geminiModel({ model: 'gemini-3-test', key: geminiManners.key, url }),
    says: (text, finishReason) => ({
      modelVersion: 'served-1',
      candidates: [{ content: { role: 'model', parts: [{ text: 'hm', thought: true }, { text }] }, finishReason }],
      usageMetadata: { totalTokenCount: 42 },
    }),
    uses: (name, inputs) => ({
      modelVersion: 'served-1',
      candidates: [
        {
          content: { parts: inputs.map((args, i) => ({ functionCall: { id: `call_${i}`, name, args } })) },
          finishReason: 'STOP',
        },
      ],
      usageMetadata: { totalTokenCount: 42 },
    }),
    reasons: [
      ['STOP', 'endTurn'],
      ['MAX_TOKENS', 'maxTokens'],
    ],
  },
];

describe.each(cases)('a model of $name', ({ manners, make, says, uses, reasons }) => {
  async function ask(request: CreateMessageParams, reply: Reply) {
    const provider = await startProvider(manners, () => reply);
    open = provider;
    let tokens = 0;
    const about = {
      signal,
      spent: (used: number) => {
        tokens = used;
      },
    };
    const result = await make(provider.url).generate(request, about);
    return { result, tokens, body: provider.asked[0]?.body as JsonObject };
  }

  it.each(reasons)('says why it stopped: %s is %s', async (theirs, ours) => {
    const request = asking('Hi', { systemPrompt: 'Be brief.', temperature: 0.5, stopSequences: [...'abcdef'] });
    const { result, tokens, body } = await ask(request, { body: says('Paris', theirs) });
    expect(result).toEqual({
      role: 'assistant',
      content: { type: 'text', text: 'Paris' },
      model: 'served-1',
      stopReason: ours,
    });
    expect(tokens).toBe(42);
    expect(JSON.stringify(body)).toContain('Be brief.');
  });

  it('uses tools at once, by names that it accepts, and gets their results [sampling.tool-use.parallel]', async () => {
    const inputs = [{ city: 'Paris' }, { city: 'London' }];
    const { result } = await ask(asking('Hi', { tools: [weather] }), { body: uses('weather_get_now', inputs) });
    expect(result).toMatchObject({
      stopReason: 'toolUse',
      content: inputs.map((input, i) => ({ type: 'tool_use', id: `call_${i}`, name: weather.name, input })),
    });
    await open?.close();
    const { body } = await ask(afterTools(), { body: says('18 degrees', reasons[0]?.[0] ?? '') });
    for (const part of ['18 °C', IMAGE, 'file:///w.txt', 'no such city', 'weather_get_now'])
      expect(JSON.stringify(body)).toContain(part);
    expect(JSON.stringify(body)).not.toContain(weather.name);
  });

  it.each(['auto', 'required', 'none'] as const)('is told whether to use tools: %s', async mode => {
    const { body } = await ask(afterTools({ toolChoice: { mode } }), { body: says('x', reasons[0]?.[0] ?? '') });
    const words: Record<string, readonly string[]> = {
      auto: ['auto', 'AUTO'],
      required: ['any', 'required', 'ANY'],
      none: ['none', 'NONE'],
    };
    const said = JSON.stringify(body.tool_choice ?? body.toolConfig).match(/"(\w+)"\}*$/)?.[1];
    expect(words[mode]).toContain(said);
  });

  it('takes a conversation whose tools are gone, images, and images of the assistant in words', async () => {
    const { messages } = afterTools();
    const more = [
      { role: 'assistant' as const, content: [image, { type: 'text' as const, text: 'see' }] },
      { role: 'user' as const, content: [image, { type: 'text' as const, text: 'and this?' }] },
    ];
    const request = { messages: [...messages, ...more], maxTokens: 5 };
    const { result } = await ask(request, { body: says('ok', reasons[0]?.[0] ?? '') });
    expect(result.content).toEqual({ type: 'text', text: 'ok' });
  });

  it.each<[string, Reply]>([
    ['no JSON', { body: '<html>' }],
    ['nothing in it', { body: {} }],
    ['a list', { body: '[]' }],
  ])('is not believed when it answers %s', async (_what, reply) => {
    await expect(ask(asking(), reply)).rejects.toMatchObject({ code: 'model/answer' });
  });

  it('tells what the provider says of a fault, and no key', async () => {
    const key = manners.key;
    const body = manners.error(400, `bad key ${key} ${'x'.repeat(1_000)} sk-other-abcdefghijk`);
    const error = await ask(asking(), { status: 400, body }).catch(each => each);
    expect(error).toMatchObject({ code: 'model/refused', status: 400 });
    expect(error.message).toContain('bad key ‹hidden›');
    expect(error.message.length).toBeLessThan(500);
    expect(JSON.stringify(error) + error.stack + error.message).not.toContain(key);
  });
});

describe('what only one provider has', () => {
  it('a signature of Gemini comes back with the use of the tool [sampling.tool-meta-preserved]', async () => {
    const part = { functionCall: { name: 'weather_get_now', args: {} }, thoughtSignature: 'c2ln' };
    open = await startProvider(geminiManners, () => ({
      body: { candidates: [{ content: { parts: [part] }, finishReason: 'STOP' }] },
    }));
    const model = geminiModel({ model: 'gemini-3-test', key: geminiManners.key, url: open.url });
    const { content } = (await model.generate(asking('x', { tools: [weather] }), { signal })) as CreateMessageResult;
    const use = [content].flat()[0];
    if (use?.type !== 'tool_use') throw new Error('no use');
    expect(use.id).toMatch(/^call_/);
    const back = { type: 'tool_result' as const, toolUseId: use.id, content: [] };
    const messages = [
      ...asking().messages,
      { role: 'assistant' as const, content: use },
      { role: 'user' as const, content: back },
    ];
    await model.generate({ messages, tools: [weather], maxTokens: 1 }, { signal });
    const sent = open.asked[1]?.body.contents as { parts: JsonObject[] }[];
    expect(sent[1]?.parts[0]).toMatchObject({ thoughtSignature: 'c2ln', functionCall: { id: use.id } });
    expect(sent[2]?.parts[0]).toMatchObject({ functionResponse: { id: use.id, name: 'weather_get_now' } });
  });

  it.each(['SAFETY', 'MALFORMED_FUNCTION_CALL'])(
    'an empty answer of Gemini that ended for %s is none',
    async finishReason => {
      open = await startProvider(geminiManners, () => ({ body: { candidates: [{ finishReason }] } }));
      const model = geminiModel({ model: 'gemini-3-test', key: geminiManners.key, url: open.url });
      await expect(model.generate(asking(), { signal })).rejects.toThrow(finishReason);
    },
  );

  it('a refusal of OpenAI is told as its words', async () => {
    const message = { role: 'assistant', content: null, refusal: 'I can not.' };
    open = await startProvider(openaiManners, () => ({ body: { choices: [{ message, finish_reason: 'stop' }] } }));
    const model = openaiModel({ model: 'm', key: openaiManners.key, url: open.url, name: 'local' });
    expect(await model.generate(asking(), { signal })).toEqual({
      role: 'assistant',
      content: { type: 'text', text: 'I can not.' },
      model: 'local',
      stopReason: 'refusal',
    });
    expect(open.asked[0]?.body).toHaveProperty('max_tokens', 100);
  });

  it('OpenAI itself has its own word for the limit, and models are spared what they refuse', async () => {
    const bodies: string[] = [];
    const model = openaiModel({
      model: 'o-test',
      without: ['temperature', 'stopSequences'],
      fetch: async (url, { body = '' }) => {
        bodies.push(url, body);
        return new Response(JSON.stringify(cases[1]?.says('x', 'stop')));
      },
    });
    await model.generate(asking('Hi', { temperature: 1, stopSequences: ['a'] }), { signal });
    expect(bodies[0]).toBe('https://api.openai.com/v1/chat/completions');
    expect(JSON.parse(bodies[1] ?? '')).toEqual({
      model: 'o-test',
      max_completion_tokens: 100,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
    });
  });
});
