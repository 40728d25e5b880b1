// @ts-check
/** Tenon's client, on whatever it does requests with by itself. `node tenon.mjs REVISION URL`. */
import { connect } from 'tenon';
import { runWorker } from '../worker.mjs';

/** @typedef {{ tools: { echo: { types?: { input: { text: string }, output: unknown } } }, prompts: {}, resources: {} }} Tools */

const [, , protocolVersion = '', url = ''] = process.argv;
/** @type {import('tenon').Client<{ types?: Tools }>} */
const client = await connect(url, { protocolVersion });

await runWorker(async text => {
  const { content } = await client.tools.echo({ text });
  return content[0]?.type === 'text' && content[0].text;
});
