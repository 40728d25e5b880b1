// @ts-check
/** The client of the official SDK v2. `node v2.mjs REVISION URL`. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { runWorker } from '../worker.mjs';

const [, , version = '', url = ''] = process.argv;
const mode = version === '2026-07-28' ? /** @type {const} */ ({ pin: version }) : 'legacy';
const client = new Client({ name: 'bench', version: '1.0.0' }, { versionNegotiation: { mode } });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
if (client.getNegotiatedProtocolVersion() !== version) throw new Error(`it does not speak ${version}`);

await runWorker(async text => {
  const [first] = (await client.callTool({ name: 'echo', arguments: { text } })).content;
  return first?.type === 'text' && first.text;
});
