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
import type { HandlerRun } from '../execution/handler-run.js';
import type { Context } from '../handler/context.js';
import type { MaybeAsyncResult } from '../handler/operation.js';
import type { MethodName, ParamsOf } from '../protocol/method-types.js';
import { HandlerContext } from '../server/context/handler-context.js';
import { findDefinition, runInMiddleware } from '../server/dispatch.js';
import { resolveResource } from '../server/methods/resources.js';
import type { RequestContext } from '../server/request-context.js';
import type { MethodCall, MethodRequest, ServerMethodHandler, ServerRuntime } from '../server/server-runtime.js';
import type { MountedServer } from './mount-names.js';

/** Page size of a list whose entries the outer server divides into pages. */
export const ALL_ENTRIES = Number.MAX_SAFE_INTEGER;

/** Calls of outer servers, by the contexts of the handlers of mounted servers. */
const outerCalls = new WeakMap<Context, MethodCall>();

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
        const { uri } = params;
        const hasData = TenonError.is(error) && isObject(error.data);
        if (typeof uri !== 'string' || !hasData || error.data.uri !== uri) throw error;
        // The error names the URI of the request.
        throw withDetails(error, { data: { ...error.data, uri: addUriPrefix(mounted.prefix, uri) } });
      },
    ),
  );
}

/** Runs a request with the context of the outer server, but with the state of the mounted one. */
function runInOuterContext(
  request: MethodRequest,
  call: MethodCall,
  handler: ServerMethodHandler<never>,
): MaybeAsyncResult {
  const { server, requestContext, params } = request;
  const { run, context } = call;
  const entered = new HandlerContext(requestContext, run, params, server.options.state, context.inputs, context);
  outerCalls.set(entered, call);
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
  const isServed = resolveResource(runtime, uri, requestContext as RequestContext) !== undefined;
  return isServed ? addUriPrefix(prefix, uri) : uri;
}

function toPublicResult(result: JsonObject, mounted: MountedServer, requestContext: RequestContext): JsonObject {
  return withPublicUris(result, uri => toPublicUri(uri, mounted, requestContext));
}

/**
 * Runs a method of the outer server for the handler of a mounted tool, with all that the outer server does for a request
 * of this caller: scopes, rate limits, middleware, and the servers that are mounted in it.
 * @throws TenonError `mount/method` outside a call of the tool.
 */
export async function runAtOuter<M extends MethodName>(
  context: Context,
  method: M,
  params: ParamsOf<M>,
): Promise<JsonObject> {
  const call = outerCalls.get(context);
  const handler = call?.server.methodHandlers[method];
  if (call === undefined || handler === undefined)
    throw new TenonError('mount/method', `${method} can run only while a mounted tool is called`);
  const { server, requestContext } = call;
  const run = withoutResumption(call.run);
  const found = findDefinition(server, method, params, requestContext);
  await server.rateLimits.check(method, requestContext.caller);
  // A retry resumes the context of the tool, and has a progress token of its own.
  const parent = context as HandlerContext;
  const given: JsonObject = params;
  const withMeta: JsonObject = {
    ...given,
    get _meta() {
      return context.meta;
    },
  };
  const entered = new HandlerContext(
    requestContext,
    run,
    withMeta,
    server.options.state,
    parent.inputs,
    undefined,
    parent,
  );
  const request: MethodRequest<M> = { server, requestContext, method, params, found };
  return runInMiddleware(request as never, handler as never, run, entered);
}

/** Returns the run for a handler inside another one: a retry resumes the outer handler. */
const withoutResumption = (run: HandlerRun): HandlerRun => ({
  request: (...request) => run.request(...request),
  step: (name, work) => run.step(name, work),
  mark: name => run.mark(name),
  invokeHandler: (_, invoke) => invoke(),
  toJournaled: () => run.toJournaled(),
  get journal() {
    return run.journal;
  },
});
