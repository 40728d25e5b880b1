import type { Authorizer } from '../auth/authorizer.js';
import type { Service } from '../conversation/service.js';
import type { Channel } from '../jsonrpc/channel.js';
import { TenonError } from '../jsonrpc/error.js';
import type { Optional } from '../model/defaults.js';
import type { HttpOptions } from '../transports/http/client-options.js';
import type { FetchLike } from '../transports/http/fetch-like.js';
import type { MemoryOptions } from '../transports/memory.js';
import { byChannel, inProcess } from './connect.js';
import type { Endpoint } from './endpoint.js';
import { requireHttpTarget, requireStdioTarget } from './target-shapes.js';

/** A server at a URL. */
export interface HttpTarget extends Optional<Pick<HttpOptions, 'onUnauthorized' | 'resume' | 'listen' | 'maxMessage'>> {
  /** URL of the server's MCP endpoint. */
  readonly url: string | URL;
  /**
   * Signs the client in when the server asks for it: `signIn`, `clientCredentials`, … of `tenon/auth`; a string is a
   * bearer token.
   */
  readonly auth?: Authorizer | string | undefined;
  /** Headers for every request: a key, say. A function is asked anew for each. */
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
  /** What becomes of what the server writes to its standard error. Default: the last lines are kept for errors. */
  readonly stderr?: 'pipe' | 'inherit' | 'ignore' | ((line: string) => void) | undefined;
}

/** Where a server is: a URL, a command, a server in this process, or a channel of your own. */
export type Target = string | URL | HttpTarget | StdioTarget | Service | Channel | (() => Channel | Promise<Channel>);

/** The roads that a runtime has. */
export interface Roads {
  http(target: HttpTarget): Endpoint;
  stdio(target: StdioTarget): Endpoint;
}

/** Finds the road to a target. */
export function endpointOf(target: Target, roads: Roads, options?: MemoryOptions): Endpoint {
  if (typeof target === 'string') return roads.http({ url: target });
  if (typeof target === 'function') return byChannel(target);
  if (typeof target !== 'object' || target === null) throw noTarget(target === null ? 'null' : typeof target);
  if ('href' in target) return roads.http({ url: target });
  if ('url' in target) {
    requireHttpTarget(target);
    return roads.http(target);
  }
  if ('command' in target) {
    requireStdioTarget(target);
    return roads.stdio(target);
  }
  if ('answer' in target) return inProcess(target, options);
  if ('send' in target) return byChannel(target);
  throw noTarget(`an object with the keys ${Object.keys(target).slice(0, 10).join(', ') || '(none)'}`);
}

function noTarget(got: string): TenonError {
  const expected = 'a URL, { url }, { command, args? }, a server, or a channel';
  return new TenonError('connect/target', 'the target of connect is unfit', { expected, got });
}
