import express from 'express';
import { createHandler } from 'tenon/http';
import { toNode } from 'tenon/node';
import { server } from '../notes/server.ts';

const port = Number(process.argv[2] ?? 3000);
const handler = createHandler(server);

const app = express();
app.use(express.json()); // a body that was parsed already is taken as it is
app.use(toNode(handler)); // serves /mcp, /sse and /messages; everything else goes on
app.use((_, response) => void response.writeHead(404).end('The notes are at /mcp\n'));

const listening = app.listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}/mcp`));
process.once('SIGTERM', () => {
  listening.close();
  void handler.close();
});
