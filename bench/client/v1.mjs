// @ts-check
/** The client of the official SDK v1. `node v1.mjs REVISION URL`. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { runWorker } from '../worker.mjs';

const [, , , url = ''] = process.argv;
const client = new Client({ name: 'bench', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));

await runWorker(async text => {
  const result = await client.callTool({ name: 'echo', arguments: { text } });
  return /** @type {{ text: string }[]} */ (result.content)[0]?.text;
});
