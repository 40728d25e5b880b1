import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TenonError } from 'tenon';
import type { Host } from 'tenon/host';
import { createHandler, type Handler } from 'tenon/http';
import { type ServeHttpOptions, serveHttp, toNode } from 'tenon/node';
import type { Guards } from './guarding.js';

export interface ListenOptions extends Pick<ServeHttpOptions, 'port' | 'host' | 'allowedHosts' | 'bounds'> {
  /** What each virtual server has of the host, by name: it lies at `/NAME`. */
  readonly virtual?: Readonly<Record<string, readonly string[]>>;
  /** What the server at `/mcp` has. Default: all. */
  readonly servers?: readonly string[];
  /** Lets callers in, by where they come to. */
  readonly guards: (path?: string) => Guards;
  readonly onError: (error: unknown) => void;
  /** Pages beside the servers. */
  readonly pages?: Parameters<typeof toNode>[0] | undefined;
}

/** Where something is served. */
export interface Place {
  readonly url: string;
  readonly sseUrl?: string | undefined;
  /** Which servers, where it is not all. */
  readonly servers?: readonly string[] | undefined;
}

export interface Listening {
  readonly places: readonly Place[];
  close(): Promise<void>;
}

/** How long calls may go on when the end is asked for, in milliseconds. */
const DEADLINE = 5000;

/** Serves a host over HTTP: all of it at `/mcp`, and each virtual server at a path of its own. */
export async function listen(host: Host, options: ListenOptions): Promise<Listening> {
  const { virtual = {}, servers, guards, onError, pages, ...rest } = options;
  const whole = host.asServer(servers ? { servers } : {});
  if (pages || Object.keys(virtual).length > 0) return listenTogether(host, options);
  const { url, sseUrl, close } = await serveHttp(whole, {
    ...rest,
    ...guards(),
    onError,
    // The command says so itself.
    allowUnauthenticated: true,
  });
  return { places: [{ url, sseUrl, servers }], close: () => close({ deadline: DEADLINE }) };
}

async function listenTogether(host: Host, options: ListenOptions): Promise<Listening> {
  const { virtual = {}, servers, guards, onError, port = 3000, host: address = '127.0.0.1', bounds } = options;
  const { allowedHosts = [] } = options;
  const names = allowedHosts === '*' ? '*' : [...allowedHosts, address];
  const given = { allowedHosts: names, onError, ...(bounds ? { bounds } : {}) } as const;
  const handlers: { path: string; servers: readonly string[] | undefined; handler: Handler }[] = [
    {
      path: '/mcp',
      servers,
      handler: createHandler(host.asServer(servers ? { servers } : {}), { ...given, ...guards() }),
    },
    ...Object.entries(virtual).map(([name, chosen]) => {
      const path = `/${name}`;
      const own = { path, ssePath: `${path}/sse`, messagesPath: `${path}/messages`, ...guards(path) };
      const server = host.asServer({ name: `tenon-${name}`, servers: chosen });
      return { path, servers: chosen, handler: createHandler(server, { ...given, ...own }) };
    }),
  ];
  const server = inFrontOf([...handlers.map(({ handler }) => handler), ...(options.pages ? [options.pages] : [])]);
  const origin = await begin(server, port, address);
  return {
    places: handlers.map(({ path, servers: chosen }) => ({
      url: origin + path,
      ...(path === '/mcp' ? { sseUrl: `${origin}/sse` } : {}),
      servers: chosen,
    })),
    async close() {
      const closed = new Promise<void>(resolve => server.close(() => resolve()));
      await Promise.all(handlers.map(({ handler }) => handler.close({ deadline: DEADLINE })));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** One after the other is asked whether a path is its own. */
function inFrontOf(handlers: readonly Parameters<typeof toNode>[0][]): Server {
  const listeners = handlers.map(toNode);
  const limits = {
    ...{ keepAliveTimeout: 65_000, headersTimeout: 10_000, requestTimeout: 60_000, noDelay: true },
    // Node looks for late connections every 30 s otherwise.
    connectionsCheckingInterval: 500,
  };
  return createServer(limits, (request, response) => {
    const next = (at: number) => () => {
      const listener = listeners[at];
      if (listener) listener(request, response, next(at + 1));
      else response.writeHead(404).end();
    };
    next(0)();
  });
}

function begin(server: Server, port: number, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const next =
        cause.code === 'EADDRINUSE' ? 'stop what listens there, or give another --port' : 'give another --host';
      reject(new TenonError('serve/listen', `can not listen on ${host}:${port}: ${cause.code}`, { next, cause }));
    });
    server.listen({ port, host }, () => {
      const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
      const { port: bound } = server.address() as AddressInfo;
      resolve(`http://${name.includes(':') ? `[${name}]` : name}:${bound}`);
    });
  });
}
