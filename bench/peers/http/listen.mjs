// @ts-check
/** Listens on a free port of loopback, and says where. @param {import('node:http').Server} server */
export function listen(server) {
  server.keepAliveTimeout = 65_000;
  server.listen(0, '127.0.0.1', () => {
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    console.log(`http://127.0.0.1:${port}/mcp`);
  });
}
