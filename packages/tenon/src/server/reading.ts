import { checkQuestionMethods } from '../conversation/asking/check-questions.js';
import { rpcError } from '../jsonrpc/error.js';
import type { JsonObject } from '../jsonrpc/message.js';
import { checkNestedMeta } from '../model/meta-keys.js';
import type { Blueprint } from './blueprint.js';
import { checkNeeds } from './calling.js';
import { compileResource, isTemplate } from './compiled-resource.js';
import { Context } from './context.js';
import type { Operation } from './middleware.js';
import { isInputRequired } from './reply.js';
import type { ResourceDefinition } from './resource.js';
import { encodeContents } from './resource-contents.js';
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
    const subject = `resource "${uri.slice(0, 128)}"`;
    checkNestedMeta(subject, returned);
    checkQuestionMethods(subject, returned);
    if (isInputRequired(returned)) return returned as unknown as JsonObject;
    return cacheable(blueprint, { contents: encodeContents(uri, definition, returned) }, definition.cache);
  });
}
