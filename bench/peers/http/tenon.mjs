// @ts-check
/** Tenon on a port of its own, as it comes. It serves all protocol versions at once. */
import { createServer, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { serverInfo, tools } from './tools.mjs';

const server = createServer({
  ...serverInfo,
  tools: Object.fromEntries(
    tools.map(({ name, description, input, run }) => [
      name,
      tool({ description, input, run: (given, ctx) => run(given, (done, total) => ctx.progress(done, total)) }),
    ]),
  ),
});
const { url } = await serveHttp(server, { port: 0 });
console.log(url);
