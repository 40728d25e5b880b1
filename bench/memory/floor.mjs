// @ts-check
/**
 * The floor: what a client and a server in one process cannot do without. `node floor.mjs text|objects`: messages cross
 * as text, as over every other transport, or as they are. The client gives ids and keeps who waits; the server looks the method
 * and the tool up, checks the argument, and builds the result; each answers in a turn of its own.
 */
import { runWorker } from '../worker.mjs';

/** @typedef {{ [key: string]: any }} Json */

const asText = process.argv[2] === 'text';
const encode = (/** @type {Json} */ message) => (asText ? JSON.stringify(message) : message);
const decode = (/** @type {Json | string} */ message) => (typeof message === 'string' ? JSON.parse(message) : message);

/** @type {Map<number, (answer: Json) => void>} */
const waiting = new Map();
let last = 0;

/** @type {Map<string, (given: Json) => Json | Promise<Json>>} */
const tools = new Map([['echo', async ({ text }) => ({ content: [{ type: 'text', text }] })]]);
/** @type {Map<string, (params: Json) => Json | Promise<Json>>} */
const methods = new Map([['tools/call', call]]);

/** @param {Json} params */
function call({ name, arguments: given }) {
  const run = tools.get(name);
  if (run === undefined) throw new Error(`Unknown tool: ${name}`);
  if (typeof given?.text !== 'string') return { content: [], isError: true };
  return run(given);
}

/** @param {Json | string} message */
async function serve(message) {
  const { jsonrpc, id, method, params } = decode(message);
  const run = methods.get(method);
  if (jsonrpc !== '2.0' || run === undefined) throw new Error(`${method} is not served`);
  const answer = encode({ jsonrpc: '2.0', id, result: await run(params) });
  queueMicrotask(() => receive(answer));
}

/** @param {Json | string} message */
function receive(message) {
  const answer = decode(message);
  const resolve = waiting.get(answer.id);
  waiting.delete(answer.id);
  resolve?.(answer.result);
}

/** @param {string} method @param {Json} params @returns {Promise<Json>} */
function request(method, params) {
  last += 1;
  const id = last;
  return new Promise(resolve => {
    waiting.set(id, resolve);
    const message = encode({ jsonrpc: '2.0', id, method, params });
    queueMicrotask(() => void serve(message));
  });
}

await runWorker(async text => (await request('tools/call', { name: 'echo', arguments: { text } })).content[0].text);
