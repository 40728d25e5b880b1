import { createServer, tool } from 'tenon';
import { createHost, type EmbedTexts } from 'tenon/host';
import { describe, expect, it } from 'vitest';

const createService = (name: string, description: string | undefined, tools: readonly string[]) =>
  createServer({
    name,
    version: '1.0.0',
    ...(description === undefined ? {} : { description }),
    tools: Object.fromEntries(tools.map(each => [each, tool({ description: `Runs ${each}.`, run: () => each })])),
  });
const servers = {
  pages: { service: createService('pages', 'Controls a web browser, for example in online shops.', ['click', 'fill']) },
  notes: { service: createService('notes', undefined, ['add', 'count']) },
};

/** Names of the tools that `search_tools` finds in a host with a small budget. */
async function search(query: string, embed?: EmbedTexts) {
  const errors: string[] = [];
  const onError = ({ message }: Error) => errors.push(message);
  const host = await createHost({ servers, budget: { budget: 1, ...(embed ? { embed } : {}) }, onError });
  const { structuredContent } = await host.callTool('search_tools', { query, limit: 2 });
  await host.close();
  const { tools } = structuredContent as { tools: { name: string }[] };
  return { names: tools.map(({ name }) => name), errors };
}

describe('the tool search of a host', () => {
  it('finds tools by the description of their server', async () => {
    expect((await search('buy something at a shop')).names.sort()).toEqual(['pages__click', 'pages__fill']);
  });

  it('finds tools by meaning with an embedding model', async () => {
    const embed: EmbedTexts = async texts => texts.map(text => [Number(/count|sum/.test(text)), 0.1]);
    expect(await search('sum')).toEqual({ names: [], errors: [] });
    expect((await search('sum', embed)).names[0]).toBe('notes__count');
  });

  it('finds tools by words when the embedding model fails, and reports the error', async () => {
    const fail = async () => {
      throw new Error('the model is down');
    };
    const { names, errors } = await search('count', fail);
    expect(names).toEqual(['notes__count']);
    expect(errors).toEqual([expect.stringContaining('the model is down')]);
  });
});
