import Fastify from 'fastify';
import { createHandler } from 'tenon/http';
import { toNode } from 'tenon/node';
import { server } from '../notes/server.ts';

const port = Number(process.argv[2] ?? 3000);
const handler = createHandler(server);

const app = Fastify();
for (const path of ['/mcp', '/sse', '/messages']) app.all(path, toNode(handler));
app.addHook('preClose', () => handler.close()); // ends streams, so that Fastify can close

await app.listen({ port, host: '127.0.0.1' });
console.log(`http://127.0.0.1:${port}/mcp`);
process.once('SIGTERM', () => void app.close());
