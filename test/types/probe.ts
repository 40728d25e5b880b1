import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import { connect, createServer, prompt, resource, tool, type Context } from 'tenon';
import * as v from 'valibot';
import { z } from 'zod';

const server = createServer({
  name: 'a', version: '1',
  tools: {
    forecast: tool({
      input: z.object({ city: z.string(), days: z.number().default(1) }),
      output: z.object({ degrees: z.number() }),
      run: ({ city, days }) => ({ degrees: city.length + days }),
    }),
    byValibot: tool({ input: toStandardJsonSchema(v.object({ a: v.number() })), run: ({ a }) => `${a + 1}` }),
    byArk: tool({ input: type({ a: 'number' }), run: ({ a }) => `${a + 1}` }),
    raw: tool({
      input: { type: 'object', properties: { a: { type: 'number' } , b: { enum: ['x', 'y'] } }, required: ['a'] },
      output: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
      run: ({ a, b }) => ({ sum: a + 1 + (b === 'x' ? 1: 0) }),
    }),
    bare: tool({ run: (input, ctx) => { const i: Record<string, unknown> = input; const c: Context = ctx; return [i, c].length; } }),
    noInput: tool({ output: z.object({ ok: z.boolean() }), run: async () => ({ ok: true }) }),
  },
  prompts: {
    sum: prompt({ input: z.object({ title: z.string(), tone: z.string().optional() }), complete: { tone: ['dry'] }, run: ({ title }) => title }),
    none: prompt({ run: () => 'x' }),
  },
  resources: {
    'note://{title}': resource({
      list: () => [{ title: 'a' }],
      complete: { title: ['a'] },
      read: ({ title }) => title.toUpperCase(),
    }),
    'note://{title}/{?page}': resource({ read: ({ title, page }) => `${title} ${page?.length}` }),
    'config://all': { read: ({ uri }) => uri },
    'x://{a}{/b*}': { read: ({ a, b }) => a + (b ?? []).join() },
  },
});
const client = await connect<typeof server>(server);
const f = await client.tools.forecast({ city: 'x' });
export const d: number = f.degrees;
const r = await client.tools.raw({ a: 1 });
export const s: number = r.sum;
await client.tools.bare();
await client.prompts.sum({ title: 'x' });
await client.prompts.none();
export const list = await client.call('tools/list');
export const n: string | undefined = list.tools[0]?.name;
