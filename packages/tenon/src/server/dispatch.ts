import { toCanonicalJson } from '../encoding/canonical-json.js';
import { checkInputRequestMethods } from '../execution/check-input-requests.js';
import type { HandlerRun } from '../execution/handler-run.js';
import { withoutInputRequests } from '../execution/lazy-run.js';
import type { Context } from '../handler/context.js';
import type { MaybeAsyncResult, MethodOperation, Middleware, Operation } from '../handler/operation.js';
import { isToolResultParts } from '../handler/tool-result.js';
import { rpcError, TenonError } from '../jsonrpc/error.js';
import { INTERNAL_ERROR, METHOD_NOT_FOUND } from '../jsonrpc/error-codes.js';
import { catchMaybe, settleMaybe, thenMaybe } from '../jsonrpc/maybe-promise.js';
import type { JsonObject, JsonRpcRequest } from '../jsonrpc/message.js';
import { getOwnerKey, identifyCaller } from '../protocol/caller-identity.js';
import type { MethodName, ParamsOf } from '../protocol/method-types.js';
import { isMethod, methods } from '../protocol/methods.js';
import { createMissingCapabilityError } from '../protocol/missing-capabilities.js';
import type { RetryInputs } from '../protocol/params-and-results.js';
import { isCapabilityDeclared } from './capabilities.js';
import { HandlerContext } from './context/handler-context.js';
import { decodeParams, encodeResult, requireParams } from './decode-encode.js';
import type { ExposeErrors } from './exposed-errors.js';
import { findCompletedItem } from './methods/completion.js';
import { runCustomMethod } from './methods/custom-methods.js';
import { resolveResource } from './methods/resources.js';
import { findListenedResources } from './methods/subscriptions.js';
import { createErrorResult, isForModel } from './methods/tools/call-tool.js';
import { encodeFailure } from './methods/tools/encode-return-value.js';
import { requestUrlElicitation } from './methods/url-elicitation.js';
import { composeMiddleware, selectMiddleware } from './middleware/compose-middleware.js';
import type { RequestContext } from './request-context.js';
import { type HasScopes, requireItemScopes } from './scopes.js';
import type { ServerMethodHandler, ServerRuntime } from './server-runtime.js';
import { isClientError } from './session/client-errors.js';

/**
 * Handles one request: resolves its method, decodes the params, authorizes the caller, runs the handler inside the
 * middleware, and encodes the result. Throws errors for the peer; all other errors are masked.
 */
export function dispatch(
  runtime: ServerRuntime,
  request: JsonRpcRequest,
  requestContext: RequestContext,
): MaybeAsyncResult {
  const { method } = request;
  if (!isMethod(method))
    return catchMaybe<JsonObject>(
      () => runCustomMethod(runtime, request, requestContext),
      error => throwForClient(runtime, error, method, undefined),
    );
  const handler = resolveMethod(runtime, method, requestContext);
  const params = decodeParams(method, request.params, requestContext.dialect, requestContext.connection ?? runtime);
  const waiting = authorize(runtime, method, params, requestContext);
  const run = () => {
    const encode = (result: JsonObject) => encodeResult(runtime, result, method, params.name, requestContext);
    // A stream keeps each closure in memory while it is open, and only `exposeErrors` of the server concerns its errors.
    if (method === 'subscriptions/listen' && runtime.options.exposeErrors === undefined)
      return thenMaybe(runOperation(runtime, method, params, requestContext, handler), encode);
    return settleMaybe<JsonObject, JsonObject>(
      () => runOperation(runtime, method, params, requestContext, handler),
      encode,
      error => throwForClient(runtime, error, method, findItem(runtime, method, params, requestContext)),
    );
  };
  return waiting === undefined ? run() : waiting.then(run);
}

/** Returns the handler of a method. Throws -32601 if the server or the protocol version does not have the method. */
function resolveMethod<M extends MethodName>(
  runtime: ServerRuntime,
  method: M,
  requestContext: RequestContext,
): ServerMethodHandler<M> {
  const { capability, extension } = methods[method];
  const handler = runtime.methodHandlers[method];
  if (handler === undefined || !requestContext.dialect.methods.client.has(method))
    throw createMethodNotFoundError(method, requestContext);
  if (extension !== undefined) requireClientExtension(extension, requestContext);
  if (capability !== undefined && !isCapabilityDeclared(runtime, capability)) throw createMethodNotFoundError(method);
  return handler;
}

/**
 * Throws the error for a 403 when the caller lacks a scope, and the error for a 429 when its requests exceed a rate.
 * Returns a promise if the rate is counted in a store that has to be asked.
 */
function authorize<M extends MethodName>(
  runtime: ServerRuntime,
  method: M,
  params: ParamsOf<M>,
  requestContext: RequestContext,
): Promise<void> | undefined {
  requireScopes(runtime, method, params, requestContext);
  return runtime.rateLimits.check(method, requestContext.caller);
}

/** Finds the definition that a request refers to. If it does not exist, the handler of the method reports the error. */
type ScopedItemFinder<M extends MethodName> = (
  runtime: ServerRuntime,
  params: ParamsOf<M>,
  requestContext: RequestContext,
) => ProtectedItem | undefined;

