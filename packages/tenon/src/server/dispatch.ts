import { toCanonicalJson } from '../encoding/canonical-json.js';
import { checkInputRequestMethods } from '../execution/check-input-requests.js';
import type { HandlerRun } from '../execution/handler-run.js';
import { withoutInputRequests } from '../execution/without-input-requests.js';
import { rpcError, TenonError } from '../jsonrpc/error.js';
import { INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND } from '../jsonrpc/error-codes.js';
import {
  isObject,
  isPreserialized,
  type JsonObject,
  type JsonRpcRequest,
  markPreserialized,
} from '../jsonrpc/message.js';
import { catchMaybe, thenMaybe } from '../jsonrpc/then-maybe.js';
import { getOwnerKey, identifyCaller } from '../protocol/caller-identity.js';
import type { MethodName } from '../protocol/method-types.js';
import { isMethod, methods } from '../protocol/methods.js';
import { createMissingCapabilityError } from '../protocol/missing-capabilities.js';
import type { RetryInputs } from '../protocol/params-and-results.js';
import type { Transform } from '../protocol/versions/dialect.js';
import { declaresCapability } from './capabilities.js';
import { Context } from './context/context.js';
import { compileTool } from './definitions/compiled-tool.js';
import { isToolResultParts } from './definitions/tool-result.js';
import { completeArgument } from './methods/completion.js';
import { runCustomMethod } from './methods/custom-methods.js';
import { discover } from './methods/discover.js';
import { finalizeResult } from './methods/finalize-result.js';
import { listPrompts, listResources, listTemplates, listTools } from './methods/lists.js';
import { getPrompt } from './methods/prompts.js';
import { readResource } from './methods/resources.js';
import { setLoggingLevel, subscribeResource, unsubscribeResource } from './methods/session-settings.js';
import { listen } from './methods/subscriptions.js';
import { callTool, createErrorResult, isForModel } from './methods/tools/call-tool.js';
import { encodeFailure } from './methods/tools/encode-return-value.js';
import { requestUrlElicitation } from './methods/url-elicitation.js';
import {
  composeMiddleware,
  type Middleware,
  type Operation,
  selectMiddleware,
} from './middleware/compose-middleware.js';
import type { RequestContext } from './request-context.js';
import { requireScopes } from './scopes.js';
import type { ServerRuntime } from './server-runtime.js';
import { findExtensionMethod, toolNames } from './setup-extensions.js';

/** Result of a request: synchronous where possible. */
type MaybeAsyncResult = JsonObject | Promise<JsonObject>;
type ServerMethodHandler = (
  runtime: ServerRuntime,
  operation: Operation,
  requestContext: RequestContext,
) => MaybeAsyncResult;

/** Handlers of the client's methods. Opening is not here: it makes the turn that these are given. */
const methodHandlers: { readonly [M in MethodName]?: ServerMethodHandler } = {
  'server/discover': discover,
  ping: () => ({}),
  'tools/list': listTools,
  'tools/call': callTool,
  'resources/list': listResources,
  'resources/templates/list': listTemplates,
  'resources/read': readResource,
  'resources/subscribe': subscribeResource,
  'resources/unsubscribe': unsubscribeResource,
  'prompts/list': listPrompts,
  'prompts/get': getPrompt,
  'completion/complete': completeArgument,
  'logging/setLevel': setLoggingLevel,
  'subscriptions/listen': listen,
};

