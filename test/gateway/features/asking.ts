import { expect } from 'vitest';
import type { Combination } from '../combination.js';
import { callText, type Feature, getOutcome, waitUntil } from '../feature.js';
import { newest } from '../pair.js';

const parsed = async (call: ReturnType<Combination['client']['callTool']>): Promise<unknown> => {
  const answer = await callText(call);
  return typeof answer === 'string' ? JSON.parse(answer) : answer;
};
const sampled = ({ request }: Combination) => request.samples.find(({ systemPrompt }) => systemPrompt === 'Be brief');

/** What the client was shown of a form with every kind of field, and what the server was answered. */
async function form({ client, request }: Combination) {
  const answer = await parsed(client.callTool('formed'));
  const shown = request.forms.find(({ message }) => message === 'Who are you?');
  return { shown: shown?.requestedSchema.properties as Record<string, object> | undefined, answer };
}

const sampling: readonly Feature[] = [
  {
    crosses: 'roots',
    name: 'of the client, asked for by a tool',
    probe: ({ client }) => parsed(client.callTool('rooted')),
    seen: () => [expect.objectContaining({ uri: 'file:///home/ada', name: 'Home' })],
  },
  {
    crosses: 'roots',
    name: 'their metadata',
    async probe({ client }) {
      const [root] = (await parsed(client.callTool('rooted'))) as { _meta?: object }[];
      return root?._meta ?? 'unsaid';
    },
    seen: () => ({ 'com.example/kind': 'root' }),
  },
  {
    crosses: 'sampling',
    name: 'with its parameters, and its answer',
    async probe(setup) {
      const answer = await parsed(setup.client.callTool('samples'));
      const { messages: _, ...params } = sampled(setup) ?? { messages: [] };
      return [answer, params];
    },
    seen: () => [
      expect.objectContaining({
        role: 'assistant',
        content: { type: 'text', text: 'Hm.' },
        model: 'm1',
        stopReason: 'endTurn',
      }),
      expect.objectContaining({
        maxTokens: 50,
        temperature: 0.5,
        stopSequences: ['.'],
        includeContext: 'none',
        modelPreferences: expect.objectContaining({ hints: [{ name: 'small' }], intelligencePriority: 0 }),
        metadata: { why: 'test' },
      }),
    ],
  },
  {
    crosses: 'sampling',
    name: 'audio in its messages',
    async probe(setup) {
      await setup.client.callTool('samples');
      return sampled(setup)?.messages[1]?.content;
    },
    seen: () => ({ type: 'audio', data: 'aGVsbG8=', mimeType: 'audio/wav' }),
  },
  {
    crosses: 'sampling',
    name: 'messages of several blocks',
    async probe(setup) {
      await setup.client.callTool('samples');
      return sampled(setup)?.messages.slice(2);
    },
    seen: () => [
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'One' },
          { type: 'text', text: 'Two' },
        ],
      },
    ],
  },
  {
    crosses: 'sampling',
    name: 'with tools, and what they gave',
    probe: ({ client }) => parsed(client.callTool('uses')),
    seen: () => ['toolUse', { type: 'text', text: 'Hm.' }],
  },
];

const elicitation: readonly Feature[] = [
  {
    crosses: 'elicitation',
    name: 'a form, and its answer',
    probe: async setup => (await form(setup)).answer,
    seen: () => ({
      action: 'accept',
      content: expect.objectContaining({
        ...{ name: 'Grace', mail: 'grace@example.com', ratio: 0.25, sure: true, colour: 'green', size: 'l' },
        ...{ days: ['mo', 'tu'], fruits: ['a'] },
      }),
    }),
  },
  {
    crosses: 'elicitation',
    name: 'defaults, titled choices and several choices',
    async probe(setup) {
      const { shown, answer } = await form(setup);
      return shown ? [shown.name, shown.size, shown.days] : answer;
    },
    seen: () => [
      expect.objectContaining({ default: 'Ada' }),
      expect.objectContaining({ oneOf: expect.arrayContaining([{ const: 'l', title: 'Large' }]) }),
      expect.objectContaining({ type: 'array', minItems: 1, default: ['mo'] }),
    ],
  },
  ...(['decline', 'cancel'] as const).map(
    (how): Feature => ({
      crosses: 'elicitation',
      name: `an answer that is none: ${how}`,
      probe: ({ client }) => callText(client.callTool('refusable', { how })),
      seen: () => `${how} empty`,
    }),
  ),
  {
    crosses: 'elicitation',
    name: 'by URL',
    async probe({ client, request }) {
      const answer = await callText(client.callTool('visits'));
      return typeof answer === 'string' ? [answer, request.urls.includes('https://example.com/sign-in')] : answer;
    },
    seen: () => ['accept', true],
  },
  {
    crosses: 'elicitation',
    name: 'by URL, and that the visit is done',
    async probe({ pair, client, request, tag }) {
      const done: string[] = [];
      const off = client.on('elicitationComplete', ({ elicitationId }) => done.push(elicitationId));
      const answer = await callText(client.callTool('visited', { name: tag }));
      // A notice has no order with the answer: it may come on the stream of the session.
      const isTold = pair.client !== newest && pair.server !== newest;
      if (isTold && typeof answer === 'string') await waitUntil(() => done.length > 0, 'the visit is said to be done');
      else await client.ping();
      off();
      if (typeof answer !== 'string') return answer;
      return [answer.split(' ')[0], request.urls.some(url => url.endsWith(`/${tag}`)), done.length];
    },
    seen: () => ['accept', true, 1],
  },
];

const questions: readonly Feature[] = [
  {
    crosses: 'questions',
    name: 'several at once',
    async probe({ client, request }) {
      const before = request.forms.filter(({ message }) => message === 'Yes?').length;
      const answer = await callText(client.callTool('together'));
      return [answer, request.forms.filter(({ message }) => message === 'Yes?').length - before];
    },
    seen: () => ['accept 1 m1', 1],
  },
  {
    crosses: 'questions',
    name: 'one after the other, each once',
    async probe({ client, request, tag }) {
      const answer = await callText(client.callTool('dialogue', { topic: tag }));
      return [answer, request.forms.filter(({ message }) => message === `First, about ${tag}?`).length];
    },
    seen: () => ['accept Hm. accept true', 1],
  },
  {
    crosses: 'questions',
    name: 'that a handler returns, with a state of its own',
    probe: ({ client }) => callText(client.callTool('returns')),
    seen: () => '2:Grace model',
  },
  {
    crosses: 'questions',
    name: 'in prompts',
    async probe({ client }) {
      const answer = await getOutcome(client.prompts.asked());
      return 'refused' in answer ? answer : answer.messages[0]?.content;
    },
    seen: () => expect.objectContaining({ text: 'Greet Grace.' }),
  },
  {
    crosses: 'questions',
    name: 'in reads of resources',
    async probe({ client }) {
      const answer = await getOutcome(client.readResource('note://asked'));
      return 'refused' in answer ? answer : answer.contents[0];
    },
    seen: () => expect.objectContaining({ text: 'accept' }),
  },
];

export const asking: readonly Feature[] = [...sampling, ...elicitation, ...questions];
