import { describe, expect, it } from 'vitest';
import { edit } from './editor.js';

const PRELUDE = `
import { connect, createServer, prompt, resource, tool } from 'tenon';
import { mount, promptsAsTools, resourcesAsTools, transformTool } from 'tenon/compose';
import { z } from 'zod';
const notes = createServer({
  name: 'notes', version: '1',
  tools: { add: tool({ input: z.object({ title: z.string() }), output: z.object({ uri: z.string() }), run: ({ title }) => ({ uri: title }) }) },
  prompts: { sum: prompt({ input: z.object({ title: z.string() }), run: () => '' }) },
  resources: { 'note://{title}': resource({ read: ({ title }) => title }) },
});
`;

describe('the types of mounted servers', () => {
  it('reach a typed client with their prefix, also through several levels', () => {
    const { errors } = edit(`${PRELUDE}
const middle = createServer({ name: 'm', version: '1', mounts: [mount('n', notes)] });
const server = createServer({ name: 'o', version: '1', tools: { own: tool({ run: () => '' }) }, mounts: [mount('x', notes), mount('y', middle)] });
const client = await connect<typeof server>(server);
const { uri }: { uri: string } = await client.tools.x_add({ title: 'a' });
await client.tools.y_n_add({ title: uri });
await client.tools.own();
await client.prompts.x_sum({ title: 'a' });
`);
    expect(errors).toEqual([]);
  });

  it('refuse an unknown name, wrong arguments, and a tool of the server with the name of a mounted one', () => {
    const { errors } = edit(`${PRELUDE}
const server = createServer({ name: 'o', version: '1', mounts: [mount('x', notes)] });
const client = await connect<typeof server>(server);
await client.tools.add({ title: 'a' });
await client.tools.x_add({ title: 1 });
createServer({ name: 'o', version: '1', tools: { x_add: tool({ run: () => '' }) }, mounts: [mount('x', notes)] });
`);
    const texts = JSON.stringify(errors);
    expect(texts).toContain("'add' does not exist");
    expect(texts).toContain("'number' is not assignable to type 'string'");
    expect(texts).toContain('Two tools have the name');
  });

  it('include those of resources and prompts as tools, and of changed tools', () => {
    const { errors } = edit(`${PRELUDE}
const find = tool({ input: z.object({ text: z.string(), user: z.string() }), run: ({ text }) => text });
const server = createServer({
  name: 'o', version: '1',
  tools: { find: transformTool(find, { hide: ['user'], defaults: { user: 'ann' } }) },
  mounts: [mount('x', notes), resourcesAsTools(), promptsAsTools()],
});
const client = await connect<typeof server>(server);
await client.tools.find({ text: 'a' });
const { nextCursor }: { nextCursor?: string } = await client.tools.resources_list({});
await client.tools.prompts_get({ name: 'sum', arguments: { title: nextCursor ?? 'a' } });
// @ts-expect-error: the argument is hidden
await client.tools.find({ text: 'a', user: 'eve' });
`);
    expect(errors).toEqual([]);
  });
});
