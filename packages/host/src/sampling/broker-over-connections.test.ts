import { connect, createServer, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import type { CreateMessageParams } from '../../../tenon/src/protocol/input-requests.js';
import { type BrokerOptions, createBroker } from './broker.js';
import { afterTools, asking, weather } from './fixtures/requests.js';
import { scriptedModel } from './fixtures/scripted-model.js';
import { rejectSampling } from './refusal.js';

/** What a server that asks for this hears, over a real connection. */
async function receive(protocolVersion: string, request: CreateMessageParams, options: Partial<BrokerOptions> = {}) {
  const server = createServer({
    name: 'notes',
    version: '1',
    tools: {
      ask: tool({
        run: async (_, ctx) => {
          const answer = await ctx
            .sample(request)
            .catch(error => ({ rpcCode: error.rpcCode as number, text: String(error.message) }));
          return JSON.stringify(answer);
        },
      }),
    },
  });
  const models = [
    scriptedModel(({ tools }) =>
      tools ? { content: { type: 'tool_use', id: 'u', name: weather.name, input: {} } } : 'Paris',
    ),
  ];
  const broker = createBroker({ models, allow: { notes: true }, ...options });
  const client = await connect(server, {
    protocolVersion,
    sampleTools: true,
    sample: (each, { signal }) => broker(each, { server: 'notes', signal }),
  });
  try {
    const { content } = (await client.call('tools/call', { name: 'ask', arguments: {} })) as {
      content: { text: string }[];
    };
    return JSON.parse(content[0]?.text ?? '') as Record<string, unknown>;
  } finally {
    await client.close();
  }
}

describe('sampling of a server through a host', () => {
  it.each(['2024-11-05', '2025-11-25', '2026-07-28'])('on %s returns the response', async version => {
    expect(await receive(version, asking())).toMatchObject({ content: { type: 'text', text: 'Paris' } });
  });

  it.each(['2025-11-25', '2026-07-28'])('on %s may use tools', async version => {
    expect(await receive(version, afterTools())).toMatchObject({
      stopReason: 'toolUse',
      content: { type: 'tool_use' },
    });
  });

  it('rejects when the user refuses, and for an invalid request [sampling.error.user-rejected] [sampling.error.tool-result-missing]', async () => {
    expect(await receive('2025-11-25', asking(), { review: { before: () => rejectSampling() } })).toMatchObject({
      rpcCode: -1,
    });
    const { messages } = afterTools();
    expect(await receive('2025-11-25', afterTools({ messages: messages.slice(0, 2) }))).toMatchObject({
      rpcCode: -32602,
    });
  });

  it('hides the message of the provider', async () => {
    const models = [scriptedModel(() => Promise.reject(new Error('quota of acct_123 is used up')))];
    const result = await receive('2025-11-25', asking(), { models });
    expect(result).toMatchObject({ rpcCode: -32603 });
    expect(JSON.stringify(result)).not.toContain('acct_123');
  });
});
