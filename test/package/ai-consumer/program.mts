import { createModel, toAiTools } from '@tenon/ai';
import { createBroker, createHost } from '@tenon/host';
import { generateText } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { createServer, tool } from 'tenon';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const weather = createServer({
  name: 'weather',
  version: '1.0.0',
  tools: {
    describe: tool({
      async run(_, ctx) {
        const content = { type: 'text' as const, text: 'Describe the weather.' };
        const answer = await ctx.sample({ messages: [{ role: 'user', content }], maxTokens: 10 });
        return [answer.content].flat().flatMap(block => (block.type === 'text' ? [block.text] : []));
      },
    }),
  },
});
const answering = new MockLanguageModelV4({
  doGenerate: {
    content: [{ type: 'text', text: 'Paris is sunny.' }],
    finishReason: { unified: 'stop', raw: 'stop' },
    usage,
    warnings: [],
  },
});
const calling = new MockLanguageModelV4({
  doGenerate: {
    content: [{ type: 'tool-call', toolCallId: '1', toolName: 'weather__describe', input: '{}' }],
    finishReason: { unified: 'tool-calls', raw: 'tool_use' },
    usage,
    warnings: [],
  },
});
const broker = createBroker({ models: [createModel(answering)], allow: { weather: true } });
const host = await createHost({ servers: { weather: { service: weather } }, broker });
const result = await generateText({ model: calling, prompt: 'Weather?', tools: await toAiTools(host) });
const [output] = result.toolResults.map(each => each.output as { content: { text: string }[] });
console.log(output?.content[0]?.text, result.finishReason);
await host.close();
