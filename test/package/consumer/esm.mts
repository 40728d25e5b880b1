/** A program on Node that uses every entry of the package. */
import { connect, createServer, prompt, resource, TenonError, tool } from 'tenon';
import { createHandler } from 'tenon/http';
import { serveHttp, toNode } from 'tenon/node';
import { serveStdio } from 'tenon/stdio';
import { z } from 'zod';

export const server = createServer({
  name: 'shop',
  version: '1.0.0',
  tools: {
    price: tool({
      description: 'The price of an article',
      input: z.object({ article: z.string() }),
      output: z.object({ euros: z.number() }),
      run: ({ article }) => ({ euros: article.length }),
    }),
  },
  resources: {
    'shop://{article}': resource({ name: 'article', read: ({ article }) => article.toUpperCase() }),
  },
  prompts: {
    praise: prompt({ input: z.object({ article: z.string() }), run: ({ article }) => `Praise ${article}` }),
  },
});

export async function ask(url: string): Promise<number> {
  const client = await connect<typeof server>(url);
  try {
    const { euros } = await client.tools.price({ article: 'cup' });
    // @ts-expect-error: the tool takes a string.
    await client.tools.price({ article: 1 });
    return euros;
  } catch (error) {
    throw TenonError.from(error);
  }
}

export const ways = { fetch: createHandler(server), node: toNode(createHandler(server)), serveHttp, serveStdio };
