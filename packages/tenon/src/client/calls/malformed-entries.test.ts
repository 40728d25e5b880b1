import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../jsonrpc/message.js';
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
  it('gets the content of a tool without the block that is malformed, which is reported', async () => {
    const { client, problems } = await start({ 'tools/call': { content: [broken, text] } }, {}, version);
    expect((await client.callTool('y')).content).toEqual([text]);
    expect(problems).toEqual(['peer/unusable-entry']);
    await client.close();
  });

  it('reads an embedded resource without contents as a link', async () => {
    const { client, problems } = await start(
      { 'tools/call': { content: [text, link] }, 'prompts/get': { messages: [{ role: 'user', content: link }] } },
      {},
      version,
    );
    expect((await client.callTool('y')).content).toEqual([text, asLink]);
    expect((await client.getPrompt('p')).messages).toEqual([{ role: 'user', content: asLink }]);
    expect(problems).toEqual(['peer/deviation']);
    await client.close();
  });

  it('gets the messages of a prompt, and the contents of a resource, that are well-formed', async () => {
    const message = { role: 'user', content: text };
    const contents = { uri: 'a:b', text: 'good' };
    const { client, problems } = await start(
      {
        'prompts/get': { messages: [message, { role: 'user', content: broken }] },
        'resources/read': { contents: [{ text: 'of nothing' }, contents] },
      },
      {},
      version,
    );
    expect((await client.getPrompt('p')).messages).toEqual([message]);
    expect((await client.readResource('a:b')).contents).toEqual([contents]);
    expect(problems).toEqual(['peer/unusable-entry', 'peer/unusable-entry']);
    await client.close();
  });

  it('gets a list without the entry that is malformed', async () => {
    const good = { uriTemplate: 'a:{b}', name: 'b' };
    const { client, problems } = await start(
      { 'resources/templates/list': { resourceTemplates: [{ name: 'c' }, good] } },
      {},
      version,
    );
    const listed = [];
    for await (const each of client.listResourceTemplates()) listed.push(each);
    expect(listed).toMatchObject([good]);
    expect(problems).toEqual(['peer/unusable-entry']);
    await client.close();
  });
});

describe('a result with malformed entries', () => {
  it('is refused when nothing is left of it', async () => {
    const { client, problems } = await start({ 'tools/call': { content: [broken] } });
    await expect(client.callTool('y')).rejects.toMatchObject({
      code: 'peer/invalid-result',
      method: 'tools/call',
      summary: expect.stringContaining('/content/0/data'),
    });
    expect(problems).toEqual([]);
    await client.close();
  });

  it('is delivered when its structured content says all', async () => {
    const { client } = await start({ 'tools/call': { content: [broken], structuredContent: { sum: 5 } } });
    expect(await client.callTool('y')).toMatchObject({ content: [], structuredContent: { sum: 5 } });
    await client.close();
  });

  it('is refused when something else is malformed too', async () => {
    const { client } = await start({ 'tools/call': { content: [broken, text], isError: 'yes' } });
    await expect(client.callTool('y')).rejects.toMatchObject({ code: 'peer/invalid-result' });
    await client.close();
  });

  it('is refused with strict', async () => {
    const { client } = await start({ 'tools/call': { content: [text, link] } }, { strict: true });
    await expect(client.callTool('y')).rejects.toMatchObject({ code: 'peer/invalid-result' });
    await client.close();
  });

  it('still has to fit the output schema of its tool', async () => {
    const { client } = await start({ 'tools/call': { content: [broken, text], structuredContent: { sum: 'five' } } });
    await expect(client.callTool('sum', {})).rejects.toMatchObject({ code: 'peer/invalid-result' });
    await client.close();
  });

  it('is delivered without them as the result of a task too', async () => {
    const script = {
      'tools/call': () => ({ resultType: 'task', ...task('working') }),
      'tasks/get': () => task('completed', { result: { content: [broken, text, link] } }),
    };
    const { client, problems, pass } = await scripted(EXTENSION, script, {}, { capabilities });
    const result = client.callTool('x');
    await pass(100);
    expect((await result).content).toEqual([text, asLink]);
    expect(problems).toEqual(['peer/deviation', 'peer/unusable-entry']);
    await client.close();
  });
});
