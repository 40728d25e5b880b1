// @ts-check
/** The programs whose bundles are measured. Their schemas are plain JSON Schema, so that no schema library is in them. */

const tenonTools = `tools: { echo: tool({
  input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  run: ({ text }) => text,
}) }`;
const tenonServer = `import { createServer, tool } from 'tenon';
const server = createServer({ name: 'echo', version: '1.0.0', ${tenonTools} });`;
const officialServer = `import { McpServer, fromJsonSchema } from '@modelcontextprotocol/server';
const make = () => {
  const server = new McpServer({ name: 'echo', version: '1.0.0' });
  const inputSchema = fromJsonSchema({ type: 'object', properties: { text: { type: 'string' } }, required: ['text'] });
  server.registerTool('echo', { inputSchema }, ({ text }) => ({ content: [{ type: 'text', text }] }));
  return server;
};`;

/** @typedef {{ name: string, source: string, platform: 'node' | 'browser' | 'neutral', limit?: number, budget?: Budget, external?: string[] }} Program */
/** Most KiB of one file, and of what is loaded at start where the program is split. @typedef {{ oneFile: number, atStart: number }} Budget */

/** Limits are KiB, minified and gzipped. @type {readonly Program[]} */
export const bundles = [
  {
    name: 'Tenon: stdio server',
    source: `import { serveStdio } from 'tenon/stdio';\n${tenonServer}\nserveStdio(server);`,
    platform: 'node',
    limit: 40,
    budget: { oneFile: 88.9, atStart: 73.1 },
  },
  {
    name: 'Tenon: HTTP server on Node',
    source: `import { serveHttp } from 'tenon/node';\n${tenonServer}\nserveHttp(server);`,
    platform: 'node',
    limit: 45,
    budget: { oneFile: 115.2, atStart: 89.8 },
  },
  {
    name: 'Tenon: fetch handler',
    source: `import { createHandler } from 'tenon/http';\n${tenonServer}\nexport default { fetch: createHandler(server) };`,
    platform: 'browser',
    limit: 45,
    budget: { oneFile: 111.5, atStart: 87.2 },
  },
  {
    name: 'Tenon: client on Node',
    source: `import { connect } from 'tenon';\nexport const client = await connect('http://localhost:3000/mcp');`,
    platform: 'node',
    limit: 42,
    budget: { oneFile: 83.9, atStart: 75.9 },
  },
  {
    name: 'Tenon: client in browsers',
    source: `import { connect } from 'tenon';\nexport const client = await connect('http://localhost:3000/mcp');`,
    platform: 'browser',
    limit: 42,
    budget: { oneFile: 73, atStart: 66.3 },
  },
  {
    name: 'official v2: stdio server',
    source: `import { serveStdio } from '@modelcontextprotocol/server/stdio';\n${officialServer}\nserveStdio(make);`,
    platform: 'node',
  },
  {
    name: 'official v2: fetch handler',
    source: `import { createMcpHandler } from '@modelcontextprotocol/server';\n${officialServer}\nexport default createMcpHandler(make);`,
    platform: 'node',
  },
  {
    name: 'official v2: client',
    source: `import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
export const client = new Client({ name: 'a', version: '1' });
await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost:3000/mcp')));`,
    platform: 'browser',
  },
];

/** Programs of `@tenon/apps`, which is installed beside the library. @type {readonly Program[]} */
export const appBundles = [
  {
    name: 'Tenon: page of an app',
    source: `import { connectToHost } from '@tenon/apps/page';\nexport const host = await connectToHost({ name: 'a', version: '1' });`,
    platform: 'browser',
    budget: { oneFile: 5, atStart: 5 },
  },
  {
    name: 'Tenon: host of apps',
    source: `import { isVisibleTo, readApp, showApp } from '@tenon/apps/host';\nexport { isVisibleTo, readApp, showApp };`,
    platform: 'browser',
    budget: { oneFile: 12, atStart: 12 },
  },
];
