/** A server over stdio without any library: one tool. Writes a file when it is started. */
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [, , marks, word] = process.argv;
appendFileSync(marks, `${word}\n`);

const answers = {
  initialize: () => ({
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'plain', version: '1' },
  }),
  'tools/list': () => ({ tools: [{ name: 'hello', inputSchema: { type: 'object' } }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'hello' }] }),
};

createInterface({ input: process.stdin }).on('line', line => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  const result = answer ? { result: answer() } : { error: { code: -32601, message: 'Method not found' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...result })}\n`);
});