/** One request, from the peer's words to the peer's words. What it throws is made for the peer, or to be masked. */
export function dispatch(
  runtime: ServerRuntime,
  request: JsonRpcRequest,
  requestContext: RequestContext,
): MaybeAsyncResult {
  const { method } = request;
  if (!isMethod(method)) return runCustomMethod(runtime, request, requestContext);
  const { capability, extension } = methods[method];
  const handler = findMethodHandler(runtime, method);
  if (handler === undefined || !requestContext.dialect.methods.client.has(method))
    throw createMethodNotFoundError(method, requestContext);
  if (extension !== undefined) requireClientExtension(extension, requestContext);
  if (capability !== undefined && !declaresCapability(runtime, capability)) throw createMethodNotFoundError(method);
  const params = readParams(method, request.params, requestContext);
  requireScopes(runtime, method, params, requestContext);
  runtime.rateLimits.check(method, requestContext.caller);
  return thenMaybe(runOperation(runtime, method, params, requestContext, handler), result => {
    const transform = requestContext.dialect.transforms.encode.result(method);
    const completed = completeResult(runtime, result, requestContext);
    return transform === undefined
      ? completed
      : encodeResult(runtime, transform, completed, method, params, requestContext);
  });
}

/**
 * Returns the handler of a method: of the proxy or an extension if one has it, else the server's own. Only what stands
 * in front of others, and extensions that have the method, do it their own way.
 */
function findMethodHandler(runtime: ServerRuntime, method: MethodName): ServerMethodHandler | undefined {
  const builtIn = methods[method].extension === undefined ? methodHandlers[method] : undefined;
  if (builtIn !== undefined && runtime.options.proxy === undefined) return builtIn;
  const extensionHandler = findExtensionMethod(runtime, method);
  return extensionHandler ? (_, operation, requestContext) => extensionHandler(operation, requestContext) : builtIn;
}

/** A result in the words of the peer's revision. The tool whose result it is says what its structured content is. */
function encodeResult(
  { tools, options: { proxy } }: ServerRuntime,
  transform: Transform,
  result: JsonObject,
  method: MethodName,
  { name: calledName }: JsonObject,
  requestContext: RequestContext,
): MaybeAsyncResult {
  const name = method === 'tools/call' ? calledName : toolNames.get(result);
  if (typeof name !== 'string') return isPreserialized(result) ? encodeOnce(transform, result) : transform(result, {});
  if (proxy)
    return thenMaybe(proxy.getOutputSchema(name, requestContext), outputSchema => transform(result, { outputSchema }));
  const tool = tools.find(name, requestContext.caller);
  return transform(result, tool ? { outputSchema: compileTool(name, tool).wire.outputSchema } : {});
}

const encodedResults = new WeakMap<JsonObject, Map<Transform, JsonObject>>();

/** A result that lasts does so in the words of each revision. */
function encodeOnce(transform: Transform, result: JsonObject): JsonObject {
  const cached = encodedResults.get(result) ?? new Map<Transform, JsonObject>();
  const previous = cached.get(transform);
  if (previous) return previous;
  const encoded = transform(result, {});
  const preserialized = isPreserialized(encoded) ? encoded : markPreserialized(encoded);
  encodedResults.set(result, cached.set(transform, preserialized));
  return preserialized;
}

/** Completes a result that a middleware returned, like any other final result. */
function completeResult(runtime: ServerRuntime, result: JsonObject, { dialect }: RequestContext): JsonObject {
  if (!isObject(result))
    throw new TenonError('handler/result', 'a middleware returned no result', { expected: 'an object' });
  return result.resultType === undefined && dialect.opening === 'per-request'
    ? finalizeResult(runtime, result)
    : result;
}

function createMethodNotFoundError(method: string, requestContext?: RequestContext): TenonError {
  if (requestContext?.dialect.sessionMethods?.has(method)) {
    return rpcError(METHOD_NOT_FOUND, `Method not found: ${method} needs a session, and this server keeps none`);
  }
  return rpcError(METHOD_NOT_FOUND, `Method not found: ${method.slice(0, 128)}`);
}

function readParams(method: MethodName, raw: JsonObject = {}, { dialect }: RequestContext): JsonObject {
  const params = dialect.transforms.decode.params(method)?.(raw, {}) ?? raw;
  const problem = methods[method].params(params);
  if (problem) throw rpcError(INVALID_PARAMS, `Invalid params: ${problem}`);
  return params;
}

