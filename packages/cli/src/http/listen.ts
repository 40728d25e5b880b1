import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { toUrlHost } from '@tenon/base';
import type { Host } from '@tenon/host';
import { TenonError } from 'tenon';
import { type CloseOptions, createHandler, type HttpHandler } from 'tenon/http';
import { type ServeHttpOptions, serveHttp, toNode } from 'tenon/node';
import { createCors, createEndpointSettings, type EndpointOptions } from '../options/endpoint-options.js';
import { DRAIN_TIMEOUT } from '../run-until-signal.js';
import type { HttpAuth } from './http-auth.js';

export interface ListenOptions
  extends EndpointOptions,
    Pick<ServeHttpOptions, 'port' | 'host' | 'allowedHosts' | 'limits' | 'health'> {
  /** Times of the end of the server. */
  readonly drain?: CloseOptions | undefined;
  /** Servers of each virtual server, by its name. Each virtual server has the endpoint `/NAME`. */
  readonly virtual?: Readonly<Record<string, readonly string[]>>;
  /**
   * Servers of the endpoint `/mcp`.
   * @default all
   */
  readonly servers?: readonly string[];
  /** Creates the authorization of the endpoint at a path. */
  readonly createAuth: (path?: string) => HttpAuth;
  readonly onError: (error: unknown) => void;
  /** Further HTTP endpoint with pages, such as those for sign-ins. */
  readonly pages?: Parameters<typeof toNode>[0] | undefined;
}

/** HTTP endpoint of the gateway. */
export interface ServedEndpoint {
  readonly url: string;
  readonly sseUrl?: string | undefined;
  /** Servers of the endpoint. Absent for all. */
  readonly servers?: readonly string[] | undefined;
}

export interface HttpListener {
  readonly endpoints: readonly ServedEndpoint[];
  close(): Promise<void>;
}

/** Serves a host over HTTP: all servers at `/mcp`, and each virtual server at its own path. */
export async function listen(host: Host, options: ListenOptions): Promise<HttpListener> {
  const { virtual = {}, servers, createAuth, onError, pages, drain, basePath, cors, health, ...rest } = options;
  const server = host.toServer(servers ? { servers } : {});
  if (pages || Object.keys(virtual).length > 0) return listenTogether(host, options);
  const { url, sseUrl, close } = await serveHttp(server, {
    ...rest,
    ...createEndpointSettings({ basePath, cors }, health ?? false),
    ...createAuth(),
    onError,
    // The command itself warns about missing authorization.
    allowUnauthenticated: true,
  });
  return { endpoints: [{ url, sseUrl, servers }], close: () => close(toCloseOptions(drain)) };
}

async function listenTogether(host: Host, options: ListenOptions): Promise<HttpListener> {
  const {
    virtual = {},
    servers,
    createAuth,
    onError,
    port = 3000,
    host: address = '127.0.0.1',
    limits,
    basePath = '',
    cors,
  } = options;
  const { allowedHosts = [] } = options;
  const names = allowedHosts === '*' ? '*' : [...allowedHosts, address];
  const shared = { allowedHosts: names, onError, ...createCors(cors), ...(limits ? { limits } : {}) } as const;
  const main = createEndpointSettings({ basePath, cors }, options.health ?? false);
  const handlers: { path: string; servers: readonly string[] | undefined; handler: HttpHandler }[] = [
    {
      path: main.path,
      servers,
      handler: createHandler(host.toServer(servers ? { servers } : {}), { ...main, ...shared, ...createAuth() }),
    },
    ...Object.entries(virtual).map(([name, chosen]) => {
      const path = `${basePath}/${name}`;
      const paths = { path, ssePath: `${path}/sse`, messagesPath: `${path}/messages`, ...createAuth(path) };
      const server = host.toServer({ name: `tenon-${name}`, servers: chosen });
      return { path, servers: chosen, handler: createHandler(server, { ...shared, ...paths }) };
    }),
  ];
  const server = createCombinedServer([
    ...handlers.map(({ handler }) => handler),
    ...(options.pages ? [options.pages] : []),
  ]);
  const origin = await startListening(server, port, address);
  return {
    endpoints: handlers.map(({ path, servers: chosen }) => ({
      url: origin + path,
      ...(path === main.path ? { sseUrl: origin + main.ssePath } : {}),
      servers: chosen,
    })),
    async close() {
      const closing = Promise.all(handlers.map(({ handler }) => handler.close(toCloseOptions(options.drain))));
      // New connections are accepted until the delay is over. All handlers have the same one.
      await waitDuring(closing, options.drain?.delay ?? 0);
      const closed = new Promise<void>(resolve => server.close(() => resolve()));
      await closing;
      server.closeAllConnections();
      await closed;
    },
  };
}

const toCloseOptions = ({ timeout = DRAIN_TIMEOUT, delay }: CloseOptions = {}): CloseOptions => ({ timeout, delay });

/** Waits for a time in milliseconds. A failure of the work is no unhandled rejection: the caller awaits it afterwards. */
export async function waitDuring(work: Promise<unknown>, delay: number): Promise<void> {
  work.catch(() => {});
  if (delay > 0) await pause(delay);
}

/** Creates a server that tries the handlers in order, until one serves the path. */
function createCombinedServer(handlers: readonly Parameters<typeof toNode>[0][]): Server {
  const listeners = handlers.map(toNode);
  return createHttpServer((request, response) => {
    const createListener = (index: number) => () => {
      const listener = listeners[index];
      if (listener) listener(request, response, createListener(index + 1));
      else response.writeHead(404).end();
    };
    createListener(0)();
  });
}

/** Creates a server with time limits for requests. */
export function createHttpServer(listener: RequestListener): Server {
  const limits = {
    keepAliveTimeout: 65_000,
    headersTimeout: 10_000,
    requestTimeout: 60_000,
    noDelay: true,
    // By default, Node checks connections for timeouts every 30 s.
    connectionsCheckingInterval: 500,
  };
  return createServer(limits, listener);
}

/** Options that set the address of a server, for the next step in errors. */
export interface AddressOptions {
  readonly port: string;
  /** Absent if the host is fixed. */
  readonly host?: string;
}

/** Starts a server, and returns its origin. */
export function startListening(
  server: Server,
  port: number,
  host: string,
  options: AddressOptions = { port: '--port', host: '--host' },
): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const hint =
        cause.code === 'EADDRINUSE'
          ? `stop the other program, or pass another ${options.port}`
          : `pass another ${(cause.code !== 'EACCES' && options.host) || options.port}`;
      reject(new TenonError('serve/listen', `cannot listen on ${host}:${port}: ${cause.code}`, { hint, cause }));
    });
    server.listen({ port, host }, () => {
      const { port: bound } = server.address() as AddressInfo;
      resolve(`http://${toUrlHost(host)}:${bound}`);
    });
  });
}
