import {
  checkArray,
  checkHeaderFields,
  checkObject,
  checkOptional,
  checkRange,
  checkString,
  type OptionChecks,
  requireArgument,
  requireKnownOptions,
  requireOptions,
  TenonError,
  toJsonObject,
} from '@tenon/base';
import { loadPeerSchema, type ResourceDefinition, resource, type ToolDefinition, tool, toolError } from 'tenon';
import type { ApiOperation, SecurityScheme } from '../operations/operation.js';
import { isApiUrl } from '../operations/servers.js';
import type { Platform } from '../platform.js';
import { ApiStatusError, createApiCaller } from './call-api.js';
import { type Credentials, checkCredentials } from './credentials.js';
import { toContents, toToolResult } from './read-response.js';

/** Options for the requests to an API. */
export interface RequestOptions {
  /**
   * Credentials by the keys of the security schemes of the document. They go to the origin of the API only.
   * @default none
   */
  readonly auth?: Credentials | undefined;
  /**
   * Header fields of every request.
   * @default none
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Limits of a request. */
  readonly limits?:
    | {
        /**
         * Time for a complete response, in milliseconds.
         * @default 30,000
         */
        readonly timeout?: number | undefined;
        /**
         * Size of a response, in bytes.
         * @default 4,194,304 (4 MiB)
         */
        readonly maxResponseSize?: number | undefined;
        /**
         * Length of a text that a tool returns, in characters. A longer one is cut.
         * @default 100,000
         */
        readonly maxTextLength?: number | undefined;
      }
    | undefined;
}

/** Options of `serveOperations`. */
export interface ServeOptions extends RequestOptions {
  /** URL of the API. */
  readonly baseUrl: string;
  /**
   * Security schemes of the API, which `auth` names.
   * @default none
   */
  readonly schemes?: readonly SecurityScheme[] | undefined;
}

const amount = checkOptional(checkRange('a number of at least 1', 1));
const LIMIT_CHECKS: OptionChecks<NonNullable<RequestOptions['limits']>> = {
  timeout: amount,
  maxResponseSize: amount,
  maxTextLength: amount,
};

/** Definitions for `createServer`. */
export interface ApiDefinitions {
  /** Tools by their names. */
  readonly tools: Readonly<Record<string, ToolDefinition>>;
  /** Resources and resource templates by their URIs. */
  readonly resources: Readonly<Record<string, ResourceDefinition>>;
}

/** Creates tools, resources and resource templates that call an API. */
export function createDefinitions(
  operations: readonly ApiOperation[],
  options: ServeOptions,
  platform: Platform,
): ApiDefinitions {
  requireKnownOptions('serveOperations', options, {
    baseUrl: true,
    schemes: true,
    auth: true,
    headers: true,
    limits: true,
  });
  const { schemes = [], auth = {}, headers = {}, limits = {} } = options;
  requireOptions('`limits` of serveOperations', limits, LIMIT_CHECKS, 'options/invalid');
  requireArgument('`headers` of serveOperations', headers, checkHeaderFields);
  const { timeout = 30_000, maxResponseSize = 4 * 1024 * 1024, maxTextLength = 100_000 } = limits;
  requireArgument('`operations` of serveOperations', operations, checkArray(checkObject({ name: checkString })));
  requireArgument('`schemes` of serveOperations', schemes, checkArray(checkObject({ id: checkString })));
  checkCredentials(auth, schemes);
  const baseUrl = requireUrl(options.baseUrl);
  const call = createApiCaller({ baseUrl, schemes, auth, headers, timeout, maxResponseSize, platform });
  const tools: Record<string, ToolDefinition> = {};
  const resources: Record<string, ResourceDefinition> = {};
  for (const written of operations) {
    const operation = withoutFixed(written, schemes, auth, headers);
    const { name, title, description, method, input, output, uri } = operation;
    if (uri !== undefined) {
      resources[uri] = resource<Record<string, unknown>>({
        name,
        title,
        description,
        async read({ uri: read, ...variables }, context) {
          try {
            return toContents(String(read), await call(operation, variables, context));
          } catch (error) {
            if (error instanceof ApiStatusError && error.status === 404) return undefined;
            throw toToolError(error);
          }
        },
      });
      continue;
    }
    const isReadOnly = method === 'GET' || method === 'HEAD';
    const validator = output === undefined ? undefined : once(() => loadPeerSchema(output));
    tools[name] = tool({
      title,
      description,
      input,
      output,
      annotations: {
        readOnlyHint: isReadOnly,
        ...(isReadOnly
          ? {}
          : { destructiveHint: method !== 'POST', idempotentHint: method === 'PUT' || method === 'DELETE' }),
        openWorldHint: true,
      },
      async run(args, context) {
        const response = await call(operation, args, context).catch((error: unknown) => {
          throw toToolError(error);
        });
        return toToolResult(operation, response, maxTextLength, await validator?.());
      },
    });
  }
  return { tools, resources };
}

/**
 * Removes the parameters whose values the server sets: those of its headers and its credentials. A model cannot know them,
 * and must not replace them.
 */
function withoutFixed(
  operation: ApiOperation,
  schemes: readonly SecurityScheme[],
  auth: Credentials,
  headers: Readonly<Record<string, string>>,
): ApiOperation {
  const { security, input } = operation;
  const fixed = new Set([
    ...Object.keys(headers).map(name => toKey('header', name)),
    ...schemes
      .filter(
        ({ id }) => auth[id] !== undefined && (security === undefined || security.some(each => each.includes(id))),
      )
      .map(({ kind, name }) => toKey(kind, name)),
  ]);
  const removed = operation.parameters.filter(({ in: place, name }) => fixed.has(toKey(place, name)));
  if (removed.length === 0) return operation;
  const properties = removed.map(({ property }) => property);
  const { required, ...rest } = input;
  const left = Array.isArray(required) ? required.filter(name => !properties.includes(String(name))) : [];
  return {
    ...operation,
    parameters: operation.parameters.filter(each => !removed.includes(each)),
    input: {
      ...rest,
      properties: Object.fromEntries(
        Object.entries(toJsonObject(input.properties)).filter(([name]) => !properties.includes(name)),
      ),
      ...(left.length > 0 ? { required: left } : {}),
    },
  };
}

/** Names of headers are case-insensitive. */
const toKey = (place: string, name: string): string => `${place} ${place === 'header' ? name.toLowerCase() : name}`;

const toToolError = (error: unknown): unknown => (error instanceof ApiStatusError ? toolError(error.message) : error);

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function requireUrl(text: string): string {
  if (isApiUrl(text)) return text;
  throw new TenonError('openapi/option', '`baseUrl` is not the URL of an API', {
    expected: 'an absolute https: or http: URL without a query, a fragment and a user',
    hint: 'pass `baseUrl: "https://api.example.com"`',
  });
}
