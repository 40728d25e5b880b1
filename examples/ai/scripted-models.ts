import { MockLanguageModelV4 } from 'ai/test';

type Answer = Awaited<ReturnType<MockLanguageModelV4['doGenerate']>>;

const usage: Answer['usage'] = {
  inputTokens: { total: 40, noCache: 40, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 10, text: 10, reasoning: 0 },
};

const say = (text: string): Answer => ({
  content: [{ type: 'text', text }],
  finishReason: { unified: 'stop', raw: 'end_turn' },
  usage,
  warnings: [],
});

const callTool = (toolName: string, input: object): Answer => ({
  content: [{ type: 'tool-call', toolCallId: `call-${toolName}`, toolName, input: JSON.stringify(input) }],
  finishReason: { unified: 'tool-calls', raw: 'tool_use' },
  usage,
  warnings: [],
});

/** Gives the answers in order, so that the example needs no network and no API key. */
function createScriptedModel(modelId: string, answers: readonly Answer[]): MockLanguageModelV4 {
  let count = 0;
  return new MockLanguageModelV4({
    modelId,
    async doGenerate() {
      const answer = answers[count++];
      if (answer === undefined) throw new Error(`${modelId} has no answer left`);
      return answer;
    },
  });
}

/** Stands for a large model that works with tools. */
export const agentModel = createScriptedModel('scripted-agent', [
  callTool('notes__add', { text: 'Glue the drawer on Friday' }),
  callTool('notes__add', { text: 'Buy hide glue' }),
  callTool('notes__summarize', {}),
  say('I have added two notes. In short: buy glue before Friday.'),
]);

/** Stands for a small model that servers may use. */
export const samplingModel = createScriptedModel('scripted-small', [say('Buy glue before Friday.')]);
