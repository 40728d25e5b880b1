import {
  checkFunction,
  checkObject,
  checkString,
  describeMismatch,
  describeReceived,
  isObject,
  type JsonObject,
  requireArgument,
  requireKnownOptions,
  TenonError,
} from '@tenon/base';
import type { HandlerRun } from '../execution/handler-run.js';
import type { MaybeAsyncResult } from '../handler/operation.js';
import { type HeaderParam, readHeaderParams } from '../protocol/header-params.js';
import type { MethodName, ParamsOf } from '../protocol/method-types.js';
import type { Cacheable } from '../protocol/params-and-results.js';
import type { HandlerContext } from '../server/context/handler-context.js';
import type { ServerDefinition } from '../server/definitions/server-definition.js';
import type { ResolvedTaskOptions } from '../server/definitions/tool.js';
import { localBackend } from '../server/local-backend.js';
import { createCachedPage, type PageRequest } from '../server/methods/list-pages.js';
import { runTool } from '../server/methods/tools/call-tool.js';
import type { RequestContext } from '../server/request-context.js';
import { createServerWithBackend, type Server } from '../server/server.js';
import type { DetachedToolCall, MethodCall, RequesterInfo, ServerBackend } from '../server/server-runtime.js';

/** A request of a caller while it runs. A handler that runs again for the request gets another call. */
export interface ProxyCall<M extends MethodName = MethodName> {
  /** Method of the request. */
  readonly method: M;
  /** Valid params of the request, in the form of the newest version. */
  readonly params: ParamsOf<M>;
  /** Context of a handler, as in a server of your own: progress, log messages, steps and cancellation. */
  readonly context: HandlerContext;
  /** Run of the handler, by which it requests input. */
  readonly run: HandlerRun;
  /** Caller of the request, and its session. */
  readonly requestContext: RequestContext;
}

/** Answers of a proxy. */
export interface ProxyBackend
  extends Omit<
    Partial<ServerBackend>,
    | 'methodHandlers'
    | 'getInstructions'
    | 'getOutputSchema'
    | 'runTool'
    | 'findObstacle'
    | 'usesRegistries'
    | 'extendRegistries'
    | 'watchResource'
    | 'hasMiddleware'
  > {
  /**
   * Handlers of the methods that other servers answer. The server itself answers the others, such as `ping`,
   * `server/discover` and `logging/setLevel`. Results have the form of the newest version.
   */
  readonly methodHandlers: { readonly [M in MethodName]?: (call: ProxyCall<M>) => MaybeAsyncResult };
  /**
   * Returns the instructions for a client.
   * @default the `instructions` of the definition
   */
  readonly getInstructions?:
    | ((requester: RequesterInfo) => string | undefined | Promise<string | undefined>)
    | undefined;
  /**
   * Returns the output schema of a tool, by which its result is converted to an older version.
   * @default results are converted without it
   */
  readonly getOutputSchema?:
    | ((name: string, requestContext: RequestContext) => JsonObject | undefined | Promise<JsonObject | undefined>)
    | undefined;
  /**
   * Runs a tool call of a task, without an open request. Only for servers with the extension `tasks`.
   * @default the call fails
   */
  readonly runTool?: ((call: DetachedToolCall) => JsonObject | Promise<JsonObject>) | undefined;
  /**
   * Returns the reason why this process cannot run a tool call of a task.
   * @default it can run all calls
   */
  readonly findObstacle?:
    | ((
        name: string,
        version: string | undefined,
        requestContext: RequestContext,
      ) => string | undefined | Promise<string | undefined>)
    | undefined;
}

/**
 * Creates a server whose requests are answered by other servers. It serves every protocol version and transport, like the
 * result of `createServer`.
 *
 * @param definition Name, version and options. Tools, prompts and resources come from `backend`.
 * @throws TenonError `server/definition` if an option is invalid.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/architecture
 */
