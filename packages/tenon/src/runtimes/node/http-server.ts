import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Service } from '../../conversation/service.js';
import { getCallerKey } from '../../jsonrpc/caller-key.js';
import { TenonError } from '../../jsonrpc/error.js';
import { SharedLimit } from '../../jsonrpc/shared-limit.js';
import { type CloseOptions, createEndpoint, type Endpoint } from '../../transports/http/endpoint.js';
import { type HandlerOptions, resolveSsePath } from '../../transports/http/options.js';
import { NodeExchange } from './http-server-exchange.js';

export interface ServeHttpOptions extends HandlerOptions {
  /** Default 3000; 0 for one that is free. */
  readonly port?: number | undefined;
  /**
   * The address to listen on. Default `127.0.0.1`. Any other lets other machines call: they are as trusted as
   * `auth` and `authorize` make them. Without both, `serveHttp` emits a process warning with the code `TENON_UNAUTHENTICATED`.
   */
  readonly host?: string | undefined;
  /** Emits no warning when other machines may call without authorization. Default false. */
  readonly allowUnauthenticated?: boolean | undefined;
  /** Milliseconds for which an idle connection is kept. Default 65 s, more than what proxies in front keep theirs. */
  readonly keepAliveTimeout?: number | undefined;
  /** Milliseconds in which the head of a request must arrive. Default 10 s: a slow sender holds no connection for long. */
  readonly headersTimeout?: number | undefined;
  /** Milliseconds in which a whole request must arrive. Default 60 s. Answers may take as long as they like. */
  readonly requestTimeout?: number | undefined;
  /** Connections that are open at once. Default 20,000, of which one address may hold the part that `bounds.maxShare` allows. */
  readonly connections?: number | undefined;
}

/** A server that listens. */
export interface HttpServer {
  /** Where Streamable HTTP is served: what a client is given. */
  readonly url: string;
  /** Where the two-endpoint transport is served, if it is. */
  readonly sseUrl: string | undefined;
  readonly port: number;
  /** Stops listening, lets what runs come to its end, then frees the port. */
  close(options?: CloseOptions): Promise<void>;
}

/**
 * Serves over HTTP on a port of this machine. Rejects with `serve/port-taken`, `serve/port-denied` or `serve/listen` when
 * it can not listen, and with `serve/options` for a port that is none.
 */
export async function serveHttp(service: Service, options: ServeHttpOptions = {}): Promise<HttpServer> {
  const { port = 3000, host = '127.0.0.1', path = '/mcp' } = options;
  requirePort(port);
  const ssePath = resolveSsePath(options);
  const endpoint = createEndpoint(service, { ...options, allowedHosts: hostsWith(host, options.allowedHosts) });
  const server = createServer(
    {
      keepAliveTimeout: options.keepAliveTimeout ?? 65_000,
      ...timeLimits(options),
      noDelay: true,
    },
    (request, response) => endpoint.handle(new NodeExchange(request, response, endpoint.unread)),
  );
  limitConnections(server, options);
  await listen(server, port, host);
  warnUnauthenticated(host, options);
  const bound = (server.address() as AddressInfo).port;
  const origin = `http://${authority(host)}:${bound}`;
  let closed: Promise<void> | undefined;
  return {
    url: origin + (path === '*' ? '/' : path),
    sseUrl: ssePath === false ? undefined : origin + ssePath,
    port: bound,
    close: closeOptions => {
      closed ??= close(server, endpoint, closeOptions);
      return closed;
    },
  };
}

/** Says once that any machine that reaches the port may call. */
function warnUnauthenticated(host: string, { auth, authorize, allowUnauthenticated = false }: ServeHttpOptions): void {
  if (auth || authorize || allowUnauthenticated || /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i.test(host)) return;
  const next = 'Pass `auth` or `authorize`, listen on 127.0.0.1, or pass `allowUnauthenticated: true` to accept this.';
  process.emitWarning(
    `serveHttp: every machine that reaches ${host} can call this server without authorization. ${next}`,
    {
      type: 'TenonWarning',
      code: 'TENON_UNAUTHENTICATED',
    },
  );
}

function requirePort(port: number): void {
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return;
  throw new TenonError('serve/options', 'the options of serveHttp: `port` is unfit', {
    expected: 'an integer from 0 to 65535, where 0 takes a free one',
    got: typeof port === 'number' ? String(port) : `a ${typeof port}`,
  });
}

/** Drops connections beyond the limit, and those of an address whose share is used up. */
function limitConnections(server: Server, { connections = 20_000, bounds }: ServeHttpOptions): void {
  server.maxConnections = connections;
  const open = new SharedLimit(connections, bounds?.maxShare);
  server.on('connection', socket => {
    const caller = getCallerKey(undefined, socket.remoteAddress);
    if (!open.take(caller)) return socket.destroy();
    socket.once('close', () => open.release(caller));
  });
}

const HEADERS_TIMEOUT = 10_000;
const REQUEST_TIMEOUT = 60_000;
/** Time between two looks at connections that are late, in ms. Node looks every 30 s otherwise. */
const CHECK_INTERVAL = 500;

/** Time limits of a server of `node:http` that hold as they are documented. */
function timeLimits({ headersTimeout, requestTimeout }: Pick<ServeHttpOptions, 'headersTimeout' | 'requestTimeout'>) {
  const whole = requestTimeout ?? REQUEST_TIMEOUT;
  return {
    // Node refuses a time for the head that is longer than that for the whole.
    headersTimeout: headersTimeout ?? (whole > 0 ? Math.min(HEADERS_TIMEOUT, whole) : HEADERS_TIMEOUT),
    requestTimeout: whole,
    connectionsCheckingInterval: CHECK_INTERVAL,
  };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException): void => reject(listenError(error, port, host));
    server.once('error', failed);
    server.listen({ port, host }, () => {
      server.off('error', failed);
      resolve();
    });
  });
}

function listenError(error: NodeJS.ErrnoException, port: number, host: string): TenonError {
  const where = `${authority(host)}:${port}`;
  if (error.code === 'EADDRINUSE') {
    const next = `stop the program that listens there, or choose another port, such as ${port + 1}`;
    return new TenonError('serve/port-taken', `${where} is taken`, { next, cause: error });
  }
  if (error.code === 'EACCES') {
    const next = 'ports below 1024 need privileges on most systems: choose a higher one';
    return new TenonError('serve/port-denied', `may not listen on ${where}`, { next, cause: error });
  }
  const next = `check that ${host} is an address of this machine`;
  return new TenonError('serve/listen', `can not listen on ${where}: ${error.code ?? error.message}`, {
    next,
    cause: error,
  });
}

async function close(server: Server, endpoint: Endpoint, options?: CloseOptions): Promise<void> {
  const ended = new Promise<void>(resolve => server.close(() => resolve()));
  await endpoint.close(options);
  server.closeIdleConnections();
  // What was answered last may still be on its way out; whoever does not take it in time is not waited for.
  const late = setTimeout(() => server.closeAllConnections(), 1000);
  await ended;
  clearTimeout(late);
}

/** The name that one listens on by is a name that one may be called by. */
function hostsWith(host: string, allowed: HandlerOptions['allowedHosts']): readonly string[] | '*' {
  return allowed === '*' ? '*' : [...(allowed ?? []), host];
}

/** How an address is written in a URL. What listens everywhere is called by its loopback name. */
function authority(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
