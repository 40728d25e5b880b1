import { checkInputRequestMethods } from '../../execution/check-input-requests.js';
import type { MethodOperation } from '../../handler/operation.js';
import { rpcError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { checkNestedMeta } from '../../protocol/check-meta.js';
import { isInputRequired } from '../../protocol/methods.js';
import { HandlerContext } from '../context/handler-context.js';
import { finalizeCacheable } from '../decode-encode.js';
import { compileResource, isUriTemplate } from '../definitions/compiled-resource.js';
import type { ResourceDefinition } from '../definitions/resource.js';
import type { RequestContext } from '../request-context.js';
import type { ServerRuntime } from '../server-runtime.js';
import { selectTemplates } from '../uri-template/template-index.js';
import { encodeContents } from './encode-contents.js';
import { requireCapabilities } from './tools/call-tool.js';

/** A resource that matches a URI, directly or by its template. */
export interface MatchedResource {
  readonly definition: ResourceDefinition<never>;
  readonly variables: { readonly [name: string]: unknown };
}

export function resolveResource(
  { resources }: ServerRuntime,
  uri: string,
  { caller }: RequestContext,
): MatchedResource | undefined {
  const exact = resources.find(uri, caller);
  if (exact) return { definition: exact, variables: {} };
  for (const [key, definition] of resources.pick(isUriTemplate, caller, templates => selectTemplates(templates, uri))) {
    const { template } = compileResource(key, definition);
    const variables = template?.match(uri, { allowUnsafe: definition.allowUnsafe });
    if (variables) return { definition, variables };
  }
  return undefined;
}

export function createNotFoundError(uri: string, { dialect }: RequestContext): Error {
  return rpcError(dialect.errors.resourceNotFound, 'Resource not found', { uri });
}

/**
 * Handles `resources/read`.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources
 */
export async function readResource(
  { params, context }: MethodOperation<'resources/read'>,
  requestContext: RequestContext,
  runtime: ServerRuntime,
): Promise<JsonObject> {
  const { uri } = params;
  const resolved = resolveResource(runtime, uri, requestContext);
  if (resolved === undefined) throw createNotFoundError(uri, requestContext);
  const { definition, variables } = resolved;
  requireCapabilities(definition.requiredCapabilities, requestContext);
  return HandlerContext.invokeHandler(context, async () => {
    const returned = await HandlerContext.runDefinition(
      context,
      () => definition.read({ ...variables, uri } as never, context),
      value => value,
    );
    if (returned === undefined) throw createNotFoundError(uri, requestContext);
    const subject = `resource "${uri.slice(0, 128)}"`;
    checkNestedMeta(subject, returned);
    checkInputRequestMethods(subject, returned);
    if (isInputRequired(returned)) return { ...returned };
    return finalizeCacheable(runtime, { contents: encodeContents(uri, definition, returned) }, definition.cache);
  });
}
