import { createModel, toAiTools } from '@tenon/ai';
import { createBroker, createHost } from '@tenon/host';
import { generateText, isStepCount } from 'ai';
import { agentModel, samplingModel } from './scripted-models.ts';
import { server } from './server.ts';

/**
 * An agent of the AI SDK works with the tools of a host, and a server of the host uses a model. To try it with real models, replace the
 * two scripted ones, for example by `anthropic('claude-sonnet-4-5')` of `@ai-sdk/anthropic`.
 */
const broker = createBroker({
  models: [createModel(samplingModel)],
  allow: { notes: true },
  budget: { tokens: 10_000, window: 3_600_000 },
  review: {
    before: (request, { server, model }) => {
      console.log(`${server} asks ${model}: ${JSON.stringify(request.messages[0]?.content)}`);
      return request;
    },
  },
});
const host = await createHost({ servers: { notes: { service: server } }, broker });

const { text } = await generateText({
  model: agentModel,
  tools: await toAiTools(host),
  prompt: 'Note that I need hide glue, and that I glue the drawer on Friday. Then summarize my notes.',
  stopWhen: isStepCount(10),
  onToolExecutionStart: ({ toolCall }) => console.log(`the agent calls ${toolCall.toolName}`),
});
console.log(text);
await host.close();
