import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type Clock,
  checkAnything,
  checkBoolean,
  checkEither,
  checkFunction,
  checkOptional,
  checkOptions,
  checkRange,
  checkString,
  getCallerKey,
  isLoopbackHost,
  type OptionChecks,
  requireOptions,
  SharedLimit,
  sleep,
  TenonError,
  toUrlHost,
} from '@tenon/base';
import { requireRequestHandler } from '../../../protocol/check-request-handler.js';
import type { RequestHandler } from '../../../protocol/request-handler.js';
import { type CloseOptions, createHttpEndpoint, type HttpEndpoint } from '../../../transports/http/server/endpoint.js';
import { handlerChecks, requireCloseOptions } from '../../../transports/http/server/option-checks.js';
import { type HandlerOptions, resolveClock, resolveSsePath } from '../../../transports/http/server/options.js';
import { NodeExchange } from './node-exchange.js';
import { nodeHttp } from './node-http.js';

/** Options of `serveHttp`. */
export interface ServeHttpOptions extends HandlerOptions {
  /**
   * Port to listen on. 0 selects a free port.
   * @default 3,000
   */
  readonly port?: number | undefined;
  /**
   * Address to listen on. With any other address than loopback, other machines can call the server. Protect it with
   * `auth` or `authorize`; without both, `serveHttp` emits a process warning with the code `TENON_UNAUTHENTICATED`.
   * @default `127.0.0.1`
   */
  readonly host?: string | undefined;
  /**
   * Suppresses the warning about calls of other machines without authorization.
   * @default `false`
   */
  readonly allowUnauthenticated?: boolean | undefined;
  /**
   * Time for which an idle connection is kept, in milliseconds. It should be longer than in a proxy in front of the
   * server.
   * @default 65,000
   */
  readonly keepAliveTimeout?: number | undefined;
  /**
   * Maximum time for the head of a request to arrive, in milliseconds.
   * @default 10,000
   */
  readonly headersTimeout?: number | undefined;
  /**
   * Maximum time for a whole request to arrive, in milliseconds. Responses have no time limit.
   * @default 60,000
   */
  readonly requestTimeout?: number | undefined;
  /**
   * Maximum number of open connections. One address may hold the share that `limits.maxShare` allows.
   * @default 20,000
   */
  readonly maxConnections?: number | undefined;
  /**
   * Processes that share the port; `'auto'`: one for each processor. Each runs the whole program again, and serves in
   * it. The first process starts them, replaces those that end, and holds the values of servers without `stores` of
   * their own. Limits hold for each worker.
   * @default 1: this process serves by itself
   */
  readonly workers?: number | 'auto' | undefined;
  /**
   * Closes the server on SIGTERM and SIGINT, and then exits the process with 0. A second signal ends the process at once.
   * @default `false`: the program handles signals
   */
  readonly exitOnSignal?: boolean | ExitOnSignalOptions | undefined;
}

/** Options of `exitOnSignal`. */
export interface ExitOnSignalOptions extends CloseOptions {
  /**
   * Called after the server has closed and before the process exits: close the server and its stores here. It may take
   * up to 10 seconds.
   * @default nothing is called
   */
  readonly onClose?: (() => unknown) | undefined;
}

const amount = checkOptional(checkRange('a number of at least 0', 0));

const exitChecks: OptionChecks<ExitOnSignalOptions> = {
  timeout: amount,
  delay: amount,
  onClose: checkOptional(checkFunction),
};

const serveChecks: OptionChecks<ServeHttpOptions> = {
  // `serve` checks it.
  port: checkAnything,
  host: checkOptional(checkString),
  ...handlerChecks,
  allowUnauthenticated: checkOptional(checkBoolean),
  keepAliveTimeout: amount,
  headersTimeout: amount,
  requestTimeout: amount,
  maxConnections: amount,
  // `serveWithWorkers` checks it.
  workers: checkAnything,
  exitOnSignal: checkOptional(checkEither(checkBoolean, checkOptions(exitChecks))),
};

/** An HTTP server that listens on a port. */
export interface HttpServer {
  /** URL of Streamable HTTP for clients. */
  readonly url: string;
  /** URL of HTTP+SSE. Undefined if it is off. */
  readonly sseUrl: string | undefined;
  /** TCP port on which the server listens. */
  readonly port: number;
  /**
   * Makes `/readyz` respond with 503 and waits for `delay`. Then it stops listening, waits for requests in progress, and
   * releases the port.
   */
  close(options?: CloseOptions): Promise<void>;
}

/**
 * Starts an HTTP server for an MCP server, on a port of this machine.
 * @throws TenonError `serve/port-taken`, `serve/port-denied` or `serve/listen` when it cannot listen; `serve/options`
 * for an unknown option or an invalid value; `serve/worker` when a worker ends before it listens.
 */
export async function serveHttp(service: RequestHandler, options: ServeHttpOptions = {}): Promise<HttpServer> {
  requireRequestHandler(service, true);
  requireOptions('serveHttp', options, serveChecks, 'serve/options');
  const { exitOnSignal = false } = options;
  if (exitOnSignal === false) return serveInProcesses(() => serve(service, options), options);
  const { serveUntilSignal } = await import('./exit-on-signal.js');
  return serveUntilSignal(
    wrap => serveInProcesses(async () => wrap(await serve(service, options)), options),
    exitOnSignal === true ? {} : exitOnSignal,
  );
}

