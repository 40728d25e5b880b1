import {
  addUriPrefix,
  catchMaybe,
  isObject,
  type JsonObject,
  TenonError,
  thenMaybe,
  withDetails,
  withPublicUris,
} from '@tenon/base';
import type { MaybeAsyncResult } from '../handler/operation.js';
import { HandlerContext } from '../server/context/handler-context.js';
import { runInMiddleware } from '../server/dispatch.js';
import { resolveResource } from '../server/methods/resources.js';
import type { RequestContext } from '../server/request-context.js';
import type { MethodCall, MethodRequest, ServerMethodHandler, ServerRuntime } from '../server/server-runtime.js';
import type { MountedServer } from './mount-names.js';

/** Page size of a list whose entries the outer server divides into pages. */
export const ALL_ENTRIES = Number.MAX_SAFE_INTEGER;

const adaptedRuntimes = new WeakMap<ServerRuntime, WeakMap<ServerRuntime, ServerRuntime>>();

/** Returns the mounted server with what it gets of the outer one: its extensions, and what it says about itself. */
function adaptRuntime(outer: ServerRuntime, { runtime }: MountedServer): ServerRuntime {
  const known = adaptedRuntimes.get(outer) ?? new WeakMap<ServerRuntime, ServerRuntime>();
  adaptedRuntimes.set(outer, known);
  const { options } = runtime;
  const adapted = known.get(runtime) ?? {
    ...runtime,
    info: outer.info,
    pageSize: ALL_ENTRIES,
    extensionHooks: outer.extensionHooks,
    options: {
      ...options,
      extensions: outer.options.extensions,
      portableSchemas: outer.options.portableSchemas || options.portableSchemas,
      listFilter: outer.options.listFilter === 'authorized' ? 'authorized' : options.listFilter,
      exposeErrors: options.exposeErrors ?? outer.options.exposeErrors,
    },
  };
  known.set(runtime, adapted);
  return adapted;
}

/**
 * Runs a request of the outer server at a mounted one, within its rate limits and its middleware. `params` have the names
 * of the mounted server, and the result has those of the outer one.
 */
export function runAtMounted(
  call: MethodCall,
  mounted: MountedServer,
  params: JsonObject,
  handler: ServerMethodHandler<never> | undefined,
): MaybeAsyncResult {
  const { server: outer, requestContext, method, found } = call;
  const adapted = adaptRuntime(outer, mounted);
  const server = method === 'tools/call' ? withOuterOperation(adapted, call) : adapted;
  const used = handler ?? mounted.runtime.methodHandlers[method];
  if (used === undefined) throw new TenonError('mount/method', `the mounted server has no method ${method}`);
  return thenMaybe(mounted.runtime.rateLimits.check(method, requestContext.caller), () =>
    catchMaybe<JsonObject>(
      () =>
        thenMaybe(runInOuterContext({ server, requestContext, method, params, found } as never, call, used), result =>
          toPublicResult(result, mounted, requestContext),
        ),
      error => {
        throw toPublicError(error, mounted, params);
      },
    ),
  );
}

/** Runs a request with the context of the outer server, but with the state of the mounted one. */
function runInOuterContext(
  request: MethodRequest,
  { run, context }: MethodCall,
  handler: ServerMethodHandler<never>,
): MaybeAsyncResult {
  const { server, requestContext, params } = request;
  const entered = new HandlerContext(requestContext, run, params, server.options.state, context.inputs, context);
  return runInMiddleware(request, handler, run, entered);
}

/** Extensions get the call with the name of the outer server, because they may store it. */
function withOuterOperation(server: ServerRuntime, call: MethodCall): ServerRuntime {
  if (!server.extensionHooks.some(({ callTool }) => callTool)) return server;
  const operation = call as MethodCall<'tools/call'>;
  return {
    ...server,
    extensionHooks: server.extensionHooks.map(hooks =>
      hooks.callTool ? { ...hooks, callTool: each => hooks.callTool?.({ ...each, operation }) } : hooks,
    ),
  };
}

/** Runs a tool of a mounted server outside the request that called it. */
export function runMountedTool(
  outer: ServerRuntime,
  mounted: MountedServer,
  call: Parameters<ServerRuntime['backend']['runTool']>[0],
): MaybeAsyncResult {
  return thenMaybe(mounted.runtime.backend.runTool(call, adaptRuntime(outer, mounted)), result =>
    toPublicResult(result, mounted, call.requestContext),
  );
}

/** Returns the public URI, if it is the URI of a resource of the mounted server. Other URIs stay. */
export function toPublicUri(
  uri: string,
  { prefix, runtime }: MountedServer,
  requestContext: Pick<RequestContext, 'caller'>,
): string {
  return isServed(uri, runtime, requestContext) ? addUriPrefix(prefix, uri) : uri;
}

const isServed = (uri: string, runtime: ServerRuntime, { caller }: Pick<RequestContext, 'caller'>): boolean =>
  resolveResource(runtime, uri, { caller } as RequestContext) !== undefined;

function toPublicResult(result: JsonObject, mounted: MountedServer, requestContext: RequestContext): JsonObject {
  return withPublicUris(result, uri => toPublicUri(uri, mounted, requestContext));
}

/** Replaces the URI of the request in an error for the client. */
function toPublicError(error: unknown, { prefix }: MountedServer, { uri }: JsonObject): unknown {
  if (typeof uri !== 'string' || !TenonError.is(error) || !isObject(error.data) || error.data.uri !== uri) return error;
  return withDetails(error, { data: { ...error.data, uri: addUriPrefix(prefix, uri) } });
}
