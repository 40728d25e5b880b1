import { createHost, type EmbedTexts } from '@tenon/host';
import { connectPair } from '@tenon/testing';
import { createServer, tool } from 'tenon';
import { describe, expect, it } from 'vitest';
import { createFaultyServer } from './faulty-server.js';

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
async function search(query: string, embed?: EmbedTexts, embedTimeout?: number) {
  const errors: string[] = [];
  const onError = ({ message }: Error) => errors.push(message);
  const host = await createHost({ servers, budget: { budget: 1, embed, embedTimeout }, onError });
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

  it('does not wait for an embedding model that does not respond, and reports that', async () => {
    const { names, errors } = await search('count', () => new Promise(() => {}), 20);
    expect(names).toEqual(['notes__count']);
    expect(errors).toEqual([expect.stringContaining('no vectors in 20 ms')]);
  });

  it('embeds each tool once for all sessions', async () => {
    const texts: string[] = [];
    const embed: EmbedTexts = async given => {
      texts.push(...given);
      return given.map(() => [1]);
    };
    const host = await createHost({ servers, budget: { budget: 1, embed } });
    for (const query of ['one', 'two', 'three']) {
      const client = await connectPair(host.toServer());
      await client.callTool('search_tools', { query });
      await client.close();
    }
    await host.close();
    expect(texts).toHaveLength(4 + 3);
  });

  it('finds names that are not English, although public names are abbreviated', async () => {
    const tools = ['удалить_файл', '파일_삭제', 'dirección_buscar'];
    const { server } = createFaultyServer({ version: '2025-11-25', tools });
    const host = await createHost({ servers: { ...servers, files: server }, budget: 1 });
    const find = async (query: string) => {
      const { structuredContent } = await host.callTool('search_tools', { query, limit: 5 });
      return (structuredContent as { tools: { name: string }[] }).tools.map(({ name }) => name);
    };
    const [first, ...others] = await find('удалить');
    expect([first, others]).toEqual([expect.stringMatching(/^files__[\w-]+$/), []]);
    expect((await find('удалить_файл'))[0]).toBe(first);
    for (const query of ['삭제', 'direccion']) expect(await find(query)).toHaveLength(1);
    await host.close();
  });
});