/** A definition as far as it concerns who may use it, and what its callers see. */
type ProtectedItem = HasScopes & { readonly exposeErrors?: ExposeErrors | undefined };

const scopedItems: { readonly [M in MethodName]?: ScopedItemFinder<M> } = {
  'tools/call': ({ tools }, { name }, { caller }) => tools.find(name, caller),
  'prompts/get': ({ prompts }, { name }, { caller }) => prompts.find(name, caller),
  'resources/read': (runtime, { uri }, requestContext) => resolveResource(runtime, uri, requestContext)?.definition,
  'resources/subscribe': (runtime, { uri }, requestContext) =>
    resolveResource(runtime, uri, requestContext)?.definition,
  'subscriptions/listen': findListenedResources,
  'completion/complete': findCompletedItem,
};

function findItem<M extends MethodName>(
  runtime: ServerRuntime,
  method: M,
  params: ParamsOf<M>,
  requestContext: RequestContext,
): ProtectedItem | undefined {
  return scopedItems[method]?.(runtime, params, requestContext);
}

function requireScopes<M extends MethodName>(
  runtime: ServerRuntime,
  method: M,
  params: ParamsOf<M>,
  requestContext: RequestContext,
): void {
  const item = findItem(runtime, method, params, requestContext);
  if (item?.scopes !== undefined) requireItemScopes(item, requestContext.caller);
}

/** Throws an error of a handler, with its message if the client may see it. */
function throwForClient(
  { options, onError }: ServerRuntime,
  error: unknown,
  method: string,
  item: ProtectedItem | undefined,
): Promise<never> {
  const { exposeErrors = options.exposeErrors } = item ?? {};
  if (!exposeErrors && !isClientError(error)) throw error;
  const report = (original: unknown) => onError(TenonError.from(original, 'handler/threw', { method }));
  return import('./exposed-errors.js').then(({ exposeError, toClientError }) => {
    if (!isClientError(error)) throw exposeError(error, exposeErrors, report);
    report(error);
    throw toClientError(error);
  });
}

/** Runs the handler of a method inside its middleware, with the input strategy for this client. */
function runOperation<M extends MethodName>(
  runtime: ServerRuntime,
  method: M,
  params: ParamsOf<M>,
  requestContext: RequestContext,
  handler: ServerMethodHandler<M>,
): MaybeAsyncResult {
  const handleOperation = (operation: Operation): MaybeAsyncResult => {
    requireOperation(runtime, method, params, operation, requestContext);
    return handler(operation, requestContext, runtime);
  };
  const { use } = runtime.options;
  const run = use === undefined ? handleOperation : wrapInMiddleware(use, method, handleOperation);
  if (!methods[method].mayRequestInput)
    return run(
      createOperation(
        method,
        params,
        new HandlerContext(requestContext, withoutInputRequests(method), params, runtime.options.state),
      ),
    );
  const strategy = requestContext.createInputStrategy(params as RetryInputs, () =>
    createStateBinding(runtime, method, params, requestContext),
  );
  let context: HandlerContext | undefined;
  const runHandler = (handlerRun: HandlerRun, inputs: RetryInputs): MaybeAsyncResult => {
    const entryContext = new HandlerContext(requestContext, handlerRun, params, runtime.options.state, inputs, context);
    context = entryContext;
    const operation = createOperation(method, params, entryContext);
    return catchMaybe(
      () => run(operation),
      error => toErrorResult(error, operation, requestContext, inputs),
    );
  };
  return catchMaybe(() => strategy(runHandler, run !== handleOperation), rethrowInputError);
}

/** Checks the params again if a middleware has replaced them. */
function requireOperation<M extends MethodName>(
  runtime: ServerRuntime,
  method: M,
  checked: ParamsOf<M>,
  operation: Operation,
  requestContext: RequestContext,
): asserts operation is MethodOperation<M> {
  if (operation.params === checked) return;
  requireParams(method, operation.params);
  requireScopes(runtime, method, operation.params, requestContext);
}

/** Runs the middleware of the method around the handler. A middleware may return its own input requests. */
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

/** Converts an error of a handler or a middleware to a result, if the protocol version or the model needs one. */
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

/** Throws the error for an input request that the client does not support. */
function rethrowInputError(error: unknown): never {
  if (TenonError.is(error) && error.code.startsWith('client/')) throw rpcError(INTERNAL_ERROR, error.message);
  throw error;
}

function createOperation(method: string, params: JsonObject, context: Context): Operation {
  const name = params.name ?? params.uri;
  return { method, name: typeof name === 'string' ? name : undefined, params, context };
}

function createMethodNotFoundError(method: string, requestContext?: RequestContext): TenonError {
  if (requestContext?.dialect.sessionMethods?.has(method)) {
    return rpcError(
      METHOD_NOT_FOUND,
      `Method not found: ${method} requires a session, and the server runs without sessions`,
    );
  }
  return rpcError(METHOD_NOT_FOUND, `Method not found: ${method.slice(0, 128)}`);
}

/** Throws if the client did not declare the extension of a method, on versions where each request declares it. */
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
