// @ts-check
/** The official SDK v2: its client and its server over its transport in memory. `node v2.mjs REVISION`. */
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import { runWorker } from '../worker.mjs';

const [, , version = ''] = process.argv;
const inputSchema = z.object({ text: z.string() });
const [theirs, ours] = InMemoryTransport.createLinkedPair();
// The entry for stdio takes any transport, and keeps one server object for the connection: nothing that it has is faster.
serveStdio(
  () => {
    const server = new McpServer({ name: 'bench', version: '1.0.0' });
    server.registerTool('echo', { description: 'Gives back what it is given.', inputSchema }, ({ text }) => ({
      content: [{ type: 'text', text }],
    }));
    return server;
  },
  { transport: theirs },
);
const mode = version === '2026-07-28' ? /** @type {const} */ ({ pin: version }) : 'legacy';
const client = new Client({ name: 'bench', version: '1.0.0' }, { versionNegotiation: { mode } });
await client.connect(ours);
if (client.getNegotiatedProtocolVersion() !== version) throw new Error(`it does not speak ${version}`);

await runWorker(async text => {
  const [first] = (await client.callTool({ name: 'echo', arguments: { text } })).content;
  return first?.type === 'text' && first.text;
});
