import { describe, expect, it } from 'vitest';
import { edit } from './editor.js';

const MESSAGE = 'Pass a whole schema, such as z.object({ … }), in place of a plain object of schemas';

const PROGRAM = `import { createServer, prompt, tool } from 'tenon';
import { z } from 'zod';
tool({
  input: { city: z.string() },
  run: ({ city }) => String(city),
});
tool({
  output: { celsius: z.number() },
  run: () => ({ celsius: 12 }),
});
prompt({
  input: { topic: z.string() },
  run: ({ topic }) => String(topic),
});
tool({
  async run(_, ctx) {
    await ctx.elicit({
      message: 'Remove it?',
      input: { yes: z.boolean() },
    });
    const answer = await ctx.elicit({ message: 'Remove it?', input: z.object({ yes: z.boolean() }) });
    return answer.action === 'accept' ? answer.content.yes : false;
  },
});
createServer({
  name: 'custom',
  version: '1.0.0',
  methods: {
    'custom/count': {
      params: { from: z.number() },
      run: () => ({}),
    },
  },
});
tool({ input: z.object({ city: z.string() }), run: ({ city }) => city.length });
tool({ input: { type: 'object', properties: { a: { type: 'number' } } }, run: ({ a }) => a ?? 0 });
`;

describe('a plain object of schemas', () => {
  const lines = PROGRAM.split('\n');
  const errors = edit(PROGRAM).errors.map(({ line, words }) => ({ line: lines[line]?.trim(), words }));

  it.each([
    ['input of a tool', 'input: { city: z.string() },'],
    ['output of a tool', 'output: { celsius: z.number() },'],
    ['input of a prompt', 'input: { topic: z.string() },'],
    ['input of a form', 'input: { yes: z.boolean() },'],
    ['params of a method', 'params: { from: z.number() },'],
  ])('is refused on its own line, with the advice to pass `z.object`: %s', (_, line) => {
    expect(errors.find(error => error.line === line)?.words).toContain(`"${MESSAGE}"`);
  });

  it('causes no errors for object schemas and JSON Schemas', () => {
    expect(errors.filter(({ line }) => line?.startsWith('tool({ input') || line?.includes('answer'))).toEqual([]);
  });
});

describe('a schema with members of any type, as those of typebox', () => {
  it('is accepted as input', () => {
    const { errors } = edit(`import { tool } from 'tenon';
interface TObject<T> { [option: string]: any; type: 'object'; properties: T }
declare const input: TObject<{ city: { [option: string]: any; type: 'string' } }>;
export const forecast = tool({ input, run: ({ city }) => String(city) });
`);
    expect(errors).toEqual([]);
  });
});
