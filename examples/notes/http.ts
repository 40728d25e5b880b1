import { parseArgs } from 'node:util';
import { serveHttp } from 'tenon/node';
import { server } from './server.ts';

const { values } = parseArgs({ options: { port: { type: 'string', default: '3000' } } });
const { url, sseUrl, close } = await serveHttp(server, { port: Number(values.port) });

console.log(`
  Notes is served at

    ${url}    Streamable HTTP, every protocol version
    ${sseUrl}    HTTP+SSE, for clients of 2024-11-05

  Look at it      npx @modelcontextprotocol/inspector --cli ${url} --method tools/list
  Use it          claude mcp add --transport http notes ${url}
                  or in mcp.json: { "mcpServers": { "notes": { "url": "${url}" } } }
  From a program  npx tsx examples/notes/client.ts ${url}

  Ctrl+C ends it.
`);

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void close().then(() => process.exit(0)));
