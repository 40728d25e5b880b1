// @ts-check
/** The official SDK v1: its client and its server over its transport in memory. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { runWorker } from '../worker.mjs';

const server = new McpServer({ name: 'bench', version: '1.0.0' });
const inputSchema = { text: z.string() };
server.registerTool('echo', { description: 'Gives back what it is given.', inputSchema }, ({ text }) => ({
  content: [{ type: 'text', text }],
}));
const client = new Client({ name: 'bench', version: '1.0.0' });
const [theirs, ours] = InMemoryTransport.createLinkedPair();
await Promise.all([server.connect(theirs), client.connect(ours)]);

await runWorker(async text => {
  const result = await client.callTool({ name: 'echo', arguments: { text } });
  return /** @type {{ text: string }[]} */ (result.content)[0]?.text;
});
