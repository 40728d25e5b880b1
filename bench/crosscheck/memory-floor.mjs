// @ts-check
/** The floor in memory: requests and responses cross as references, each side in a turn of its own. */
import { serveParent } from './worker.mjs';

/** @typedef {{ id: number, method: string, params: { name: string, arguments: { text: unknown } } }} Request */
/** @typedef {{ id: number, result: { content: { type: string, text: string }[] } }} Response */

/** @type {Map<string, (given: any) => Promise<string>>} */
const tools = new Map([['echo', async ({ text }) => text]]);
/** @type {Map<number, (response: Response) => void>} */
const pending = new Map();
let last = 0;

/** @param {Request} request */
async function serve({ id, method, params }) {
  const run = tools.get(params.name);
  if (method !== 'tools/call' || run === undefined || typeof params.arguments.text !== 'string')
    throw new Error('invalid request');
  const response = { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: await run(params.arguments) }] } };
  queueMicrotask(() => receive(response));
}

/** @param {Response} response */
function receive(response) {
  const resolve = pending.get(response.id);
  pending.delete(response.id);
  resolve?.(response);
}

await serveParent(async text => {
  last += 1;
  const id = last;
  /** @type {Response} */
  const { result } = await new Promise(resolve => {
    pending.set(id, resolve);
    const request = { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'echo', arguments: { text } } };
    queueMicrotask(() => void serve(request));
  });
  return result.content[0]?.text;
});
