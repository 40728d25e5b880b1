import { describe, expect, it } from 'vitest';
import { dialects } from '../../packages/tenon/src/protocol/versions/index.js';
import { edit } from './editor.js';

const SERVER = `
import { connect, createServer, prompt, resource, tool } from 'tenon';
import { z } from 'zod';

const server = createServer({
  name: 'weather',
  version: '1',
  tools: {
    forecast: tool({
      input: z.object({ city: z.string(), days: z.number().default(1) }),
      output: z.object({ degrees: z.number() }),
      run: ({ city, days }) => ({ degrees: city.length + days }),
    }),
    raw: tool({
      input: { type: 'object', properties: { a: { type: 'number' }, b: { enum: ['x', 'y'] } }, required: ['a'] },
      output: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
      run: ({ a, b }) => ({ sum: b === 'x' ? a : 0 }),
    }),
    now: tool({ run: () => 'now' }),
  },
  prompts: { report: prompt({ input: z.object({ city: z.string() }), run: ({ city }) => city }) },
  resources: { 'note://{title}{?line}': resource({ read: variables => variables.title }) },
});
const client = await connect<typeof server>(server);
const weather = await client.tools.forecast({ city: 'Oslo' });
const sum = await client.tools.raw({ a: 1 });
await client.tools.now();
await client.prompts.report({ city: 'Oslo' });
`;

describe('the editor', () => {
  const editor = edit(SERVER);

  it('shows no errors', () => {
    expect(editor.errors).toEqual([]);
  });

  it.each([
    [
      'client.tools.',
      '(property) forecast: (input: { city: string; days?: number | undefined; }, options?: CallOptions) => Promise<{ degrees: number; }>',
    ],
    [
      'await client.tools.raw({ a: 1 });\nawait client.tools.',
      '(property) now: (input?: Record<string, never>, options?: CallOptions) => Promise<CallToolResult>',
    ],
    [
      'const sum = await client.tools.',
      '(property) raw: (input: { a: number; b?: "x" | "y"; }, options?: CallOptions) => Promise<{ sum: number; }>',
    ],
    [
      'client.prompts.',
      '(property) report: (input: { city: string; }, options?: CallOptions) => Promise<GetPromptResult>',
    ],
    [
      'const ',
      'const server: Server<{ readonly forecast: ToolDefinition<{ city: string; days?: number | undefined; }, { degrees: number; }>; readonly raw: ToolDefinition<{ a: number; b?: "x" | "y"; }, { sum: number; }>; readonly now: ToolDefinition<undefined, unknown>; }, { readonly report: PromptDefinition<{ city: string; }>; }, { \'note://{title}{?line}\': unknown; }>',
    ],
    ['resource({ read: ', '(parameter) variables: { title: string; line?: string; } & { readonly uri: string; }'],
    ['run: ({ ', '(parameter) city: string'],
    ['const weather = await client.tools.forecast({ ', '(property) city: string'],
    ["Oslo' });\nconst ", 'const sum: { sum: number; }'],
  ])('shows short types on hover: %s…', (before, shown) => {
    expect(editor.hover(before).replace(/\s+/g, ' ')).toBe(shown);
  });
});

const COMPLETIONS = `
import { connect, createServer, prompt, resource, tool } from 'tenon';
const server = createServer({
  name: 'weather', version: '1', protocolVersions: [''],
  tools: { forecast: tool({ run: () => 1 }), now: tool({ run: () => 2 }) },
  prompts: { report: prompt({ run: () => '' }) },
  resources: { 'weather://stations': resource({ read: () => '' }), 'weather://{city}': resource({ read: () => '' }) },
});
const client = await connect<typeof server>(server, { protocolVersion: '' });
client.callTool('');
client.getPrompt('');
client.readResource('');
client.call('');
`;

describe('the completions of the editor', () => {
  const editor = edit(COMPLETIONS);

  it.each([
    ["{ protocolVersion: '", dialects.map(({ protocolVersion }) => protocolVersion)],
    ["protocolVersions: ['", dialects.map(({ protocolVersion }) => protocolVersion)],
    ["client.callTool('", ['forecast', 'now']],
    ["client.getPrompt('", ['report']],
    ["client.readResource('", ['weather://stations']],
  ])('include those after %s…', (before, expected) => {
    expect([...editor.completions(before)].sort()).toEqual([...expected].sort());
    expect(editor.errors).toEqual([]);
  });

  it('include the methods of the protocol', () => {
    expect(editor.completions("client.call('")).toEqual(expect.arrayContaining(['tools/call', 'prompts/get']));
  });
});

const MISTAKES = [
  ["tool({ output: n, run: () => ({ n: 'x' }) });", "Type 'string' is not assignable to type 'number'."],
  ['tool({ input: n, run: ({ nn }) => nn });', "Property 'nn' does not exist on type '{ n: number; }'."],
  ['tool({ input: n, descripton: "", run: () => 1 });', "'descripton' does not exist in type 'ToolSpec<"],
  ['tool({ input: n, handler: () => 1 });', "'handler' does not exist in type 'ToolSpec<"],
  ['tool({ input: n });', "Property 'run' is missing"],
  ['tool({ input: "n", run: () => 1 });', "Type 'string' is not assignable to type 'Schema | undefined'."],
  ['prompt({ input: n, run: () => 4 });', "Type 'number' is not assignable to type 'MaybePromise<PromptReturn>'."],
  ['prompt({ input: n, complete: { m: [] }, run: () => "" });', `'m' does not exist in type 'Completers<"n">'.`],
] as const;
const IMPORTS = [
  "import { prompt, tool } from 'tenon';",
  "import { z } from 'zod';",
  'const n = z.object({ n: z.number() });',
];

describe('type errors', () => {
  const { errors } = edit([...IMPORTS, ...MISTAKES.map(([definition]) => definition)].join('\n'));

  it.each(MISTAKES.map((mistake, at) => [...mistake, at] as const))(
    'name the mistake in few words: %s',
    (_, words, at) => {
      const found = errors.filter(({ line }) => line === IMPORTS.length + at);
      expect(found).toHaveLength(1);
      expect(found[0]?.words).toContain(words);
      expect(found[0]?.words.length).toBeLessThan(400);
    },
  );
});

const DOCUMENTED = `
import { connect, createServer, prompt, resource, tool } from 'tenon';
import { z } from 'zod';
const server = createServer({
  name: 'n', version: '1',
  tools: { one: tool({ input: z.object({ a: z.string() }), output: z.object({}), run: () => ({}) }) },
  prompts: { two: prompt({ input: z.object({ a: z.string() }), complete: { a: [] }, run: () => '' }) },
  resources: { 'a://{b}': resource({ read: () => '' }) },
});
const client = await connect<typeof server>(server, { protocolVersion: '2026-07-28' });
client.callTool('one');
`;

describe('the hover of an option', () => {
  const editor = edit(DOCUMENTED);

  it.each([
    ['tool({ inp', 'Schema of the arguments'],
    ['z.string() }), outp', 'Schema of the return value of `run`'],
    ['output: z.object({}), ru', 'Handles a call'],
    ['prompt({ inp', 'Schema of the arguments'],
    ['a: z.string() }), comp', 'Suggests values'],
    ['complete: { a: [] }, ru', 'Creates the messages'],
    ['resource({ re', 'Returns the contents'],
    ['createServer({\n  na', 'Name for programs'],
    ['server, { pro', 'The only protocol version to use'],
    ['client.callT', 'Calls a tool by name'],
  ])('shows its purpose: %s…', (before, text) => {
    expect(editor.documentation(before)).toContain(text);
  });
});
