import type { Authorizer } from '../auth/client/authorizer.js';
import { TenonError } from '../jsonrpc/error.js';
import type { Transport } from '../jsonrpc/transport.js';
import type { Optional } from '../protocol/defaults.js';
import type { RequestHandler } from '../protocol/request-handler.js';
import type { FetchLike } from '../transports/http/client/fetch-like.js';
import type { HttpTransportOptions } from '../transports/http/client/options.js';
import type { MemoryOptions } from '../transports/memory.js';
import { createInProcessEndpoint, createTransportEndpoint } from './connect.js';
import type { ServerEndpoint } from './connection/endpoint.js';
import { requireHttpTarget, requireStdioTarget } from './option-checks.js';

/** A server at a URL. */
export interface HttpTarget
  extends Optional<Pick<HttpTransportOptions, 'onUnauthorized' | 'resume' | 'listen' | 'maxMessageSize'>> {
  /** URL of the server's MCP endpoint. */
  readonly url: string | URL;
  /**
   * Signs the client in when the server requires it: `signIn`, `clientCredentials`, … of `tenon/auth`. A string is a
   * bearer token.
   */
  readonly auth?: Authorizer | string | undefined;
  /** Headers for every request, for example an API key. A function is called for each request. */
  readonly headers?:
    | Readonly<Record<string, string>>
    | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>)
    | undefined;
  /** Only this transport. Default: Streamable HTTP, and HTTP+SSE where the server has nothing else. */
  readonly transport?: 'http' | 'http-sse' | undefined;
  /** Does the requests, by the shape of `fetch`. Default: `node:http` on Node, `fetch` elsewhere. */
  readonly fetch?: FetchLike | undefined;
}

/** A server that is started as a child process. */
export interface StdioTarget {
  /** Program to start: a path, or a name that is looked up in `PATH`. */
  readonly command: string;
  /** Arguments of the program. Default: none. */
  readonly args?: readonly string[] | undefined;
  /** Added to the few variables that a process needs; nothing else is passed on. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Folder in which the program starts. Default: that of this process. */
  readonly cwd?: string | undefined;
  /** Handling of the server's standard error. Default: the last lines are kept for errors. */
  readonly stderr?: 'pipe' | 'inherit' | 'ignore' | ((line: string) => void) | undefined;
}

/** A server to connect to: a URL, a command, a server in this process, or a transport of your own. */
export type ConnectTarget =
  | string
  | URL
  | HttpTarget
  | StdioTarget
  | RequestHandler
  | Transport
  | (() => Transport | Promise<Transport>);

/** The transports that a runtime provides. */
export interface TransportFactory {
  createHttp(target: HttpTarget): ServerEndpoint;
  createStdio(target: StdioTarget): ServerEndpoint;
}

/** Resolves a target to an endpoint. */
export function resolveEndpoint(
  target: ConnectTarget,
  transports: TransportFactory,
  options?: MemoryOptions,
): ServerEndpoint {
  if (typeof target === 'string') return transports.createHttp({ url: target });
  if (typeof target === 'function') return createTransportEndpoint(target);
  if (typeof target !== 'object' || target === null) throw createTargetError(target === null ? 'null' : typeof target);
  if ('href' in target) return transports.createHttp({ url: target });
  if ('url' in target) {
    requireHttpTarget(target);
    return transports.createHttp(target);
  }
  if ('command' in target) {
    requireStdioTarget(target);
    return transports.createStdio(target);
  }
  if ('answer' in target) return createInProcessEndpoint(target, options);
  if ('send' in target) return createTransportEndpoint(target);
  throw createTargetError(`an object with the keys ${Object.keys(target).slice(0, 10).join(', ') || '(none)'}`);
}

function createTargetError(received: string): TenonError {
  const expected = 'a URL, { url }, { command, args? }, a server or a transport';
  return new TenonError('connect/target', 'invalid target for connect', { expected, received });
}
