// @ts-check
/** A server on stdio whose results are large: many notifications, a long text, an object with many members. */
import { createInterface } from 'node:readline';

/** @param {object} message */
const send = message => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

const inputSchema = { type: 'object', required: ['count'], properties: { count: { type: 'integer' } } };

/** @type {Record<string, (count: number) => object>} */
const tools = {
  flood(count) {
    for (let at = 1; at <= count; at += 1)
      send({ method: 'notifications/message', params: { level: 'info', data: `step ${at}` } });
    return { content: [{ type: 'text', text: `sent ${count}` }] };
  },
  text: count => ({
    content: [{ type: 'text', text: 'a line of text\n'.repeat(Math.ceil(count / 15)).slice(0, count) }],
  }),
};

/** Writes a result with many members. An object of a million members would take longer here than in the console. @param {number} count */
const writeMembers = count =>
  `{"content":[],"structuredContent":{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join()}}}`;

createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === 'initialize') {
    const serverInfo = { name: 'bench', version: '1.0.0' };
    send({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {}, logging: {} }, serverInfo } });
  } else if (method === 'tools/list') {
    send({ id, result: { tools: [...Object.keys(tools), 'members'].map(name => ({ name, inputSchema })) } });
  } else if (method === 'tools/call' && params.name === 'members') {
    process.stdout.write(
      `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${writeMembers(params.arguments.count)}}\n`,
    );
  } else if (method === 'tools/call') {
    send({ id, result: tools[params.name]?.(params.arguments.count) });
  } else {
    send({ id, error: { code: -32601, message: 'Method not found' } });
  }
});
