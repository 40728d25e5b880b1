// @ts-check
/** The floor: bare `node:http` that parses the body and answers canned. It checks nothing. `mode` is the protocol version that it speaks; ` kept` after it: the bytes of its list are kept. */
import { beginStream, frame, reply, replyText, resultFields, serve, serverInfo } from './plain-server.mjs';
import { plainListing, plainTools, toolFunctions } from './plain-tools.mjs';

/** @typedef {import('./plain-server.mjs').Json} Json */

const setup = JSON.parse(process.argv[2] ?? '');
const [version = '', kept] = setup.mode.split(' ');
const { before, after, cache } = /** @type {import('./plain-server.mjs').ResultFields} */ (resultFields[version]);
const tools = plainTools(setup);
const listing = { ...before, tools: plainListing(setup), ...cache, ...after };
const listingText = JSON.stringify(listing);
const opening =
  version === '2026-07-28'
    ? { ...before, supportedVersions: [version], capabilities: { tools: {} }, ...cache, ...after }
    : { protocolVersion: version, capabilities: { tools: {} }, serve, serverInfo };

serve((_, response, text) => {
  const { id, method, params } = JSON.parse(text);
  if (id === undefined) return void response.writeHead(202).end();
  if (method === 'tools/list' && kept)
    return replyText(response, 200, `{"jsonrpc":"2.0","id":${id},"result":${listingText}}`);
  if (method === 'tools/list') return reply(response, 200, { jsonrpc: '2.0', id, result: listing });
  if (method !== 'tools/call') return reply(response, 200, { jsonrpc: '2.0', id, result: opening });
  if (params.name === 'steps') return steps(response, id, params);
  const said = tools.get(params.name)?.run(params.arguments, () => {});
  const answer = (/** @type {unknown} */ text) =>
    reply(response, 200, { jsonrpc: '2.0', id, result: { ...before, content: [{ type: 'text', text }], ...after } });
  if (said instanceof Promise) said.then(answer);
  else answer(said);
});

/** Writes the frames. @param {import('node:http').ServerResponse} response @param {Json} id @param {Json} params */
async function steps(response, id, { arguments: given, _meta: { progressToken } }) {
  beginStream(response);
  const text = await toolFunctions.steps(given, (progress, total) => {
    const params = { progressToken, progress, total };
    response.write(frame({ jsonrpc: '2.0', method: 'notifications/progress', params }));
  });
  response.end(frame({ jsonrpc: '2.0', id, result: { ...before, content: [{ type: 'text', text }], ...after } }));
}
