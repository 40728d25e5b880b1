import { isObject, type JsonObject } from '../jsonrpc/message.js';
import type { CompleteParams } from '../protocol/params-and-results.js';
import { hasScopes, insufficientScope } from '../protocol/scopes.js';
import type { CallerInfo } from './caller-info.js';
import { resolveResource } from './methods/resources.js';
import type { RequestContext } from './request-context.js';
import type { ServerRuntime } from './server-runtime.js';

/** Something for which a caller may need scopes. */
export interface HasScopes {
  readonly scopes?: readonly string[] | undefined;
}

/** True if the caller has all required scopes. Where nobody authorizes, nobody has any. */
export function hasRequiredScopes({ auth }: CallerInfo, { scopes }: HasScopes): boolean {
  return hasScopes(auth, scopes);
}

/** Throws what becomes a 403 when the caller lacks a scope; it names all that the request needs. */
export function requireScopes(
  runtime: ServerRuntime,
  method: string,
  params: JsonObject,
  requestContext: RequestContext,
): void {
  const { tools, prompts } = runtime;
  switch (method) {
    case 'tools/call':
      return requireItemScopes(tools.find(params.name as string, requestContext.caller), requestContext);
    case 'prompts/get':
      return requireItemScopes(prompts.find(params.name as string, requestContext.caller), requestContext);
    case 'resources/read':
    case 'resources/subscribe':
      return requireItemScopes(
        resolveResource(runtime, params.uri as string, requestContext)?.definition,
        requestContext,
      );
    case 'subscriptions/listen':
      return requireAllScopes(findListenedResources(runtime, params, requestContext), requestContext);
    case 'completion/complete':
      return requireItemScopes(
        findCompletedItem(runtime, params as unknown as CompleteParams, requestContext),
        requestContext,
      );
  }
}

/** Requires the scopes of an item; missing items are reported by the lookup itself. */
function requireItemScopes(item: HasScopes | undefined, requestContext: RequestContext): void {
  if (item?.scopes !== undefined) requireAllScopes([item], requestContext);
}

function requireAllScopes(items: readonly HasScopes[], { caller }: RequestContext): void {
  if (items.every(item => hasRequiredScopes(caller, item))) return;
  throw insufficientScope([...new Set(items.flatMap(({ scopes = [] }) => scopes))]);
}

function findListenedResources(
  runtime: ServerRuntime,
  { notifications }: JsonObject,
  requestContext: RequestContext,
): HasScopes[] {
  const { resourceSubscriptions: uris } = notifications as JsonObject;
  if (!Array.isArray(uris)) return [];
  const definitions = uris
    .slice(0, MAX_URIS)
    .map(uri => resolveResource(runtime, uri as string, requestContext)?.definition);
  return definitions.filter(definition => definition !== undefined);
}

/** Maximum number of URIs of a listening request that are checked: as many as are served. */
const MAX_URIS = 1000;

function findCompletedItem(
  { prompts, resources }: ServerRuntime,
  { ref }: CompleteParams,
  { caller }: RequestContext,
): HasScopes | undefined {
  if (!isObject(ref)) return undefined;
  return ref.type === 'ref/prompt' ? prompts.find(ref.name ?? '', caller) : resources.find(ref.uri ?? '', caller);
}
