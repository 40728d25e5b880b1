import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import { Context } from '../../server/context/context.js';
import type { MethodOperation } from '../../server/method-handler.js';
import type { RequestContext } from '../../server/request-context.js';
import type { UpstreamConnection } from '../connections/upstream-connection.js';
import { createPromptRequest, createResourceRequest } from './action-requests.js';
import { forward } from './forward.js';
import type { GatewayContext } from './gateway-context.js';
import { resolveName, resolveUpstreamResource } from './resolve-target.js';
import { forwardGuarded } from './tool-calls.js';

const COMPLETE = 'completion/complete';

/** Forwards `resources/read` to the server of the resource. */
export async function forwardResourceRead(
  gateway: GatewayContext,
  { params, context }: MethodOperation<'resources/read'>,
  requestContext: RequestContext,
): Promise<JsonObject> {
  const { uri: outer } = params;
  const own = await gateway.guard.readOverflow(outer, gateway.getScope(requestContext).identity);
  if (own) return own;
  const { connection, uri } = await resolveUpstreamResource(gateway, outer, requestContext, 'resources/read');
  const proxiedRequest = {
    connection,
    method: 'resources/read',
    params: { ...params, uri },
    context,
    requestContext,
    allowQuestions: true,
  };
  const result = await Context.invokeHandler(context, () =>
    forwardGuarded(gateway, createResourceRequest(connection, uri, requestContext.caller.auth), proxiedRequest),
  );
  // A result without a lifetime must not be cached.
  return result.resultType === 'input_required' ? result : { ttlMs: 0, cacheScope: 'private', ...result };
}

/** Forwards `prompts/get` to the server of the prompt. */
export async function forwardPromptRequest(
  gateway: GatewayContext,
  { params, context }: MethodOperation<'prompts/get'>,
  requestContext: RequestContext,
): Promise<JsonObject> {
  const { connection, name } = await resolveName(gateway, 'prompts', params.name, requestContext, 'prompts/get');
  const args = isObject(params.arguments) ? params.arguments : {};
  const proxiedRequest = {
    connection,
    method: 'prompts/get',
    params: { ...params, name },
    context,
    requestContext,
    allowQuestions: true,
  };
  return Context.invokeHandler(context, () =>
    forwardGuarded(gateway, createPromptRequest(connection, name, args, requestContext.caller.auth), proxiedRequest),
  );
}

/**
 * Forwards `completion/complete` to the server of the prompt or template. Returns no values if the server does not
 * support completion.
 */
export async function forwardCompletion(
  gateway: GatewayContext,
  { params, context }: MethodOperation<'completion/complete'>,
  requestContext: RequestContext,
): Promise<JsonObject> {
  const { ref } = params;
  const catalog = gateway.getCatalog(gateway.getScope(requestContext));
  const forwardCompletion = async (connection: UpstreamConnection, own: JsonObject): Promise<JsonObject> => {
    if ((await connection.getClient()).server.capabilities.completions === undefined)
      return { completion: { values: [] } };
    const proxiedRequest = { connection, method: COMPLETE, params: { ...params, ref: own }, context, requestContext };
    return forward({
      ...proxiedRequest,
      allowQuestions: false,
      questions: gateway.guard.createQuestionHandler(connection),
    });
  };
  if (ref.type === 'ref/prompt') {
    const { connection, name } = await resolveName(gateway, 'prompts', ref.name, requestContext, COMPLETE);
    await gateway.guard.authorizePassive(
      createPromptRequest(connection, name, {}, requestContext.caller.auth),
      connection,
      COMPLETE,
    );
    return forwardCompletion(connection, { ...ref, name });
  }
  const { connection, uri } =
    (await catalog.resolveTemplate(ref.uri)) ??
    (await resolveUpstreamResource(gateway, ref.uri, requestContext, COMPLETE));
  await gateway.guard.authorizePassive(
    createResourceRequest(connection, uri, requestContext.caller.auth),
    connection,
    COMPLETE,
  );
  return forwardCompletion(connection, { ...ref, uri });
}
