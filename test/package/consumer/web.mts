/** A program for browsers and workers: no types but those of the web. */
import { connect, createServer, tool } from 'tenon';
import { createHandler } from 'tenon/http';

const server = createServer({
  name: 'echo',
  version: '1.0.0',
  tools: { echo: tool({ description: 'Says it again', run: () => 'again' }) },
});

export const fetch: (request: Request) => Promise<Response> | Response = createHandler(server);
export const tools = async (url: string): Promise<string[]> => {
  const client = await connect(url);
  const names: string[] = [];
  for await (const each of client.listTools()) names.push(each.name);
  return names;
};
