import { describeType, type Optional, TenonError } from '@tenon/base';
import type { Authorizer } from '../auth/client/authorizer.js';
import type { Transport } from '../jsonrpc/transport.js';
import type { RequestHandler } from '../protocol/request-handler.js';
import type { FetchLike } from '../transports/http/client/fetch-like.js';
import type { HttpTransportOptions } from '../transports/http/client/options.js';
import type { MemoryOptions } from '../transports/memory.js';
import type { StdioTransportOptions } from '../transports/stdio/client.js';
import { createInProcessEndpoint, createTransportEndpoint, type ServerEndpoint } from './connection/endpoint.js';
import { requireHttpTarget, requireStdioTarget } from './option-checks.js';

/** A server at a URL. */
export interface HttpTarget
  extends Optional<Pick<HttpTransportOptions, 'onUnauthorized' | 'resume' | 'listen' | 'maxMessageSize'>> {
  /** URL of the server's MCP endpoint. */
  readonly url: string | URL;
  /**
   * Credentials for servers that require authorization: `signIn`, `clientCredentials` or another authorizer of
   * `tenon/auth`. A string is a bearer token.
   * @default none
   */
  readonly auth?: Authorizer | string | undefined;
  /**
   * Headers for every request, for example an API key. A function is called for each request.
   * @default none
   */
  readonly headers?:
    | Readonly<Record<string, string>>
    | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>)
    | undefined;
  /**
   * The only transport to use. HTTP+SSE is deprecated in 2026-07-28.
   * @default Streamable HTTP, and HTTP+SSE if the server supports nothing else
   */
  readonly transport?: 'http' | 'http-sse' | undefined;
  /**
   * Function that sends the requests, with the signature of `fetch`.
   * @default `node:http` on Node, `fetch` elsewhere
   */
  readonly fetch?: FetchLike | undefined;
}

/** A server that the client starts as a child process. */
export interface StdioTarget extends Optional<Pick<StdioTransportOptions, 'maxLineBytes' | 'maxJsonDepth'>> {
  /** Program to start: a path, or a name in `PATH`. */
  readonly command: string;
  /**
   * Arguments of the program.
   * @default none
   */
  readonly args?: readonly string[] | undefined;
  /**
   * Environment variables to add. The process gets only these, the few variables that programs need, and those for
   * proxies, certificates and package registries that contain no credentials. `undefined` removes a variable.
   */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * Working directory of the program.
   * @default the directory of this process
   */
  readonly cwd?: string | undefined;
  /**
   * Handling of the server's standard error. A function gets each line.
   * @default the last lines are kept for error messages
   */
  readonly stderr?: 'pipe' | 'inherit' | 'ignore' | ((line: string) => void) | undefined;
  /**
   * Beginning of the name of a container, for a command such as `docker run …` or `podman run …`. The transport adds
   * `--name` with a unique name, and removes the container when the command had to be killed, because the container
   * would outlive it.
   * @default none
   */
  readonly container?: string | undefined;
}

/** A server to connect to: a URL, a command, a server in this process, or a custom transport. */
export type ConnectTarget =
  | string
  | URL
  | HttpTarget
  | StdioTarget
  | RequestHandler
  | Transport
  | (() => Transport | Promise<Transport>);

/** Creates the transports that a runtime supports. */
export interface TransportFactory {
  createHttp(target: HttpTarget): ServerEndpoint;
  createStdio(target: StdioTarget): ServerEndpoint;
}

/** Returns the endpoint of a target. */
export function resolveEndpoint(
  target: ConnectTarget,
  transports: TransportFactory,
  options?: MemoryOptions,
): ServerEndpoint {
  if (typeof target === 'string') return transports.createHttp({ url: target });
  if (typeof target === 'function') return createTransportEndpoint(target);
  if (typeof target !== 'object' || target === null) throw createTargetError(describeType(target));
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
  if ('open' in target) return createTransportEndpoint(target);
  throw createTargetError(`an object with the keys ${Object.keys(target).slice(0, 10).join(', ') || '(none)'}`);
}

function createTargetError(received: string): TenonError {
  const expected = 'a URL, { url }, { command, args? }, a server or a transport';
  return new TenonError('connect/target', 'invalid target for connect', { expected, received });
}
