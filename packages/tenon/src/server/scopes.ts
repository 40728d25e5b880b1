import { isObject, type JsonObject } from '../jsonrpc/message.js';
import { hasScopes, insufficientScope } from '../model/scopes.js';
import type { CompleteParams } from '../model/shapes.js';
import type { Blueprint } from './blueprint.js';
import type { Caller } from './caller.js';
import { findResource } from './reading.js';
import type { Turn } from './turn.js';

/** Something for which a caller may need scopes. */
export interface Scoped {
  readonly scopes?: readonly string[] | undefined;
}

/** Whether the caller has all scopes for it. Where nobody authorizes, nobody has any. */
export function mayUse({ auth }: Caller, { scopes }: Scoped): boolean {
  return hasScopes(auth, scopes);
}

/** Throws what becomes a 403 when the caller lacks a scope; it names all that the request needs. */
export function requireScopes(blueprint: Blueprint, method: string, params: JsonObject, turn: Turn): void {
  const { tools, prompts } = blueprint;
  switch (method) {
    case 'tools/call':
      return demand(tools.find(params.name as string, turn.caller), turn);
    case 'prompts/get':
      return demand(prompts.find(params.name as string, turn.caller), turn);
    case 'resources/read':
    case 'resources/subscribe':
      return demand(findResource(blueprint, params.uri as string, turn)?.definition, turn);
    case 'subscriptions/listen':
      return demandAll(listenedTo(blueprint, params, turn), turn);
    case 'completion/complete':
      return demand(completed(blueprint, params as unknown as CompleteParams, turn), turn);
  }
}

/** What is not there is told by those who look for it. */
function demand(item: Scoped | undefined, turn: Turn): void {
  if (item?.scopes !== undefined) demandAll([item], turn);
}

function demandAll(items: readonly Scoped[], { caller }: Turn): void {
  if (items.every(item => mayUse(caller, item))) return;
  throw insufficientScope([...new Set(items.flatMap(({ scopes = [] }) => scopes))]);
}

function listenedTo(blueprint: Blueprint, { notifications }: JsonObject, turn: Turn): Scoped[] {
  const { resourceSubscriptions: uris } = notifications as JsonObject;
  if (!Array.isArray(uris)) return [];
  const found = uris.slice(0, MAX_URIS).map(uri => findResource(blueprint, uri as string, turn)?.definition);
  return found.filter(definition => definition !== undefined);
}

/** How many URIs of a listening are looked at: as many as are served. */
const MAX_URIS = 1000;

function completed({ prompts, resources }: Blueprint, { ref }: CompleteParams, { caller }: Turn): Scoped | undefined {
  if (!isObject(ref)) return undefined;
  return ref.type === 'ref/prompt' ? prompts.find(ref.name ?? '', caller) : resources.find(ref.uri ?? '', caller);
}
