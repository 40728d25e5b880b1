import type { CreateMessageParams } from 'tenon';
import type { ModelPreferences } from 'tenon/host-internals';
import { getRequirements } from './content.js';
import type { Model } from './model.js';

/**
 * Returns the suitable models, sorted by preference.
 *
 * A hint matches a model if it is part of its name, or of a name that the model stands for, ignoring case. The first
 * hint that matches any model selects the models that it matches. If no hint matches, all models are kept.
 *
 * The kept models are sorted by
 * `costPriority × scores.cost + speedPriority × scores.speed + intelligencePriority × scores.intelligence`, in
 * descending order. Equal models keep the order of the list.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#model-preferences
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
      [model.name, ...(model.replaces ?? [])].some(each => each.toLowerCase().includes(wanted)),
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

/** Limits a priority to a number from 0 to 1, because servers may send any value. */
function weighPriority(priority: number | undefined): number {
  return typeof priority === 'number' && priority > 0 ? Math.min(priority, 1) : 0;
}
