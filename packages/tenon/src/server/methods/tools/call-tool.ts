import {
  describeIssues,
  describeUnknownName,
  INVALID_PARAMS,
  type Issue,
  isForPeer,
  type JsonObject,
  rpcError,
  TenonError,
  thenMaybe,
} from '@tenon/base';
import type { CallerInfo, Context } from '../../../handler/context.js';
import type { MaybeAsyncResult } from '../../../handler/operation.js';
import { isToolResultParts } from '../../../handler/tool-result.js';
import { describeStoreOutage } from '../../../jsonrpc/error-response.js';
import type { ClientCapabilities } from '../../../protocol/capabilities.js';
import { createUnsupportedError, findMissingCapabilities } from '../../../protocol/missing-capabilities.js';
import type { CheckResult } from '../../../schemas/compile-schema.js';
import { HandlerContext } from '../../context/handler-context.js';
import { finalizeResult } from '../../decode-encode.js';
import { type CompiledTool, compileTool } from '../../definitions/compiled-tool.js';
import type { ResolvedTaskOptions } from '../../definitions/tool.js';
import type { RequestContext } from '../../request-context.js';
import type { DetachedToolCall, MethodCall, ServerRuntime } from '../../server-runtime.js';
import { isClientError } from '../../session/client-errors.js';
import { isUrlElicitationRequired } from '../url-elicitation.js';
import { encodeFailure, encodeReturnValue } from './encode-return-value.js';

/**
 * Handles `tools/call`.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools
 */
export function callTool(call: MethodCall<'tools/call'>): MaybeAsyncResult {
  const { server, requestContext, params, found, context } = call;
  if (found === undefined) throw createUnknownToolError(server, params.name, requestContext.caller);
  const tool = compileTool(params.name, found.definition);
  if (tool.headerParams.length > 0) requestContext.checkHeaders?.(tool.headerParams, params.arguments);
  return thenMaybe(checkInput(tool, params.arguments ?? {}), input => {
    if (!input.ok) return finalizeResult(server, rejectArguments(tool, input.issues, requestContext));
    requireCapabilities(tool.definition.requiredCapabilities, requestContext);
    return runTool(call, tool.taskOptions, () => invokeTool(call, tool, input.value, context));
  });
}

/** Runs a tool for a request. An extension may run it instead. */
export function runTool(
  call: MethodCall<'tools/call'>,
  taskOptions: ResolvedTaskOptions | undefined,
  handler: () => MaybeAsyncResult,
): MaybeAsyncResult {
  const { server, requestContext, context, run } = call;
  const invoke = () => run.invokeHandler(context, handler);
  const rebind = (to: RequestContext, params: JsonObject) => HandlerContext.rebind(context, to, params);
  let result: MaybeAsyncResult | undefined;
  for (const extension of server.extensionHooks)
    result ??= extension.callTool?.({ taskOptions, operation: call, requestContext, run, invoke, rebind });
  return thenMaybe(result ?? invoke(), settled =>
    (settled.resultType ?? 'complete') === 'complete' ? finalizeResult(server, settled) : settled,
  );
}

/** Runs the handler of a tool without an open request. The result is not marked as final. */
export async function runToolHandler(
  { params, requestContext, run, inputs }: DetachedToolCall,
  server: ServerRuntime,
): Promise<JsonObject> {
  const name = String(params.name);
  const definition = server.tools.find(name, requestContext.caller);
  if (definition === undefined) throw createUnknownToolError(server, name, requestContext.caller);
  const tool = compileTool(name, definition);
  const input = await checkInput(tool, params.arguments ?? {});
  if (!input.ok) return rejectArguments(tool, input.issues, requestContext);
  const context = new HandlerContext(requestContext, run, params, server.options.state, inputs);
  return invokeTool({ server, requestContext }, tool, input.value, context);
}

function createUnknownToolError({ tools }: ServerRuntime, name: string, caller: CallerInfo): TenonError {
  const names = tools.listFor(caller).map(([each]) => each);
  return rpcError(INVALID_PARAMS, describeUnknownName('tool', name, names));
}

function rejectArguments({ wire }: CompiledTool, issues: Issue[], { dialect }: RequestContext): JsonObject {
  const message = `Invalid arguments for tool ${wire.name}: ${describeIssues(issues)}`;
  if (dialect.errors.invalidArguments === 'error') throw rpcError(INVALID_PARAMS, message);
  return createErrorResult(message);
}

/**
 * Throws if the client lacks a required capability. This check is before the handler, because a running handler cannot
 * request input that the client does not support.
 */
export function requireCapabilities(
  required: ClientCapabilities | undefined,
  { caller, dialect }: RequestContext,
): void {
  const missing = required && findMissingCapabilities(required, caller.capabilities);
  if (missing) throw createUnsupportedError(dialect, missing);
}

function invokeTool(
  { server, requestContext }: Pick<MethodCall<'tools/call'>, 'server' | 'requestContext'>,
  tool: CompiledTool,
  input: unknown,
  context: HandlerContext,
): MaybeAsyncResult {
  return HandlerContext.runDefinition<unknown, JsonObject>(
    context,
    () => tool.definition.run(input as never, context),
    returned => encodeReturnValue(tool, returned, malformed => requestContext.reportError(malformed)),
    error => toToolErrorResult(server, requestContext, tool, error, context),
  );
}

function checkInput({ input }: CompiledTool, args: unknown): CheckResult | Promise<CheckResult> {
  return input === undefined ? { ok: true, value: {} } : input.check(args);
}

/** Rethrows protocol errors and converts errors for the model to results. Masks and reports all others. */
function toToolErrorResult(
  { options }: ServerRuntime,
  requestContext: RequestContext,
  tool: CompiledTool,
  thrown: unknown,
  { signal }: Context,
): MaybeAsyncResult {
  let error = thrown;
  if (isToolResultParts(thrown)) {
    try {
      return encodeFailure(tool.wire.name, thrown);
    } catch (malformed) {
      error = malformed;
    }
  }
  if (TenonError.is(error)) {
    if (isForPeer(error) || isUrlElicitationRequired(error)) throw error;
    if (isForModel(error)) return createErrorResult(error.message);
  }
  if (!signal.aborted) requestContext.reportError(error, 'tool/threw', `tools/call ${tool.wire.name}`);
  if (isClientError(error))
    return import('../../exposed-errors.js').then(({ describeClientError }) =>
      createErrorResult(describeClientError(error)),
    );
  const masked = `Tool ${tool.wire.name} failed`;
  const outage = describeStoreOutage(error);
  // The handler has started, so a repetition may have a second effect.
  if (outage) return createErrorResult(`${masked}: ${outage}. Check the effect of the call before you send it again`);
  const { exposeErrors = options.exposeErrors } = tool.definition;
  if (!exposeErrors) return createErrorResult(masked);
  return import('../../exposed-errors.js').then(({ describeExposedError }) =>
    createErrorResult(describeExposedError(error, exposeErrors) ?? masked),
  );
}

/**
 * Tells if the model may see an error: an error of `toolError`, or an input request that the client does not support.
 * Errors of other peers do not count, because they may contain information that this client must not get.
 */
export function isForModel(error: unknown): error is TenonError {
  return TenonError.is(error) && error.peer === undefined && /^(tool\/failed|client\/.*)$/.test(error.code);
}

export function createErrorResult(text: string): JsonObject {
  return { content: [{ type: 'text', text }], isError: true };
}
