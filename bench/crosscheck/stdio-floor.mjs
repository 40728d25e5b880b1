// @ts-check
/** The floor on stdio: `node stdio-floor.mjs VERSION` reads lines by `readline`, parses them, and writes each response. */
import { createInterface } from 'node:readline';

const version = process.argv[2];
const _meta = { 'io.modelcontextprotocol/serverInfo': { name: 'bench', version: '1.0.0' } };

/** @param {string} method @param {any} params @returns {object} */
function createResult(method, params) {
  if (method === 'tools/call') return { content: [{ type: 'text', text: params.arguments.text }] };
  if (method === 'tools/list') return { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] };
  const capabilities = { tools: {} };
  if (method === 'server/discover') return { supportedVersions: [version], capabilities };
  return { protocolVersion: version, capabilities, serverInfo: { name: 'bench', version: '1.0.0' } };
}

createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = createResult(method, params);
  if (version === '2026-07-28') Object.assign(result, { resultType: 'complete', _meta });
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
});
