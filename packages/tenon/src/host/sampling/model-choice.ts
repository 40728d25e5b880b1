import type { CreateMessageParams, ModelPreferences } from '../../protocol/input-requests.js';
import { getRequirements } from './content.js';
import type { Model } from './model.js';

/**
 * Returns the models that can take a request, best first.
 *
 * Of those, the first hint that any name contains (or any name that the model stands for) keeps the ones that contain
 * it; upper and lower case are alike. A hint that none contains is passed over; when none of the hints is of use, all
 * stay. Those that stay are ordered by `costPriority × scores.cost + speedPriority × scores.speed +
 * intelligencePriority × scores.intelligence`, the greatest first. Equal models stay in the order of the list.
 *
 * https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#model-preferences
 */
export function rank(models: readonly Model[], request: CreateMessageParams): readonly Model[] {
  const preferences = request.modelPreferences ?? {};
  const able = models.filter(model => canTake(model, request));
  const worth = new Map(able.map(model => [model, scoreModel(model, preferences)]));
  return filterByHints(able, preferences).toSorted((a, b) => (worth.get(b) ?? 0) - (worth.get(a) ?? 0));
}

export function canTake({ takes = {} }: Model, request: CreateMessageParams): boolean {
  const needs = getRequirements(request);
  return (
    (!needs.images || takes.images === true) &&
    (!needs.audio || takes.audio === true) &&
    (!needs.tools || takes.tools === true)
  );
}

function filterByHints(models: readonly Model[], { hints = [] }: ModelPreferences): readonly Model[] {
  for (const { name } of hints) {
    if (typeof name !== 'string' || name === '') continue;
    const wanted = name.toLowerCase();
    const matching = models.filter(model =>
      [model.name, ...(model.standsFor ?? [])].some(each => each.toLowerCase().includes(wanted)),
    );
    if (matching.length > 0) return matching;
  }
  return models;
}

const UNKNOWN_SCORE = 0.5;

function scoreModel({ scores = {} }: Model, preferences: ModelPreferences): number {
  const { cost = UNKNOWN_SCORE, speed = UNKNOWN_SCORE, intelligence = UNKNOWN_SCORE } = scores;
  const { costPriority, speedPriority, intelligencePriority } = preferences;
  return (
    weighPriority(costPriority) * cost +
    weighPriority(speedPriority) * speed +
    weighPriority(intelligencePriority) * intelligence
  );
}

/** Servers may send anything as a priority: it becomes a number from 0 to 1. */
function weighPriority(priority: number | undefined): number {
  return typeof priority === 'number' && priority > 0 ? Math.min(priority, 1) : 0;
}
