/** A server on standard streams that is sound, but for the fault that its argument names. */
import { createInterface } from 'node:readline';

const fault = process.argv[2];
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const tool = {
  name: 'look_up',
  description: 'Looks something up',
  annotations: { readOnlyHint: true },
  inputSchema: { type: 'object', properties: { name: { type: 'string', description: 'Name of it' } } },
};

const withProperty = any => ({
  ...tool,
  inputSchema: { type: 'object', properties: { ...tool.inputSchema.properties, any } },
});

const write = text => process.stdout.write(text);
const send = message => {
  const text = JSON.stringify(message);
  if (fault === 'framing') write(`Content-Length: ${text.length}\r\n\r\n${text}`);
  else if (fault === 'pretty') write(`${JSON.stringify(message, null, 2)}\n`);
  else write(`${text}\n`);
};

const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion:
      fault === 'future-version' ? '2099-01-01' : VERSIONS.includes(protocolVersion) ? protocolVersion : VERSIONS[0],
    capabilities: fault === 'undeclared' ? {} : { tools: {}, ...(fault === 'no-log-level' ? { logging: {} } : {}) },
    serverInfo: fault === 'no-name' ? undefined : { name: 'sound', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => {
    if (fault === 'null-members') return { tools: [{ ...tool, outputSchema: null, title: null }], nextCursor: null };
    if (fault === 'missing-list') return {};
    if (fault === 'list-output') return { tools: [{ ...tool, outputSchema: { type: 'array' } }] };
    if (fault === 'true-property') return { tools: [withProperty(true)] };
    return { tools: [tool] };
  },
  'tools/call': () => {
    if (fault === 'call-error') return { isError: true, content: [{ type: 'text', text: 'database is down' }] };
    if (fault === 'data-url')
      return { content: [{ type: 'image', data: 'data:image/png;base64,AAAA', mimeType: 'image/png' }] };
    if (fault === 'no-content') return { content: 'text' };
    return { content: [{ type: 'text', text: 'found' }] };
  },
};

function answer({ id, method, params }) {
  if (fault === 'silent' || id === undefined) return;
  if (fault === 'string-ids') id = String(id);
  if (fault === 'null-ids') id = null;
  const result = fault === 'no-ping' && method === 'ping' ? undefined : results[method]?.(params);
  if (result === undefined && fault === 'exit-on-unknown') process.exit(4);
  if (result === undefined) send({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
  else send({ ...(fault === 'no-jsonrpc' ? {} : { jsonrpc: '2.0' }), id, result });
  if (fault === 'crash' && method === 'tools/list') process.exit(3);
}

if (fault === 'missing-module') await import(['no-such', 'module-here'].join('-'));
if (fault === 'usage') {
  console.error('Usage: server --token TOKEN');
  process.exit(2);
}
if (fault === 'banner') write('Server is running\n');
if (fault === 'colors') write('\u001b[32mready\u001b[0m\n');
if (fault === 'stays') {
  setInterval(() => {}, 1000);
  process.on('SIGTERM', () => {});
}
if (fault === 'echo') process.stdin.pipe(process.stdout);
else
  createInterface({ input: process.stdin })
    .on('line', line => {
      const message = JSON.parse(line);
      if (fault === 'logs') write(`got ${message.method}\n`);
      answer(message);
    })
    .on('close', () => {
      if (fault !== 'stays') process.exit(0);
    });
