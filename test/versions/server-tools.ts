import { rpcError, tool, toolError, toolResult } from 'tenon';
import { z } from 'zod';

export const base64 = 'aGVsbG8=';
const annotations = { audience: ['user' as const], priority: 0.5, lastModified: '2025-01-01T00:00:00Z' };
const icons = [{ src: 'data:image/png;base64,aGVsbG8=', mimeType: 'image/png', sizes: ['any'] }];
const _meta = { 'com.example/kind': 'block' };

/** Tools that answer at once: content, structured content, errors, metadata. */
export const tools = {
  blocks: tool({
    title: 'Blocks',
    description: 'Every kind of content',
    annotations: {
      title: 'All blocks',
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
    icons,
    _meta: { 'com.example/group': 'content' },
    run: () => [
      { type: 'text', text: 'words – ü 🜚', annotations, _meta },
      { type: 'image', data: base64, mimeType: 'image/png', annotations, _meta },
      { type: 'audio', data: base64, mimeType: 'audio/wav', annotations, _meta },
      { type: 'resource', resource: { uri: 'note://a', mimeType: 'text/plain', text: 'a', _meta }, annotations, _meta },
      { type: 'resource', resource: { uri: 'note://b', mimeType: 'image/png', blob: base64 } },
      {
        type: 'resource_link',
        uri: 'note://c',
        name: 'c',
        title: 'C',
        description: 'third',
        mimeType: 'text/plain',
        size: 3,
        icons,
        annotations,
        _meta,
      },
    ],
  }),
  add: tool({
    description: 'Adds',
    input: z.object({ a: z.number(), b: z.number() }),
    output: z.object({ sum: z.number(), parts: z.array(z.number()) }),
    run: ({ a, b }) => ({ sum: a + b, parts: [a, b] }),
  }),
  primes: tool({ output: z.array(z.number()), run: () => [2, 3, 5] }),
  word: tool({ output: z.string(), run: () => 'tenon' }),
  nothing: tool({ output: z.null(), run: () => null }),
  told: tool({
    description: 'Structured content with words of its own',
    output: z.object({ celsius: z.number() }),
    run: () =>
      toolResult({
        content: 'It is mild.',
        structuredContent: { celsius: 12 },
        _meta: { 'com.example/source': 'sky' },
      }),
  }),
  misfit: tool({
    description: 'Breaks its own contract',
    output: z.object({ sum: z.number() }),
    run: () => ({ sum: 'many' }) as never,
  }),
  fails: tool({
    description: 'Says why',
    run: () => {
      throw toolError('The cellar is locked');
    },
  }),
  throws: tool({
    description: 'Has a defect',
    run: () => {
      throw new Error('secret /etc/path');
    },
  }),
  refuses: tool({
    description: 'Says no by the protocol',
    run: () => {
      throw rpcError(-32603, 'Out of order', { until: 'noon' });
    },
  }),
  gives: tool({ description: 'Says no by its answer', run: (_, ctx) => ctx.fail('No such luck') }),
  meta: tool({
    description: 'What came with the request',
    run: (_, ctx) =>
      JSON.stringify({
        meta: ctx.meta,
        client: ctx.client.info,
        capabilities: ctx.client.capabilities,
        version: ctx.protocolVersion,
      }),
  }),
  mirrored: tool({
    description: 'An argument that a header mirrors',
    input: {
      type: 'object',
      properties: {
        region: { type: 'string', 'x-mcp-header': 'Region' },
        count: { type: 'integer', 'x-mcp-header': 'Count' },
      },
    } as const,
    run: ({ region, count }) => `${String(region)} ${String(count)}`,
  }),
  dialect: tool({
    description: 'Raw JSON Schema with what only the newest version knows',
    input: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { any: true, some: { type: 'string' } },
    } as const,
    run: ({ some }) => String(some),
  }),
  logs: tool({
    description: 'Says something at each level',
    run(_, ctx) {
      for (const level of ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const) {
        ctx.log(level, { said: level }, 'tale');
      }
      return 'said';
    },
  }),
  works: tool({
    description: 'Reports progress, some of it wrongly',
    input: z.object({ steps: z.number() }),
    run({ steps }, ctx) {
      for (let step = 1; step <= steps; step++) ctx.progress(step, steps, `step ${step}`);
      ctx.progress(1, steps, 'backwards');
      setTimeout(() => ctx.progress(steps + 1, steps, 'too late'), 5);
      return 'done';
    },
  }),
  later: tool({
    description: 'Answers after what was set for 5 ms',
    input: z.object({ delay: z.number().optional() }),
    run: ({ delay = 15 }) => new Promise<string>(resolve => setTimeout(() => resolve('later'), delay)),
  }),
  ...waiting(),
};

/** A tool that waits until it is cancelled, and one that tells whether it was. */
function waiting() {
  const seen: string[] = [];
  return {
    waits: tool({
      description: 'Waits until nobody wants it',
      input: z.object({ name: z.string() }),
      run({ name }, ctx) {
        ctx.progress(1, 2, 'waiting');
        return new Promise<string>((_, reject) => {
          ctx.signal.addEventListener('abort', () => {
            seen.push(name);
            ctx.log('error', 'nobody may hear this');
            ctx.progress(2, 2, 'nobody may hear this');
            reject(new Error('given up'));
          });
        });
      },
    }),
    cancelled: tool({
      description: 'What was given up',
      output: z.object({ names: z.array(z.string()) }),
      run: () => ({ names: [...seen] }),
    }),
  };
}

export { annotations, icons };
