import type { JsonObject } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import type { ClientOptions } from '../options.js';
import { EXTENSION, PARAMETER, scripted, task } from '../tasks/fixtures/scripted.js';

const text = { type: 'text', text: 'good' };
const broken = { type: 'image', mimeType: 'image/png' };
const link = { type: 'resource', uri: 'file:///notes/a.md' };
const asLink = { type: 'resource_link', uri: 'file:///notes/a.md', name: 'a.md' };
const capabilities = { tools: {}, prompts: {}, resources: {} };

async function start(results: Record<string, JsonObject>, options: ClientOptions = {}, version = PARAMETER) {
  const script = Object.fromEntries(
    Object.entries(results).map(([method, result]) => [
      method,
      () => (version === EXTENSION ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...result } : result),
    ]),
  );
  return scripted(version, script, options, { capabilities });
}

describe.each(['2024-11-05', '2025-06-18', PARAMETER, EXTENSION])('a client of %s', version => {
  it('drops a malformed content block of a tool result, and reports it', async () => {
    const { client, errors } = await start({ 'tools/call': { content: [broken, text] } }, {}, version);
    expect((await client.callTool('y')).content).toEqual([text]);
    expect(errors).toEqual(['peer/unusable-entry']);
    await client.close();
  });

  it('reads an embedded resource without contents as a link', async () => {
    const { client, errors } = await start(
      { 'tools/call': { content: [text, link] }, 'prompts/get': { messages: [{ role: 'user', content: link }] } },
      {},
      version,
    );
    expect((await client.callTool('y')).content).toEqual([text, asLink]);
    expect((await client.getPrompt('p')).messages).toEqual([{ role: 'user', content: asLink }]);
    expect(errors).toEqual(['peer/deviation']);
    await client.close();
  });

  it('reads an embedded resource with neither text nor bytes as a link', async () => {
    const block = { type: 'resource', resource: { uri: 'file:///notes/a.md', mimeType: 'text/markdown' } };
    const { client, errors } = await start({ 'tools/call': { content: [text, block] } }, {}, version);
    expect((await client.callTool('y')).content).toEqual([text, { ...asLink, mimeType: 'text/markdown' }]);
    expect(errors).toEqual(['peer/deviation']);
    await client.close();
  });

  it('rejects contents of a resource with neither text nor bytes', async () => {
    const bare = { uri: 'a:b' };
    const { client } = await start({ 'resources/read': { contents: [bare] } }, {}, version);
    await expect(client.readResource('a:b')).rejects.toMatchObject({
      code: 'peer/invalid-result',
      summary: 'the result is malformed: at /contents/0: expected `text` or `blob`, got neither',
    });
    await client.close();
  });

  it('drops malformed messages of a prompt and malformed contents of a resource', async () => {
    const message = { role: 'user', content: text };
    const contents = { uri: 'a:b', text: 'good' };
    const { client, errors } = await start(
      {
        'prompts/get': { messages: [message, { role: 'user', content: broken }] },
        'resources/read': { contents: [{ text: 'of nothing' }, contents] },
      },
      {},
      version,
    );
    expect((await client.getPrompt('p')).messages).toEqual([message]);
    expect((await client.readResource('a:b')).contents).toEqual([contents]);
    expect(errors).toEqual(['peer/unusable-entry', 'peer/unusable-entry']);
    await client.close();
  });

  it('drops a malformed entry of a list', async () => {
    const good = { uriTemplate: 'a:{b}', name: 'b' };
    const { client, errors } = await start(
      { 'resources/templates/list': { resourceTemplates: [{ name: 'c' }, good] } },
      {},
      version,
    );
    const listed = [];
    for await (const each of client.listResourceTemplates()) listed.push(each);
    expect(listed).toMatchObject([good]);
    expect(errors).toEqual(['peer/unusable-entry']);
    await client.close();
  });

  it('lists entries without their optional members of another type, and reports the first one', async () => {
    const schema = { inputSchema: { type: 'object' } };
    const { client, errors } = await start(
      {
        'tools/list': {
          tools: [
            { name: 'a', ...schema },
            { name: 'b', ...schema, title: {}, description: 5, annotations: 'x', outputSchema: true, _meta: 2 },
          ],
        },
        'prompts/list': {
          prompts: [
            { name: 'a', arguments: 'x' },
            { name: 'b', description: 'd', arguments: [{ name: 'c', description: 5 }] },
          ],
        },
        'resources/list': { resources: [{ uri: 'a:b', name: 'a', mimeType: 5, size: '9' }] },
        'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'a:{b}', name: 'a', mimeType: false }] },
      },
      {},
      version,
    );
    expect((await client.call('tools/list')).tools).toEqual([
      { name: 'a', ...schema },
      { name: 'b', ...schema },
    ]);
    expect((await client.call('prompts/list')).prompts).toEqual([{ name: 'a' }, { name: 'b', description: 'd' }]);
    expect((await client.call('resources/list')).resources).toEqual([{ uri: 'a:b', name: 'a' }]);
    expect((await client.call('resources/templates/list')).resourceTemplates).toEqual([
      { uriTemplate: 'a:{b}', name: 'a' },
    ]);
    expect(errors).toEqual(['peer/deviation']);
    await client.close();
  });
});

