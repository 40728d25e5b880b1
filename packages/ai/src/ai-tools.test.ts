import { allow, createHost, deny } from '@tenon/host';
import { generateText, isStepCount } from 'ai';
import { connect, createServer, tool, toolResult } from 'tenon';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { type AiToolsOptions, type ToolSource, toAiTools } from './ai-tools.js';
import { createScriptedModel, createToolCall, text } from './fixtures/scripted-language-model.js';

const IMAGE = 'iVBORw0KGgo=';

/** Creates a server whose tools write their calls into a list. */
function createNotes() {
  const calls: unknown[] = [];
  let isWaiting = () => {};
  const waiting = new Promise<void>(resolve => {
    isWaiting = resolve;
  });
  const server = createServer({
    name: 'notes',
    version: '1.0.0',
    tools: {
      'note.add': tool({
        description: 'Adds a note',
        input: z.object({ text: z.string() }),
        run: input => {
          calls.push(input);
          return `added ${input.text}`;
        },
      }),
      draw: tool({ run: () => ({ type: 'image' as const, data: IMAGE, mimeType: 'image/png' }) }),
      fail: tool({ run: () => toolResult({ content: 'the disk is full', isError: true }) }),
      wait: tool({
        run: (_, ctx) =>
          new Promise(() => {
            ctx.signal.addEventListener('abort', () => calls.push('aborted'));
            isWaiting();
          }),
      }),
    },
  });
  return { server, calls, waiting };
}

/** Lets a scripted model call one tool, and returns what it is told in the second step. */
async function callTool(source: ToolSource, name: string, input: unknown, options?: AiToolsOptions) {
  const model = createScriptedModel(createToolCall(name, input), text('done'));
  const tools = await toAiTools(source, options);
  const result = await generateText({ model, tools, prompt: 'Go on', stopWhen: isStepCount(2) });
  const [first, second] = model.doGenerateCalls;
  const [step] = result.steps;
  return { listed: first?.tools ?? [], message: second?.prompt.at(-1)?.content, step, text: result.text };
}

describe('toAiTools() with a host', () => {
  it('lets a model call the tools and get their results', async () => {
    const { server, calls } = createNotes();
    const host = await createHost({ servers: { notes: { service: server } } });
    onTestFinished(() => host.close());
    const { listed, message, text: answer } = await callTool(host, 'notes__draw', {});
    expect(listed).toContainEqual({
      type: 'function',
      name: expect.stringMatching(/^notes__note_add/),
      description: 'Adds a note',
      inputSchema: expect.objectContaining({ type: 'object', required: ['text'] }),
    });
    expect(JSON.stringify(listed)).not.toContain('$schema');
    expect(message).toMatchObject([
      {
        output: {
          type: 'content',
          value: [{ type: 'file', mediaType: 'image/png', data: { type: 'data', data: IMAGE } }],
        },
      },
    ]);
    expect([answer, calls]).toEqual(['done', []]);
  });

  it('applies the policy of the host', async () => {
    const { server, calls } = createNotes();
    const policy = [deny('notes/note.add'), allow()];
    const host = await createHost({ servers: { notes: { service: server } }, prefix: 'never', policy });
    onTestFinished(() => host.close());
    const { message } = await callTool(host.client, 'note_add', { text: 'tea' });
    expect(message).toMatchObject([{ output: { type: 'error-text' } }]);
    expect(calls).toEqual([]);
  });
});

describe('toAiTools() with a client', () => {
  const open = async () => {
    const notes = createNotes();
    const client = await connect(notes.server);
    onTestFinished(() => client.close());
    return { ...notes, client };
  };

  it('maps valid names to the names of the tools', async () => {
    const { client, calls } = await open();
    const { message, step } = await callTool(client, 'note_add', { text: 'tea' });
    expect(message).toMatchObject([{ toolName: 'note_add', output: { type: 'text', value: 'added tea' } }]);
    expect(step?.toolCalls).toMatchObject([{ toolName: 'note_add', toolMetadata: { name: 'note.add' } }]);
    expect(step?.toolResults).toMatchObject([{ output: { content: [{ type: 'text', text: 'added tea' }] } }]);
    expect(calls).toEqual([{ text: 'tea' }]);
  });

  it.each([
    ['a result that is an error', 'fail', {}, 'the disk is full'],
    ['arguments that are no object', 'note_add', ['tea'], 'are not a JSON object'],
    ['arguments that break the schema', 'note_add', { text: 1 }, 'text'],
  ])('returns to the model an error for %s', async (_, name, input, error) => {
    const { client, calls } = await open();
    const { message } = await callTool(client, name, input);
    expect(message).toMatchObject([{ output: { type: 'error-text', value: expect.stringContaining(error) } }]);
    expect(calls).toEqual([]);
  });

  it('cancels calls with the generation', async () => {
    const { client, calls, waiting } = await open();
    const controller = new AbortController();
    const generated = generateText({
      model: createScriptedModel(createToolCall('wait', {}), text('never')),
      tools: await toAiTools(client),
      prompt: 'Go on',
      stopWhen: isStepCount(2),
      abortSignal: controller.signal,
    });
    await waiting;
    controller.abort();
    await expect(generated).rejects.toThrow();
    expect(calls).toEqual(['aborted']);
  });

  it.each<[returns: string, filter: (...given: never) => unknown]>([
    ['undefined', () => undefined],
    ['a promise', async () => true],
    ['a text', () => 'no'],
  ])('offers no tool if the filter returns %s', async (_, filter) => {
    const client = await connect(createNotes().server);
    expect(await toAiTools(client, { filter: filter as AiToolsOptions['filter'] })).toEqual({});
    await client.close();
  });

  it.each([{ filter: /note/ }, { callOptions: 5000 }])('refuses the invalid options %j', async options => {
    const client = await connect(createNotes().server);
    await expect(toAiTools(client, options as never)).rejects.toMatchObject({ code: 'options/invalid' });
    await client.close();
  });

  it('offers the tools that the filter selects, and calls them with the options', async () => {
    const { client } = await open();
    const tools = await toAiTools(client, { filter: ({ name }) => name.startsWith('note') });
    expect(Object.keys(tools)).toEqual(['note_add']);
    const options = { callOptions: { meta: { 'com.example/trace': 'x' } } };
    const seen: unknown[] = [];
    const source: ToolSource = {
      listTools: options => client.listTools(options),
      callTool: (name, input, options) => {
        seen.push(options?.meta);
        return client.callTool(name, input, options);
      },
    };
    await callTool(source, 'draw', {}, options);
    expect(seen).toEqual([{ 'com.example/trace': 'x' }]);
  });
});
