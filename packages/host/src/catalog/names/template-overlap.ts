import type { Template, TemplateValues } from 'tenon/host-internals';

/**
 * Tells if two templates have URIs in common. Expands one template with short sample values and matches the other. A
 * missed overlap is detected when such a URI is read, because it then has two owners.
 */
export function haveCommonUris(one: Template, other: Template): boolean {
  if (one.source === other.source) return true;
  const [first, second] = [getLiteralPrefix(one), getLiteralPrefix(other)];
  if (!first.startsWith(second) && !second.startsWith(first)) return false;
  return matchesSample(one, other) || matchesSample(other, one);
}

function matchesSample(from: Template, to: Template): boolean {
  try {
    return to.match(from.expand(createSample(from)), { allowUnsafe: true }) !== undefined;
  } catch {
    return false;
  }
}

function createSample({ variables }: Template): TemplateValues {
  return Object.fromEntries(variables.map(name => [name, 'x']));
}

function getLiteralPrefix({ source }: Template): string {
  const end = source.indexOf('{');
  return end < 0 ? source : source.slice(0, end);
}
