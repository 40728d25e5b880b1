// @ts-check
/** The official SDK v2 on the standard streams. It serves both of its manners; one server object for the connection. */
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const inputSchema = z.object({ text: z.string() });
serveStdio(() => {
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  server.registerTool('echo', { description: 'Gives back what it is given.', inputSchema }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
  return server;
});