describe('a result with malformed entries', () => {
  it('rejects when no entry is left', async () => {
    const { client, errors } = await start({ 'tools/call': { content: [broken] } });
    await expect(client.callTool('y')).rejects.toMatchObject({
      code: 'peer/invalid-result',
      method: 'tools/call',
      summary: expect.stringContaining('/content/0/data'),
    });
    expect(errors).toEqual([]);
    await client.close();
  });

  it('resolves when structured content is left', async () => {
    const { client } = await start({ 'tools/call': { content: [broken], structuredContent: { sum: 5 } } });
    expect(await client.callTool('y')).toMatchObject({ content: [], structuredContent: { sum: 5 } });
    await client.close();
  });

  it('rejects when another member is malformed too', async () => {
    const { client } = await start({ 'tools/call': { content: [broken, text], isError: 'yes' } });
    await expect(client.callTool('y')).rejects.toMatchObject({ code: 'peer/invalid-result' });
    await client.close();
  });

  it('rejects with `strict`', async () => {
    const { client } = await start({ 'tools/call': { content: [text, link] } }, { strict: true });
    await expect(client.callTool('y')).rejects.toMatchObject({ code: 'peer/invalid-result' });
    await client.close();
  });

  it.each([{ description: 5 }, { annotations: [] }])('rejects a tool with %j with `strict`', async member => {
    const tool = { name: 'a', inputSchema: { type: 'object' }, ...member };
    const { client } = await start({ 'tools/list': { tools: [tool] } }, { strict: true });
    await expect(client.call('tools/list')).rejects.toMatchObject({
      code: 'peer/invalid-result',
      summary: expect.stringContaining(`/tools/0/${Object.keys(member)}: expected`),
    });
    await client.close();
  });

  it('validates what is left against the output schema of the tool', async () => {
    const { client } = await start({ 'tools/call': { content: [broken, text], structuredContent: { sum: 'five' } } });
    await expect(client.callTool('sum', {})).rejects.toMatchObject({ code: 'peer/invalid-result' });
    await client.close();
  });

  it('drops malformed entries of the result of a task too', async () => {
    const script = {
      'tools/call': () => ({ resultType: 'task', ...task('working') }),
      'tasks/get': () => task('completed', { result: { content: [broken, text, link] } }),
    };
    const { client, errors, advance } = await scripted(EXTENSION, script, {}, { capabilities });
    const result = client.callTool('x');
    await advance(100);
    expect((await result).content).toEqual([text, asLink]);
    expect(errors).toEqual(['peer/deviation', 'peer/unusable-entry']);
    await client.close();
  });
});