async function serveInProcesses(serveHere: () => Promise<HttpServer>, options: ServeHttpOptions): Promise<HttpServer> {
  if (options.workers === undefined) return serveHere();
  const { serveWithWorkers } = await import('../workers/serve-with-workers.js');
  return serveWithWorkers(serveHere, options);
}

const HEADERS_TIMEOUT = 10_000;
const REQUEST_TIMEOUT = 60_000;
/** Interval of checks for late connections, in milliseconds. By default Node checks every 30 s. */
const CHECK_INTERVAL = 500;

async function serve(service: RequestHandler, options: ServeHttpOptions): Promise<HttpServer> {
  const { port = 3000, host = '127.0.0.1', path = '/mcp' } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new TenonError('serve/options', 'invalid option `port` of serveHttp', {
      expected: 'an integer from 0 to 65535, where 0 selects a free port',
      received: typeof port === 'number' ? String(port) : `a ${typeof port}`,
    });
  const ssePath = resolveSsePath(options);
  // The host name on which the server listens is allowed as `Host`.
  const allowedHosts = options.allowedHosts === '*' ? '*' : [...(options.allowedHosts ?? []), host];
  const endpoint = createHttpEndpoint(service, { ...options, allowedHosts });
  const requestTimeout = options.requestTimeout ?? REQUEST_TIMEOUT;
  // Node refuses a timeout for the head that is longer than the timeout for the whole request.
  const maxHeadersTimeout = requestTimeout > 0 ? Math.min(HEADERS_TIMEOUT, requestTimeout) : HEADERS_TIMEOUT;
  const server = nodeHttp.createServer(
    {
      keepAliveTimeout: options.keepAliveTimeout ?? 65_000,
      headersTimeout: options.headersTimeout ?? maxHeadersTimeout,
      requestTimeout,
      connectionsCheckingInterval: CHECK_INTERVAL,
      noDelay: true,
    },
    (request, response) => endpoint.handle(new NodeExchange(request, response, endpoint.unread)),
  );
  limitConnections(server, options);
  await listen(server, port, host);
  warnUnauthenticated(host, options);
  const boundPort = (server.address() as AddressInfo).port;
  const origin = `http://${toUrlHost(host)}:${boundPort}`;
  let closed: Promise<void> | undefined;
  return {
    url: origin + (path === '*' ? '/' : path),
    sseUrl: ssePath === false ? undefined : origin + ssePath,
    port: boundPort,
    async close(closeOptions = {}) {
      requireCloseOptions(closeOptions);
      closed ??= close(server, endpoint, resolveClock(options), closeOptions);
      return closed;
    },
  };
}

/** Emits a warning once if any machine that reaches the port may call the server. */
function warnUnauthenticated(host: string, { auth, authorize, allowUnauthenticated = false }: ServeHttpOptions): void {
  if (auth || authorize || allowUnauthenticated || isLoopbackHost(host)) return;
  const next = 'Pass `auth` or `authorize`, listen on 127.0.0.1, or pass `allowUnauthenticated: true` to accept this.';
  process.emitWarning(
    `serveHttp: every machine that reaches ${host} can call this server without authorization. ${next}`,
    {
      type: 'TenonWarning',
      code: 'TENON_UNAUTHENTICATED',
    },
  );
}

/** Drops connections beyond the limit, and those of an address that exceeds its share. */
function limitConnections(server: Server, { maxConnections = 20_000, limits }: ServeHttpOptions): void {
  server.maxConnections = maxConnections;
  const open = new SharedLimit(maxConnections, limits?.maxShare);
  server.on('connection', socket => {
    const caller = getCallerKey(undefined, socket.remoteAddress);
    if (!open.take(caller)) return socket.destroy();
    // Node emits `close` once; `once` would allocate a wrapper for each connection.
    socket.on('close', () => open.release(caller));
  });
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => reject(listenError(error, port, host));
    server.once('error', onError);
    server.listen({ port, host }, () => {
      server.off('error', onError);
      resolve();
    });
  });
}

function listenError(error: NodeJS.ErrnoException, port: number, host: string): TenonError {
  const address = `${toUrlHost(host)}:${port}`;
  if (error.code === 'EADDRINUSE') {
    const hint = `stop the other program, or choose another port, such as ${port + 1}`;
    return new TenonError('serve/port-taken', `the address ${address} is already in use`, { hint, cause: error });
  }
  if (error.code === 'EACCES') {
    const hint = 'choose a port from 1024 on, because lower ports need privileges on most systems';
    return new TenonError('serve/port-denied', `no permission to listen on ${address}`, { hint, cause: error });
  }
  const hint = `check that ${host} is an address of this machine`;
  return new TenonError('serve/listen', `cannot listen on ${address}: ${error.code ?? error.message}`, {
    hint,
    cause: error,
  });
}

async function close(
  server: Server,
  endpoint: HttpEndpoint,
  clock: Clock,
  { timeout, delay = 0 }: CloseOptions = {},
): Promise<void> {
  endpoint.startDraining();
  if (delay > 0) await sleep(clock, delay);
  const ended = new Promise<void>(resolve => server.close(() => resolve()));
  await endpoint.close({ timeout });
  server.closeIdleConnections();
  // The last response may still be on its way. The server does not wait for a client that reads it too slowly.
  const forceTimer = setTimeout(() => server.closeAllConnections(), 1000);
  await ended;
  clearTimeout(forceTimer);
}
