import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NodeExchange } from './node-exchange.js';

/** Handles one request, and returns the socket of its client. */
async function serveOne(handle: (exchange: NodeExchange) => void, target = '/') {
  const server = createServer((request, response) => handle(new NodeExchange(request, response, undefined)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  return socket;
}

describe('NodeExchange', () => {
  it('sends the head of a stream and its first event together', async () => {
    const socket = await serveOne(exchange => {
      exchange.stream(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    });
    const [first] = await once(socket, 'data');
    socket.destroy();
    expect(String(first)).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\r\n\r\n9\r\ndata: 1\n\n\r\n$/s);
  });

  it.each([
    ['http://localhost/mcp?a=b', '/mcp', 'a=b'],
    ['HTTPS://localhost:1/mcp', '/mcp', ''],
    ['//mcp?http://x/', '//mcp', 'http://x/'],
  ])('reads the path and the query of the target %s', async (target, path, query) => {
    const socket = await serveOne(exchange => exchange.reply(200, `${exchange.path} ${exchange.query}`), target);
    const [first] = await once(socket, 'data');
    socket.destroy();
    expect(String(first)).toMatch(/200 OK/);
    expect(String(first).split('\r\n\r\n')[1]).toBe(`${path} ${query}`);
  });

  it('sends a stream that ends at once in one piece', async () => {
    const socket = await serveOne(exchange => {
      const stream = exchange.stream(200, { 'content-type': 'text/event-stream' });
      stream.write('data: 1\n\n');
      stream.end();
    });
    const [first] = await once(socket, 'data');
    socket.destroy();
    expect(String(first)).toMatch(/data: 1\n\n\r\n0\r\n\r\n$/);
  });

  it('calls each listener once when the client closes the connection', async () => {
    const calls: string[] = [];
    let resolveClosed = () => {};
    const closed = new Promise<void>(resolve => {
      resolveClosed = resolve;
    });
    const socket = await serveOne(exchange => {
      exchange.raw.socket.once('close', () => setImmediate(resolveClosed));
      for (const name of ['a', 'b', 'c']) exchange.onClientClosed(() => calls.push(name));
      exchange.stream(200, {}).write('data: 1\n\n');
    });
    await once(socket, 'data');
    socket.destroy();
    await closed;
    expect(calls).toEqual(['a', 'b', 'c']);
  });

  it('calls no listener of a response that was sent in full', async () => {
    const calls: string[] = [];
    let resolveClosed = () => {};
    const closed = new Promise<void>(resolve => {
      resolveClosed = resolve;
    });
    const socket = await serveOne(exchange => {
      exchange.onClientClosed(() => calls.push('closed'));
      exchange.reply(200, '{}');
      exchange.raw.socket.once('close', () => setImmediate(resolveClosed));
    });
    await once(socket, 'data');
    socket.destroy();
    await closed;
    expect(calls).toEqual([]);
  });
});
