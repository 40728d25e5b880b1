import { isObject, type JsonObject } from '../jsonrpc/message.js';
import { insufficientScope } from '../model/scopes.js';
import type { CompleteParams } from '../model/shapes.js';
import type { Blueprint } from './blueprint.js';
import type { Caller } from './caller.js';
import { findResource } from './reading.js';
import type { Turn } from './turn.js';

/** Something for which a caller may need scopes. */
export interface Scoped {
  readonly scopes?: readonly string[];
}

/** Whether the caller has all scopes for it. Where nobody authorizes, nobody has any. */
export function mayUse({ auth }: Caller, { scopes = [] }: Scoped): boolean {
  return scopes.every(scope => auth?.scopes?.includes(scope) === true);
}

/** Throws what becomes a 403 when the caller lacks a scope; it names all that the request needs. */
export function requireScopes(blueprint: Blueprint, method: string, params: JsonObject, turn: Turn): void {
  const items = itemsOf(blueprint, method, params, turn).filter(item => item !== undefined);
  if (items.every(item => mayUse(turn.caller, item))) return;
  throw insufficientScope([...new Set(items.flatMap(({ scopes = [] }) => scopes))]);
}

/** What a request is about. What is not there is told by those who look for it. */
function itemsOf(blueprint: Blueprint, method: string, params: JsonObject, turn: Turn): (Scoped | undefined)[] {
  const { tools, prompts } = blueprint;
  const resource = (uri: unknown) => findResource(blueprint, uri as string, turn)?.definition;
  switch (method) {
    case 'tools/call':
      return [tools.find(params.name as string, turn.caller)];
    case 'prompts/get':
      return [prompts.find(params.name as string, turn.caller)];
    case 'resources/read':
    case 'resources/subscribe':
      return [resource(params.uri)];
    case 'subscriptions/listen': {
      const { resourceSubscriptions: uris } = params.notifications as JsonObject;
      return Array.isArray(uris) ? uris.slice(0, MAX_URIS).map(resource) : [];
    }
    case 'completion/complete':
      return [completed(blueprint, params as unknown as CompleteParams, turn)];
    default:
      return [];
  }
}

/** How many URIs of a listening are looked at: as many as are served. */
const MAX_URIS = 1000;

function completed({ prompts, resources }: Blueprint, { ref }: CompleteParams, { caller }: Turn): Scoped | undefined {
  if (!isObject(ref)) return undefined;
  return ref.type === 'ref/prompt' ? prompts.find(ref.name ?? '', caller) : resources.find(ref.uri ?? '', caller);
}
