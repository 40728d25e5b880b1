// @ts-check
/** fastmcp on the standard streams. */
import { FastMCP } from 'fastmcp';
import { z } from 'zod';

const server = new FastMCP({ name: 'bench', version: '1.0.0' });
server.addTool({
  name: 'echo',
  description: 'Gives back what it is given.',
  parameters: z.object({ text: z.string() }),
  execute: async ({ text }) => text,
});
await server.start({ transportType: 'stdio' });
