// @ts-check
/** An HTTP proxy of bare Node in front of one server: it keeps connections and passes bytes on. `node proxy.mjs URL`. */
import { Agent, createServer, request } from 'node:http';

const agent = new Agent({ keepAlive: true });
const { hostname, port, pathname: path } = new URL(process.argv[2] ?? '');

const listening = createServer((incoming, response) => {
  const { method = 'POST', headers } = incoming;
  const sent = request({ agent, hostname, port, path, method, headers }, reply => {
    response.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(response);
  });
  sent.on('error', () => response.destroy());
  incoming.pipe(sent);
});
listening.keepAliveTimeout = 65_000;
listening.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (listening.address()).port}/mcp`);
});
process.on('SIGTERM', () => process.exit(0));
