import { type Capture, normalizeTriplets } from './match-plan.js';
import { OPERATORS } from './operators.js';
import { decodePercent } from './percent.js';

/** The values found so far, by name of the variable. */
export type MatchedValues = Map<string, string | string[]>;

/** A segment that leaves its folder. */
const TRAVERSAL = /(?:^|[/\\])\.\.(?:$|[/\\])/;

/** Reads the values from one part of a URI. Returns false if the template cannot have produced that part. */
export function collectValues(capture: Capture, text: string, allowUnsafe: boolean, values: MatchedValues): boolean {
  const { operator } = capture;
  const readValue = (raw: string) => {
    const value = decodePercent(raw);
    if (value === undefined || allowUnsafe) return value;
    // A value must be free of path traversal. NUL is never safe, because it ends a path early in C.
    if (value.includes('\0')) return undefined;
    // Where slashes are usual (reserved values, fragments, queries), no segment may be `..`.
    if (OPERATORS[operator].reserved || operator === '?' || operator === '&')
      return TRAVERSAL.test(value) ? undefined : value;
    // A value of one segment must stay one segment.
    const isSegment = value !== '.' && value !== '..' && !value.includes('/') && !value.includes('\\');
    return isSegment ? value : undefined;
  };
  if ('byName' in capture)
    return collectNamed(capture.byName, text.split(OPERATORS[operator].separator), readValue, values);
  const { name, explode } = capture.variable;
  if (!explode) {
    const value = readValue(text);
    if (value !== undefined) values.set(name, value);
    return value !== undefined;
  }
  const items = text.split(OPERATORS[operator].separator).map(readValue);
  if (items.includes(undefined)) return false;
  // When the segments are joined again, an empty segment before others makes the path absolute.
  if (operator === '/' && !allowUnsafe && items.indexOf('') !== -1 && items.indexOf('') < items.length - 1)
    return false;
  values.set(name, items as string[]);
  return true;
}

/**
 * Reads `name=value` pairs in any order. A name alone has the empty value, and only a list may occur more than once.
 */
function collectNamed(
  byName: ReadonlyMap<string, { readonly name: string; readonly explode: boolean }>,
  pairs: readonly string[],
  readValue: (raw: string) => string | undefined,
  values: MatchedValues,
): boolean {
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const variable = byName.get(normalizeTriplets(equals < 0 ? pair : pair.slice(0, equals)));
    const raw = equals < 0 ? '' : pair.slice(equals + 1);
    const value = raw.includes('=') ? undefined : readValue(raw);
    if (variable === undefined || value === undefined) return false;
    const previous = values.get(variable.name);
    if (!variable.explode && previous !== undefined) return false;
    if (Array.isArray(previous)) previous.push(value);
    else values.set(variable.name, variable.explode ? [value] : value);
  }
  return true;
}
