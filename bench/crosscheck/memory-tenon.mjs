// @ts-check
/** Tenon in memory, by reference: `node memory-tenon.mjs VERSION`. */
import { connect, createServer, tool } from 'tenon';
import { z } from 'zod';
import { serveParent } from './worker.mjs';

const echo = tool({ description: 'Returns its text.', input: z.object({ text: z.string() }), run: ({ text }) => text });
const server = createServer({ name: 'bench', version: '1.0.0', tools: { echo } });
/** @type {import('tenon').Client<typeof server>} */
const client = await connect(server, { protocolVersion: process.argv[2] ?? '', copyMessages: false });

await serveParent(async text => {
  const { content } = await client.tools.echo({ text });
  return content[0]?.type === 'text' && content[0].text;
});
