// @ts-check
/** tmcp: its server, called by what it has for tests; there is no client that checks what comes. `node tmcp.mjs REVISION`. */
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { InMemoryTransport } from '@tmcp/transport-in-memory';
import { McpServer } from 'tmcp';
import { z } from 'zod';
import { runWorker } from '../worker.mjs';

const [, , version = ''] = process.argv;
const server = new McpServer(
  { name: 'bench', version: '1.0.0' },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {} } },
);
const schema = z.object({ text: z.string() });
server.tool({ name: 'echo', description: 'Gives back what it is given.', schema }, ({ text }) => ({
  content: [{ type: 'text', text }],
}));
const caller = await open();

async function open() {
  const transport = new InMemoryTransport(server);
  if (version === '2026-07-28') return transport.stateless();
  const session = transport.session();
  const { protocolVersion } = await session.initialize(version, {}, { name: 'bench', version: '1.0.0' });
  if (protocolVersion !== version) throw new Error(`it speaks ${protocolVersion}`);
  return session;
}

await runWorker(async text => {
  const { content } = await caller.callTool('echo', { text });
  const [first] = content ?? [];
  return first?.type === 'text' && first.text;
});
