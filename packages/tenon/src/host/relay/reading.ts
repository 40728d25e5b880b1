import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import type { CompleteParams } from '../../model/shapes.js';
import { Context } from '../../server/context.js';
import type { Operation } from '../../server/middleware.js';
import type { Turn } from '../../server/turn.js';
import type { Hub } from '../hub.js';
import type { Line } from '../upstream/line.js';
import { guarded } from './calling.js';
import { findPlace, findRoute } from './locating.js';
import { pass } from './passage.js';
import { promptProposal, resourceProposal } from './proposals.js';

const COMPLETE = 'completion/complete';

/** `resources/read`, at the server whose resource it is. */
export async function readResource(hub: Hub, { params, context }: Operation, turn: Turn): Promise<JsonObject> {
  const outer = params.uri as string;
  const own = await hub.guard.read(outer, hub.audience(turn).identity);
  if (own) return own;
  const { line, uri } = await findPlace(hub, outer, turn, 'resources/read');
  const passage = { line, method: 'resources/read', params: { ...params, uri }, context, turn, mayAsk: true };
  const result = await Context.perform(context, () => guarded(hub, resourceProposal(line, uri), passage));
  // A server that does not say how long it stays good has not said that it does.
  return result.resultType === 'input_required' ? result : { ttlMs: 0, cacheScope: 'private', ...result };
}

/** `prompts/get`, at the server whose prompt it is. */
export async function getPrompt(hub: Hub, { params, context }: Operation, turn: Turn): Promise<JsonObject> {
  const { line, name } = await findRoute(hub, 'prompts', params.name as string, turn, 'prompts/get');
  const args = isObject(params.arguments) ? params.arguments : {};
  const passage = { line, method: 'prompts/get', params: { ...params, name }, context, turn, mayAsk: true };
  return Context.perform(context, () => guarded(hub, promptProposal(line, name, args), passage));
}

/** `completion/complete`, at the server whose prompt or template it is. What a server does not offer is no value at all. */
export async function completeArgument(hub: Hub, { params, context }: Operation, turn: Turn): Promise<JsonObject> {
  const { ref } = params as unknown as CompleteParams;
  const catalog = hub.catalog(hub.audience(turn));
  const completed = async (line: Line, own: JsonObject): Promise<JsonObject> => {
    if ((await line.client()).server.capabilities.completions === undefined) return { completion: { values: [] } };
    const passage = { line, method: COMPLETE, params: { ...params, ref: own }, context, turn };
    return pass({ ...passage, mayAsk: false, questions: hub.guard.questions(line) });
  };
  if (ref.type === 'ref/prompt') {
    const { line, name } = await findRoute(hub, 'prompts', ref.name, turn, COMPLETE);
    await hub.guard.glance(promptProposal(line, name, {}), line, COMPLETE);
    return completed(line, { ...ref, name });
  }
  const { line, uri } = (await catalog.placeOfTemplate(ref.uri)) ?? (await findPlace(hub, ref.uri, turn, COMPLETE));
  await hub.guard.glance(resourceProposal(line, uri), line, COMPLETE);
  return completed(line, { ...ref, uri });
}
