// @ts-check
/** tmcp on the standard streams. */
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { StdioTransport } from '@tmcp/transport-stdio';
import { McpServer } from 'tmcp';
import { z } from 'zod';

const server = new McpServer(
  { name: 'bench', version: '1.0.0' },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {} } },
);
const schema = z.object({ text: z.string() });
server.tool({ name: 'echo', description: 'Gives back what it is given.', schema }, ({ text }) => ({
  content: [{ type: 'text', text }],
}));
new StdioTransport(server).listen();
