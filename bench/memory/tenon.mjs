// @ts-check
/** Tenon's client, connected with the server object itself. `node tenon.mjs REVISION [by-reference]`. */
import { connect, createServer, tool } from 'tenon';
import { z } from 'zod';
import { runWorker } from '../worker.mjs';

const input = z.object({ text: z.string() });
const echo = tool({ description: 'Gives back what it is given.', input, run: ({ text }) => text });
const server = createServer({ name: 'bench', version: '1.0.0', tools: { echo } });
/** @type {import('tenon').Client<typeof server>} */
const client = await connect(server, {
  protocolVersion: process.argv[2] ?? '',
  copyMessages: process.argv[3] !== 'by-reference',
});

await runWorker(async text => {
  const { content } = await client.tools.echo({ text });
  return content[0]?.type === 'text' && content[0].text;
});
