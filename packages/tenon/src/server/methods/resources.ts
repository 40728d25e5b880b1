import { type JsonObject, rpcError } from '@tenon/base';
import { checkInputRequestMethods } from '../../execution/check-input-requests.js';
import { checkNestedMeta } from '../../protocol/check-meta.js';
import { isInputRequired } from '../../protocol/methods.js';
import { HandlerContext } from '../context/handler-context.js';
import { finalizeCacheable } from '../decode-encode.js';
import { compileResource, isUriTemplate, type MatchedResource } from '../definitions/compiled-resource.js';
import type { RequestContext } from '../request-context.js';
import type { MethodCall, ServerRuntime } from '../server-runtime.js';
import { selectTemplates } from '../uri-template/template-index.js';
import { encodeContents } from './encode-contents.js';
import { requireCapabilities } from './tools/call-tool.js';

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
export async function readResource({
  params,
  found,
  context,
  run,
  requestContext,
  server,
}: MethodCall<'resources/read'>): Promise<JsonObject> {
  const { uri } = params;
  if (found === undefined) throw createNotFoundError(uri, requestContext);
  const { definition, variables } = found;
  requireCapabilities(definition.requiredCapabilities, requestContext);
  return run.invokeHandler(context, async () => {
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
    return finalizeCacheable(server, { contents: encodeContents(uri, definition, returned) }, definition.cache);
  });
}
