import { getKeptScheme, type JsonObject, toJsonObject } from '@tenon/base';
import type { ProxyCall } from 'tenon/proxy';
import { readCacheHints } from '../connections/cache-hints.js';
import type { UpstreamConnection } from '../connections/upstream-connection.js';
import type { ActionRequest } from '../security/policy/action-request.js';
import { createPromptRequest, createResourceRequest } from './action-requests.js';
import { forward } from './forward.js';
import { forwardResolved } from './forward-resolved.js';
import type { GatewayContext } from './gateway-context.js';
import { resolveName, resolveUpstreamResource } from './resolve-target.js';
import { forwardGuarded } from './tool-calls.js';

const COMPLETE = 'completion/complete';

/** Forwards `resources/read` to the server of the resource. */
export async function forwardResourceRead(
  gateway: GatewayContext,
  call: ProxyCall<'resources/read'>,
): Promise<JsonObject> {
  const { params, context, run, requestContext } = call;
  const { uri: outer } = params;
  const stored = await gateway.guard.readOverflow(outer, gateway.getScope(requestContext).identity);
  if (stored) return stored;
  const resolve = () => resolveUpstreamResource(gateway, outer, requestContext, 'resources/read');
  const first = await resolve();
  const result = await run.invokeHandler(context, () =>
    forwardResolved(first, 'resources/read', resolve, ({ connection, uri }) => {
      const actionRequest = createResourceRequest(connection, uri, requestContext.caller.auth);
      const own = { ...params, uri };
      return forwardGuarded(gateway, { connection, method: 'resources/read', params: own, call, actionRequest });
    }),
  );
  if (getKeptScheme(first.uri) === 'ui' && result.resultType !== 'input_required')
    gateway.getAddresses(gateway.getScope(requestContext)).recordView(first.connection.server);
  if (result.resultType === 'input_required') return result;
  // A result without a lifetime must not be cached.
  const { ttlMs = 0, cacheScope = 'private' } = readCacheHints(result);
  return { ...result, ttlMs, cacheScope };
}

/** Forwards `prompts/get` to the server of the prompt. */
export async function forwardPromptRequest(
  gateway: GatewayContext,
  call: ProxyCall<'prompts/get'>,
): Promise<JsonObject> {
  const { params, context, run, requestContext } = call;
  const resolve = async () => resolveName(gateway, 'prompts', params.name, requestContext, 'prompts/get');
  const first = await resolve();
  const args = toJsonObject(params.arguments);
  return run.invokeHandler(context, () =>
    forwardResolved(first, 'prompts/get', resolve, ({ connection, name }) => {
      const actionRequest = createPromptRequest(connection, name, args, requestContext.caller.auth);
      const own = { ...params, name };
      return forwardGuarded(gateway, { connection, method: 'prompts/get', params: own, call, actionRequest });
    }),
  );
}

/**
 * Forwards `completion/complete` to the server of the prompt or template. Returns no values if the server does not
 * support completion.
 */
export async function forwardCompletion(
  gateway: GatewayContext,
  call: ProxyCall<'completion/complete'>,
): Promise<JsonObject> {
  const { params, requestContext } = call;
  const { ref } = params;
  const { auth } = requestContext.caller;
  const { guard } = gateway;
  const complete = async (
    connection: UpstreamConnection,
    own: JsonObject,
    actionRequest: ActionRequest,
  ): Promise<JsonObject> => {
    await guard.authorizePassive(actionRequest, connection, COMPLETE);
    if ((await connection.getClient()).server.capabilities.completions === undefined)
      return { completion: { values: [] } };
    const result = await forward({ guard, connection, method: COMPLETE, params: { ...params, ref: own }, call });
    return guard.processResult(actionRequest, result, false);
  };
  if (ref.type === 'ref/prompt') {
    const resolve = async () => resolveName(gateway, 'prompts', ref.name, requestContext, COMPLETE);
    return forwardResolved(await resolve(), COMPLETE, resolve, ({ connection, name }) =>
      complete(connection, { ...ref, name }, createPromptRequest(connection, name, {}, auth)),
    );
  }
  const resolve = async () =>
    (await gateway.getCatalog(gateway.getScope(requestContext)).resolveTemplate(ref.uri)) ??
    (await resolveUpstreamResource(gateway, ref.uri, requestContext, COMPLETE));
  return forwardResolved(await resolve(), COMPLETE, resolve, ({ connection, uri }) =>
    complete(connection, { ...ref, uri }, createResourceRequest(connection, uri, auth)),
  );
}
