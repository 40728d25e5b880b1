import {
  catchMaybe,
  getOwnerKey,
  INTERNAL_ERROR,
  identifyCaller,
  isForPeer,
  type JsonObject,
  METHOD_NOT_FOUND,
  requireResult,
  rpcError,
  settleMaybe,
  TenonError,
  thenMaybe,
  toCanonicalJson,
  toJsonObject,
} from '@tenon/base';
import { checkInputRequestMethods } from '../execution/check-input-requests.js';
import type { HandlerRun } from '../execution/handler-run.js';
import { RunWithoutInput } from '../execution/lazy-run.js';
import type { MaybeAsyncResult, Middleware, Operation } from '../handler/operation.js';
import { isToolResultParts } from '../handler/tool-result.js';
import type { JsonRpcRequest } from '../jsonrpc/message.js';
import type { MethodName, ParamsOf } from '../protocol/method-types.js';
import { isMethod, methods } from '../protocol/methods.js';
import { createMissingCapabilityError } from '../protocol/missing-capabilities.js';
import type { RetryInputs } from '../protocol/params-and-results.js';
import { hasScopes, insufficientScope } from '../protocol/scopes.js';
import { isCapabilityDeclared } from './capabilities.js';
import { HandlerContext } from './context/handler-context.js';
import { decodeParams, encodeResult, requireParams } from './decode-encode.js';
import type { ExposeErrors } from './exposed-errors.js';
import { runCustomMethod } from './methods/custom-methods.js';
import { resolveResource } from './methods/resources.js';
import { findListenedResources } from './methods/subscriptions.js';
import { createErrorResult, isForModel } from './methods/tools/call-tool.js';
import { encodeFailure } from './methods/tools/encode-return-value.js';
import { requestUrlElicitation } from './methods/url-elicitation.js';
import { composeMiddleware, selectMiddleware } from './middleware/compose-middleware.js';
import { nameRequest } from './report-request-error.js';
import type { RequestContext } from './request-context.js';
import type { FoundDefinitions, FoundOf, MethodRequest, ServerMethodHandler, ServerRuntime } from './server-runtime.js';
import { isClientError } from './session/client-errors.js';

/**
 * Handles one request: resolves its method, decodes the params, finds the definition that they name, authorizes the
 * caller, runs the handler inside the middleware, and encodes the result. Throws errors for the peer; all other errors
 * are masked.
 */
export function dispatch(
  server: ServerRuntime,
  { method, params: received }: JsonRpcRequest,
  requestContext: RequestContext,
): MaybeAsyncResult {
  if (!isMethod(method))
    return catchMaybe<JsonObject>(
      () => runCustomMethod(server, method, received, requestContext),
      error => throwForClient(server, requestContext, error, method, undefined),
    );
  const { capability, extension } = methods[method];
  const { dialect, caller } = requestContext;
  const handler = server.methodHandlers[method];
  if (handler === undefined || !dialect.methods.client.has(method))
    throw createMethodNotFoundError(method, requestContext);
  // On versions without a handshake, each request declares the extensions of its client.
  if (
    extension !== undefined &&
    dialect.opening !== 'handshake' &&
    caller.capabilities.extensions?.[extension] === undefined
  )
    throw createMissingCapabilityError(dialect, { extensions: { [extension]: {} } });
  if (capability !== undefined && !isCapabilityDeclared(server, capability)) throw createMethodNotFoundError(method);
  const params = decodeParams(method, received, dialect, requestContext.connection ?? server);
  const found = findDefinition(server, method, params, requestContext);
  const request: MethodRequest = { server, requestContext, method, params, found };
  const waiting = server.rateLimits.check(method, caller);
  return waiting === undefined ? runRequest(request, handler) : waiting.then(() => runRequest(request, handler));
}

