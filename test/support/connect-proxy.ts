import { createServer, request as sendRequest } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** Request that the proxy got. */
export interface ProxiedRequest {
  /** Method: `CONNECT` for a tunnel. */
  readonly method: string;
  /** `HOST:PORT` of a tunnel, or the whole URL of a plain request. */
  readonly target: string;
  readonly credentials: string | undefined;
}

export interface ConnectProxyOptions {
  /** Port on loopback of each `HOST:PORT` or `HOST`. The proxy resolves names itself, and no other one can. */
  readonly hosts: Readonly<Record<string, number>>;
  /**
   * Value of `Proxy-Authorization` that the proxy requires.
   * @default none
   */
  readonly credentials?: string;
}

/** Starts an HTTP proxy on loopback, with tunnels (CONNECT) and plain requests. */
export async function startConnectProxy({ hosts, credentials }: ConnectProxyOptions) {
  const seen: ProxiedRequest[] = [];
  const sockets = new Set<Socket>();
  const find = (host: string): number | undefined => hosts[host] ?? hosts[host.replace(/:\d+$/, '')];
  const isAdmitted = (given: string | undefined) => credentials === undefined || given === credentials;
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const { 'proxy-authorization': given, ...passed } = headers;
    seen.push({ method, target: url, credentials: given });
    const target = new URL(url);
    const port = find(target.host);
    if (!isAdmitted(given)) return void response.writeHead(407).end();
    if (port === undefined) return void response.writeHead(403).end();
    const path = target.pathname + target.search;
    const forwarded = sendRequest({ host: '127.0.0.1', port, method, path, headers: passed }, reply => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    request.pipe(forwarded);
  });
  server.on('connect', ({ url = '', headers }, socket: Socket, head: Buffer) => {
    const given = headers['proxy-authorization'];
    seen.push({ method: 'CONNECT', target: url, credentials: given });
    const port = find(url);
    const status = isAdmitted(given)
      ? port === undefined
        ? '403 Forbidden'
        : undefined
      : '407 Proxy Authentication Required';
    if (status !== undefined || port === undefined) return void socket.end(`HTTP/1.1 ${status}\r\n\r\n`);
    const upstream = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    for (const each of [socket, upstream]) {
      sockets.add(each);
      each.on('error', () => each.destroy());
    }
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    seen,
    /** Address without a scheme: `127.0.0.1:PORT`. */
    address: `127.0.0.1:${port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
