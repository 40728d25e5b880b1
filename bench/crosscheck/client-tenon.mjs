// @ts-check
/** Tenon's client over HTTP: `node client-tenon.mjs VERSION URL`. */
import { connect } from 'tenon';
import { serveParent } from './worker.mjs';

const [, , protocolVersion = '', url = ''] = process.argv;
const client = await connect(url, { protocolVersion: /** @type {'2025-11-25'} */ (protocolVersion) });

await serveParent(async text => {
  const { content } = await client.callTool('echo', { text });
  return content[0]?.type === 'text' && content[0].text;
});
