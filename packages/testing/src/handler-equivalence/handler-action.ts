import { type JsonObject, toCanonicalJson } from '@tenon/base';

/** Action of a handler: an input request or a step. */
export type HandlerAction =
  | { readonly question: string; readonly params: JsonObject; readonly step?: undefined }
  | { readonly step: string; readonly question?: undefined };

const MAX_LENGTH = 160;

/** Returns the same key for equal actions. */
export function toComparisonKey(action: object): string {
  return toCanonicalJson(action);
}

/** Describes an action for an error message. */
export function describeAction(action: HandlerAction): string {
  if (action.step !== undefined) return `the step "${action.step}"`;
  const { question, params } = action;
  const { message } = params;
  const about = typeof message === 'string' ? `"${message}"` : JSON.stringify(params);
  return about === '{}' ? question : `${question} ${truncate(about)}`;
}

export function truncate(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}

/** Returns the entries of `all` that occur more often than in `some`. */
export function subtract<T extends object>(all: readonly T[], some: readonly T[]): T[] {
  const counts = new Map<string, number>();
  for (const each of some) counts.set(toComparisonKey(each), (counts.get(toComparisonKey(each)) ?? 0) + 1);
  return all.filter(each => {
    const left = counts.get(toComparisonKey(each)) ?? 0;
    counts.set(toComparisonKey(each), left - 1);
    return left <= 0;
  });
}
