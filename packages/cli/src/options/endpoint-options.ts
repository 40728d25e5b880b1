import { parseWebUrl } from '@tenon/base';
import { type Command, InvalidArgumentError } from 'commander';
import type { CorsOptions, HealthOptions } from 'tenon/http';

/** Options of the paths of HTTP endpoints, and of the web pages that may use them. */
export interface EndpointOptions {
  /** Path before those of all endpoints: `/tools`. */
  readonly basePath?: string | undefined;
  /** Origins of web pages. `['*']` for all. */
  readonly cors?: readonly string[] | undefined;
}

/** Adds the options of the paths of HTTP endpoints, and of the web pages that may use them. */
export function withEndpoints(command: Command): Command {
  return command
    .option(
      '--base-path <path>',
      'path before those of all endpoints, behind a proxy that keeps it: /tools serves /tools/mcp and /tools/healthz',
      parseBasePath,
    )
    .option(
      '--cors <origins...>',
      'origins whose web pages may call the endpoints and read responses: https://app.example.com, or * for all',
      collectOrigins,
    );
}

function parseBasePath(text: string): string {
  const path = text.replace(/\/+$/, '');
  if (/^(\/[\w.~-]+)+$/.test(path) && !/\/\.\.?(?:\/|$)/.test(path)) return path;
  throw new InvalidArgumentError('Expected a path such as /tools, of letters, digits, `-`, `_`, `.` and `~`.');
}

function collectOrigins(text: string, before: readonly string[] = []): string[] {
  const origins = text.split(',').map(each => each.trim());
  for (const origin of origins) {
    if (origin !== '*' && parseWebUrl(origin)?.origin !== origin)
      throw new InvalidArgumentError(
        `Expected origins such as https://app.example.com, got ${origin}. Write other arguments before --cors.`,
      );
  }
  return [...before, ...origins];
}

/** Paths of the endpoints of a server, and the pages that may use them, as `serveHttp` takes them. */
export interface EndpointSettings {
  readonly path: string;
  readonly ssePath: string;
  readonly messagesPath: string;
  readonly health: HealthOptions | false;
  readonly cors?: CorsOptions;
}

/** Returns the settings of the endpoints. `health` is `false` without health endpoints. */
export function createEndpointSettings(
  { basePath = '', cors }: EndpointOptions,
  health: HealthOptions | boolean = true,
): EndpointSettings {
  const paths = { live: `${basePath}/healthz`, ready: `${basePath}/readyz` };
  return {
    path: `${basePath}/mcp`,
    ssePath: `${basePath}/sse`,
    messagesPath: `${basePath}/messages`,
    health: health !== false && { ...paths, ...(health === true ? {} : health) },
    ...createCors(cors),
  };
}

/** Returns the option `cors` of a handler. */
export const createCors = (origins: EndpointOptions['cors']): { readonly cors?: CorsOptions } =>
  origins === undefined ? {} : { cors: { origins: origins.includes('*') ? '*' : origins } };
