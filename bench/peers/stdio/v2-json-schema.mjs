// @ts-check
/** The official SDK v2 on the standard streams, with a schema for which no library is loaded. */
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

/** @type {import('@modelcontextprotocol/server').StandardSchemaWithJSON<{ text: string }>} */
const inputSchema = fromJsonSchema({ type: 'object', properties: { text: { type: 'string' } }, required: ['text'] });
serveStdio(() => {
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  server.registerTool('echo', { description: 'Gives back what it is given.', inputSchema }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
  return server;
});