/** Runs an authorized request, and encodes its result or error for the client. */
function runRequest(request: MethodRequest, handler: ServerMethodHandler<never>): MaybeAsyncResult {
  const { server, requestContext, method, found } = request;
  if (method === 'subscriptions/listen' && server.options.exposeErrors === undefined)
    return runWithMaskedErrors(request, handler);
  return settleMaybe<JsonObject, JsonObject>(
    () => runOperation(request, handler),
    result => encodeResult(request, result),
    error => throwForClient(server, requestContext, error, method, found?.definition),
  );
}

/**
 * Runs a request whose errors are masked in any case. A stream keeps each closure, and all that one of them refers to, in
 * memory while it is open, so this is a function of its own.
 */
const runWithMaskedErrors = (request: MethodRequest, handler: ServerMethodHandler<never>): MaybeAsyncResult =>
  thenMaybe(runOperation(request, handler), result => encodeResult(request, result));

/** Finds the definition that a request names. If it does not exist, the handler of the method reports the error. */
type DefinitionFinder<M extends MethodName> = (
  server: ServerRuntime,
  params: ParamsOf<M>,
  requestContext: RequestContext,
) => FoundOf<M>;

const finders: { readonly [M in keyof FoundDefinitions]: DefinitionFinder<M> } = {
  'tools/call'({ tools }, { name }, { caller }) {
    const definition = tools.find(name, caller);
    return definition && { definition };
  },
  'prompts/get'({ prompts }, { name }, { caller }) {
    const definition = prompts.find(name, caller);
    return definition && { definition };
  },
  'resources/read': (server, { uri }, requestContext) => resolveResource(server, uri, requestContext),
  'resources/subscribe': (server, { uri }, requestContext) => resolveResource(server, uri, requestContext),
  'subscriptions/listen': findListenedResources,
  'completion/complete'({ prompts, resources }, { ref }, { caller }) {
    const definition = ref.type === 'ref/prompt' ? prompts.find(ref.name, caller) : resources.find(ref.uri, caller);
    return definition && { definition };
  },
};

/**
 * Finds the definition that a request names, once: its handler runs the same one. Throws the error for a 403 when the
 * caller lacks a scope of it.
 */
export function findDefinition<M extends MethodName>(
  server: ServerRuntime,
  method: M,
  params: ParamsOf<M>,
  requestContext: RequestContext,
): FoundOf<M> {
  const find = (finders as { readonly [N in MethodName]?: DefinitionFinder<N> })[method];
  const found = find?.(server, params, requestContext);
  const scopes = found?.definition.scopes;
  // The error names all scopes that the request needs.
  if (scopes !== undefined && !hasScopes(requestContext.caller.auth, scopes))
    throw insufficientScope([...new Set(scopes)]);
  return found as FoundOf<M>;
}

/** Throws an error of a handler, with its message if the client may see it. */
function throwForClient(
  { options }: ServerRuntime,
  requestContext: RequestContext,
  error: unknown,
  method: string,
  definition: { readonly exposeErrors?: ExposeErrors | undefined } | undefined,
): Promise<never> {
  const { exposeErrors = options.exposeErrors } = definition ?? {};
  // An input request that the client does not support is an error for it, also when the other errors are masked.
  if (TenonError.is(error) && error.code.startsWith('client/') && isMethod(method) && methods[method].mayRequestInput)
    throw rpcError(INTERNAL_ERROR, error.message);
  const nameMasked = (masked: unknown) =>
    isForPeer(masked)
      ? masked
      : nameRequest(masked, 'handler/threw', {
          method,
          caller: requestContext.caller,
          dialect: requestContext.dialect,
        });
  if (!exposeErrors && !isClientError(error)) throw nameMasked(error);
  const report = (original: unknown) => requestContext.reportError(original);
  return import('./exposed-errors.js').then(({ exposeError, toClientError }) => {
    if (!isClientError(error)) throw nameMasked(exposeError(error, exposeErrors, report));
    report(error);
    throw toClientError(error);
  });
}

