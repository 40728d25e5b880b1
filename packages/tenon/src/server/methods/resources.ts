import { describeType, encodeBase64, isObject, type JsonObject, rpcError, TenonError } from '@tenon/base';
import { checkInputRequestMethods } from '../../execution/check-input-requests.js';
import { checkNestedMeta } from '../../protocol/check-meta.js';
import type { ResourceContents } from '../../protocol/content.js';
import { isInputRequired } from '../../protocol/methods.js';
import { HandlerContext } from '../context/handler-context.js';
import { finalizeCacheable } from '../decode-encode.js';
import { compileResource, isUriTemplate, type MatchedResource } from '../definitions/compiled-resource.js';
import type { ResourceDefinition } from '../definitions/resource.js';
import type { RequestContext } from '../request-context.js';
import type { MethodCall, ServerRuntime } from '../server-runtime.js';
import { selectTemplates } from '../uri-template/template-index.js';
import { requireJson } from './json-text.js';
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

/**
 * Converts the return value of a resource's handler to contents. The value can be text, bytes, contents, a list of
 * these, or a result in the form of the specification. Throws `handler/output` for any other value.
 */
function encodeContents(
  uri: string,
  { mimeType }: Pick<ResourceDefinition<never>, 'mimeType'>,
  returned: unknown,
): ResourceContents[] {
  const parts = isObject(returned) && Array.isArray(returned.contents) ? returned.contents : returned;
  const common = { uri, ...(mimeType === undefined ? {} : { mimeType }) };
  return (Array.isArray(parts) ? parts : [parts]).map((part: unknown) => {
    if (typeof part === 'string') return { ...common, text: part };
    if (part instanceof Uint8Array) return { ...common, blob: encodeBase64(part) };
    if (typeof part === 'number' || typeof part === 'boolean') return { ...common, text: JSON.stringify(part) };
    if (!isObject(part) || (typeof part.text !== 'string' && typeof part.blob !== 'string'))
      throw createContentsError(uri, part);
    return { ...common, ...part } as ResourceContents;
  });
}

function createContentsError(uri: string, part: unknown): TenonError {
  const subject = `resource "${uri}"`;
  const isContents = isObject(part) && ('text' in part || 'blob' in part);
  if (!isContents) requireJson(subject, part);
  return new TenonError('handler/output', `${subject}: the contents have neither text nor blob`, {
    expected: 'a string, a Uint8Array, { text } or { blob } with base64',
    received: describePart(part),
    hint: 'return JSON.stringify(value) to send data as text',
  });
}

function describePart(part: unknown): string {
  if (part === null) return 'null';
  if (!isObject(part)) return Array.isArray(part) ? 'a list in a list' : describeType(part);
  for (const key of ['text', 'blob']) {
    if (!(key in part)) continue;
    const value = part[key];
    const type = typeof value === 'object' ? Object.prototype.toString.call(value).slice(8, -1) : typeof value;
    return `a ${type} as ${key}`;
  }
  return `an object with the keys ${Object.keys(part).slice(0, 10).join(', ') || '(none)'}`;
}
