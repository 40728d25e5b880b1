// @ts-check
/** The official SDK v1 on the standard streams. */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const server = new McpServer({ name: 'bench', version: '1.0.0' });
const inputSchema = { text: z.string() };
server.registerTool('echo', { description: 'Gives back what it is given.', inputSchema }, ({ text }) => ({
  content: [{ type: 'text', text }],
}));
await server.connect(new StdioServerTransport());
