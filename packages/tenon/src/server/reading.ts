import { rpcError } from '../jsonrpc/error.js';
import { isObject, type JsonObject } from '../jsonrpc/message.js';
import type { ResourceContents } from '../model/content.js';
import type { Blueprint } from './blueprint.js';
import { checkNeeds } from './calling.js';
import { compileResource, isTemplate } from './compiled-resource.js';
import { Context } from './context.js';
import type { Operation } from './middleware.js';
import { isInputRequired } from './reply.js';
import type { ResourceDefinition } from './resource.js';
import { cacheable } from './results.js';
import type { Turn } from './turn.js';

/** A resource that a URI names: by itself, or by a template that it matches. */
export interface FoundResource {
  readonly definition: ResourceDefinition<never>;
  readonly variables: { readonly [name: string]: unknown };
}

export function findResource({ resources }: Blueprint, uri: string, { caller }: Turn): FoundResource | undefined {
  const exact = resources.find(uri, caller);
  if (exact) return { definition: exact, variables: {} };
  for (const [key, definition] of resources.pick(isTemplate, caller)) {
    const { template } = compileResource(key, definition);
    const variables = template?.match(uri, { allowUnsafe: definition.allowUnsafe });
    if (variables) return { definition, variables };
  }
  return undefined;
}

export function notFound(uri: string, { dialect }: Turn): Error {
  return rpcError(dialect.errors.resourceNotFound, 'Resource not found', { uri });
}

/** `resources/read`. https://modelcontextprotocol.io/specification/2026-07-28/server/resources */
export async function readResource(
  blueprint: Blueprint,
  { params, context }: Operation,
  turn: Turn,
): Promise<JsonObject> {
  const uri = params.uri as string;
  const found = findResource(blueprint, uri, turn);
  if (found === undefined) throw notFound(uri, turn);
  const { definition, variables } = found;
  checkNeeds(definition.needs, turn);
  return Context.perform(context, async () => {
    const returned = await definition.read({ ...variables, uri } as never, context);
    if (returned === undefined) throw notFound(uri, turn);
    if (isInputRequired(returned)) return returned as unknown as JsonObject;
    const asList = Array.isArray(returned) ? returned : [returned];
    return cacheable(blueprint, { contents: asList.map(each => contentsOf(uri, definition, each)) }, definition.cache);
  });
}

declare function btoa(binary: string): string;

function contentsOf(uri: string, { mimeType }: ResourceDefinition<never>, returned: unknown): ResourceContents {
  const common = { uri, ...(mimeType === undefined ? {} : { mimeType }) };
  if (typeof returned === 'string') return { ...common, text: returned };
  if (returned instanceof Uint8Array) return { ...common, blob: base64(returned) };
  return { ...common, ...(isObject(returned) ? returned : { text: JSON.stringify(returned) }) } as ResourceContents;
}

function base64(bytes: Uint8Array): string {
  const parts: string[] = [];
  // In pieces: a whole picture as arguments of one call would overflow the stack.
  for (let at = 0; at < bytes.length; at += 8190) parts.push(String.fromCharCode(...bytes.subarray(at, at + 8190)));
  return btoa(parts.join(''));
}
