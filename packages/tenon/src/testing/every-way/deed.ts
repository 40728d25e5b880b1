import { canonical } from '../../conversation/asking/canonical.js';
import type { JsonObject } from '../../jsonrpc/message.js';

/** What a handler comes to: a question that it asks, or a step that it takes. */
export type Deed =
  | { readonly question: string; readonly params: JsonObject; readonly step?: undefined }
  | { readonly step: string; readonly question?: undefined };

const MAX_SHOWN = 160;

/** Equal for equal deeds. */
export function markOf(deed: object): string {
  return canonical(deed);
}

/** In words. */
export function shown(deed: Deed): string {
  if (deed.step !== undefined) return `the step "${deed.step}"`;
  const { question, params } = deed;
  const { message } = params;
  const about = typeof message === 'string' ? `"${message}"` : JSON.stringify(params);
  return about === '{}' ? question : `${question} ${cutShort(about)}`;
}

export function cutShort(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** What is in `all` more often than in `some`. */
export function besides<T extends object>(all: readonly T[], some: readonly T[]): T[] {
  const counts = new Map<string, number>();
  for (const each of some) counts.set(markOf(each), (counts.get(markOf(each)) ?? 0) + 1);
  return all.filter(each => {
    const left = counts.get(markOf(each)) ?? 0;
    counts.set(markOf(each), left - 1);
    return left <= 0;
  });
}