/** Runs the handler of a method inside its middleware, with the input strategy for this client. */
function runOperation(request: MethodRequest, handler: ServerMethodHandler<never>): MaybeAsyncResult {
  const { server, requestContext, method, params } = request;
  const { use, state } = server.options;
  if (!methods[method].mayRequestInput) {
    const run = new RunWithoutInput(method);
    return runInMiddleware(request, handler, run, new HandlerContext(requestContext, run, params, state));
  }
  const middleware = use && selectMiddleware(use, method);
  const hasMiddleware = server.backend.hasMiddleware || (middleware?.length ?? 0) > 0;
  const strategy = requestContext.createInputStrategy(params as RetryInputs, () => createStateBinding(request));
  let context: HandlerContext | undefined;
  return strategy((run, inputs) => {
    const entered = new HandlerContext(requestContext, run, params, state, inputs, context);
    context = entered;
    return catchMaybe(
      () => runInMiddleware(request, handler, run, entered, middleware),
      error => toErrorResult(error, request, inputs),
    );
  }, hasMiddleware);
}

/** Runs the handler of a method inside the middleware of the server of the request. */
export function runInMiddleware(
  request: MethodRequest,
  handler: ServerMethodHandler<never>,
  run: HandlerRun,
  context: HandlerContext,
  middleware = request.server.options.use && selectMiddleware(request.server.options.use, request.method),
): MaybeAsyncResult {
  const { server, requestContext, method, params } = request;
  const named = params as { readonly name?: unknown; readonly uri?: unknown };
  const given = named.name ?? named.uri;
  const name = typeof given === 'string' ? given : undefined;
  // Each member is written out: V8 keeps much more memory for an object of several spread ones.
  if (middleware === undefined || middleware.length === 0)
    return handler({ server, requestContext, method, params, found: request.found, name, context, run } as never);
  return runMiddleware(middleware, { method, name, params, context }, changed => {
    let { found } = request;
    // A middleware may have replaced the params.
    if (changed.params !== request.params) {
      requireParams(method, changed.params);
      found = findDefinition(server, method, changed.params, requestContext);
    }
    const call = { server, requestContext, method, params: changed.params, found, name: changed.name, context, run };
    return handler(call as never);
  });
}

/** Runs the middleware of a method around its handler. A middleware may return its own input requests. */
async function runMiddleware(
  middleware: readonly Middleware[],
  operation: Operation & { readonly method: MethodName },
  handleOperation: (operation: Operation) => MaybeAsyncResult,
): Promise<JsonObject> {
  let handled: JsonObject | undefined;
  const run = composeMiddleware(middleware, async each => {
    handled = await handleOperation(each);
    return handled;
  });
  const result: unknown = await run(operation);
  const subject = `middleware of ${operation.method} "${operation.name ?? ''}"`;
  checkInputRequestMethods(subject, result);
  const object = toJsonObject(result);
  // Most middleware returns the result of the handler, which needs no check.
  if (object !== handled && object.resultType !== 'input_required')
    requireResult(`result of ${subject}`, result, methods[operation.method].result, 'handler/result');
  return object;
}

/** Converts an error of a handler or a middleware to a result, if the protocol version or the model needs one. */
function toErrorResult(
  error: unknown,
  { method, params, requestContext }: MethodRequest,
  inputs: RetryInputs,
): JsonObject {
  try {
    return requestUrlElicitation(error, requestContext, inputs);
  } catch (thrown) {
    if (method === 'tools/call' && isForModel(thrown)) return createErrorResult(thrown.message);
    if (method === 'tools/call' && isToolResultParts(thrown)) return encodeFailure(String(params.name), thrown);
    throw thrown;
  }
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

/** Binds request state to this server, caller, method and arguments. */
function createStateBinding({ server, requestContext, method, params }: MethodRequest): string {
  const { _meta, inputResponses, requestState, ...call } = params as JsonObject;
  return toCanonicalJson([
    server.info.name,
    getOwnerKey(identifyCaller(requestContext.caller.auth)) ?? null,
    method,
    call,
  ]);
}
