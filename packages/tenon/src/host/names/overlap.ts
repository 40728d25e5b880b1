import type { TemplateValues } from '../../server/uri-template/expand.js';
import type { Template } from '../../server/uri-template/template.js';

/**
 * Whether two templates have URIs in common, as far as samples show it: a URI of one, with short texts for all variables,
 * matches the other. What this misses is told apart when such a URI is read: then it has two owners.
 */
export function overlap(one: Template, other: Template): boolean {
  if (one.source === other.source) return true;
  const [first, second] = [literalStart(one), literalStart(other)];
  if (!first.startsWith(second) && !second.startsWith(first)) return false;
  return reaches(one, other) || reaches(other, one);
}

function reaches(from: Template, to: Template): boolean {
  try {
    return to.match(from.expand(sample(from)), { allowUnsafe: true }) !== undefined;
  } catch {
    return false;
  }
}

function sample({ variables }: Template): TemplateValues {
  return Object.fromEntries(variables.map(name => [name, 'x']));
}

function literalStart({ source }: Template): string {
  const end = source.indexOf('{');
  return end < 0 ? source : source.slice(0, end);
}