export function createProxyServer(definition: ServerDefinition, backend: ProxyBackend): Server {
  requireArgument('`backend` of createProxyServer', backend, checkObject({ methodHandlers: checkObject() }));
  const { getInstructions, getOutputSchema, runTool: runDetached, findObstacle } = backend;
  return createServerWithBackend(definition, {
    ...localBackend,
    canShareSessions: false,
    ...backend,
    usesRegistries: false,
    getInstructions: getInstructions ?? localBackend.getInstructions,
    getOutputSchema: getOutputSchema ?? (() => undefined),
    runTool: runDetached ?? localBackend.runTool,
    findObstacle: findObstacle ?? (() => undefined),
    methodHandlers: { ...localBackend.methodHandlers, ...backend.methodHandlers },
  });
}
const checkPage = checkObject({
  key: checkString,
  // Does not look at the entries, because a page of a long list is often in the cache.
  all: value => (Array.isArray(value) ? undefined : describeMismatch('an array', value)),
  getKey: checkFunction,
});

/**
 * Creates the result of a list: one page of all entries. Later requests for the page get the same object while the array
 * of all entries is in use.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination
 */
export function createPageResult<T>(
  call: ProxyCall,
  page: Omit<PageRequest<T>, 'pageSize'> & Cacheable & { readonly pageSize?: number | undefined },
): JsonObject {
  const { server } = requireServerCall('createPageResult', call);
  requireArgument('`page` of createPageResult', page, checkPage);
  const { ttlMs, cacheScope, pageSize = server.pageSize, ...request } = page;
  return createCachedPage(server, { ...request, pageSize }, { ttlMs, cacheScope });
}

/**
 * Runs the handler of a tool call. Extensions of the server may run it instead, for example as a task.
 *
 * @param options `taskOptions` of the tool, if its calls may become tasks, and the handler.
 */
export function runToolCall(
  call: ProxyCall<'tools/call'>,
  options: { readonly taskOptions?: ResolvedTaskOptions | undefined; readonly handler: () => MaybeAsyncResult },
): MaybeAsyncResult {
  requireKnownOptions('runToolCall', options, { taskOptions: true, handler: true });
  requireArgument('`handler` of runToolCall', options.handler, checkFunction);
  return runTool(requireServerCall('runToolCall', call), options.taskOptions, options.handler);
}

/** A tool of another server, and the handler of one of its calls. */
interface ProxiedToolRun {
  /**
   * Input schema of the tool. It names the arguments that headers repeat.
   * @default no header repeats an argument
   */
  readonly inputSchema: JsonObject | undefined;
  /** Undefined if calls of the tool never become tasks. */
  readonly taskOptions: ResolvedTaskOptions | undefined;
  readonly handler: () => MaybeAsyncResult;
}

const headerParams = new WeakMap<JsonObject, readonly HeaderParam[]>();

/**
 * Checks the headers of a call that repeat arguments of a tool of another server, and runs its handler as `runToolCall`
 * does. Checks no options.
 */
export function runProxiedTool(
  call: ProxyCall<'tools/call'>,
  { inputSchema, taskOptions, handler }: ProxiedToolRun,
): MaybeAsyncResult {
  if (inputSchema !== undefined) {
    let repeated = headerParams.get(inputSchema);
    if (repeated === undefined) {
      const found = readHeaderParams(inputSchema);
      // A tool with an invalid annotation is called without headers.
      repeated = typeof found === 'string' ? [] : found;
      headerParams.set(inputSchema, repeated);
    }
    if (repeated.length > 0) call.requestContext.checkHeaders?.(repeated, call.params.arguments);
  }
  return runTool(requireServerCall('runProxiedTool', call), taskOptions, handler);
}

/** Calls of a proxy are those that its server creates, with members that are not public. */
function requireServerCall<M extends MethodName>(subject: string, call: ProxyCall<M>): MethodCall<M> {
  if (isServerCall(call)) return call;
  throw new TenonError('options/invalid', `\`call\` of ${subject} is invalid`, {
    expected: 'a call of a server that createProxyServer created',
    received: isObject(call) ? 'another object' : describeReceived(call),
  });
}

const isServerCall = <M extends MethodName>(call: ProxyCall<M>): call is MethodCall<M> =>
  isObject(call) && 'server' in call;