/** Runs the operation inside its onion, in the manner in which this client can be asked. */
function runOperation(
  runtime: ServerRuntime,
  method: MethodName,
  params: JsonObject,
  requestContext: RequestContext,
  handler: ServerMethodHandler,
): MaybeAsyncResult {
  const handleOperation = (operation: Operation): MaybeAsyncResult => {
    // A middleware may have made another request of it.
    if (operation.params !== params) requireScopes(runtime, method, operation.params, requestContext);
    return handler(runtime, operation, requestContext);
  };
  const { use } = runtime.options;
  const run = use === undefined ? handleOperation : wrapInMiddleware(use, method, handleOperation);
  if (!methods[method].mayRequestInput)
    return run(
      createOperation(
        method,
        params,
        new Context(requestContext, withoutInputRequests(method), params, runtime.options.state),
      ),
    );
  const strategy = requestContext.createInputStrategy(params as RetryInputs, () =>
    createStateBinding(runtime, method, params, requestContext),
  );
  let context: Context | undefined;
  const runHandler = (handlerRun: HandlerRun, inputs: RetryInputs): MaybeAsyncResult => {
    const entryContext = new Context(requestContext, handlerRun, params, runtime.options.state, inputs, context);
    context = entryContext;
    const operation = createOperation(method, params, entryContext);
    return catchMaybe(
      () => run(operation),
      error => toErrorResult(error, operation, requestContext, inputs),
    );
  };
  return catchMaybe(() => strategy(runHandler), rethrowInputError);
}

/** Runs the middleware of the method around the handler. A middleware may return questions of its own. */
function wrapInMiddleware(
  use: readonly Middleware[],
  method: MethodName,
  handleOperation: (operation: Operation) => MaybeAsyncResult,
): (operation: Operation) => MaybeAsyncResult {
  const middleware = selectMiddleware(use, method);
  if (middleware.length === 0) return handleOperation;
  const run = composeMiddleware(middleware, async operation => handleOperation(operation));
  return async operation => {
    const result = await run(operation);
    checkInputRequestMethods(`middleware of ${operation.method} "${operation.name ?? ''}"`, result);
    return result;
  };
}

/** Converts an error of a handler or a middleware to a result, where the version or the model needs one. */
function toErrorResult(
  error: unknown,
  { method, name = '' }: Operation,
  requestContext: RequestContext,
  inputs: RetryInputs,
): JsonObject {
  try {
    return requestUrlElicitation(error, requestContext, inputs);
  } catch (thrown) {
    if (method === 'tools/call' && isForModel(thrown)) return createErrorResult(thrown.message);
    if (method === 'tools/call' && isToolResultParts(thrown)) return encodeFailure(name, thrown);
    throw thrown;
  }
}

/** Throws an error for input that the client cannot give. */
function rethrowInputError(error: unknown): never {
  if (TenonError.is(error) && error.code.startsWith('client/')) throw rpcError(INTERNAL_ERROR, error.message);
  throw error;
}

function createOperation(method: string, params: JsonObject, context: Context): Operation {
  const name = params.name ?? params.uri;
  return { method, name: typeof name === 'string' ? name : undefined, params, context };
}

/** Requires clients to declare the extension of a method, on versions where each request declares it. */
function requireClientExtension(extension: string, { dialect, caller }: RequestContext): void {
  if (dialect.opening === 'handshake' || caller.capabilities.extensions?.[extension] !== undefined) return;
  throw createMissingCapabilityError(dialect, { extensions: { [extension]: {} } });
}

/** Binds request state to this server, caller, method and arguments. */
function createStateBinding(
  { info }: ServerRuntime,
  method: string,
  params: JsonObject,
  { caller }: RequestContext,
): string {
  const { _meta, inputResponses, requestState, ...call } = params;
  return toCanonicalJson([info.name, getOwnerKey(identifyCaller(caller.auth)) ?? null, method, call]);
}
