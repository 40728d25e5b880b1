import { type Capture, normalizeTriplets } from './match-plan.js';
import { OPERATORS, type Operator } from './operators.js';
import { decodePercent } from './percent.js';

/** The values found so far, by the name of the variable. */
export type MatchedValues = Map<string, string | string[]>;

/** Reads the values out of one stretch of a URI. False when it holds what the template cannot have written there. */
export function collectValues(capture: Capture, text: string, allowUnsafe: boolean, values: MatchedValues): boolean {
  const { operator } = capture;
  const readValue = (raw: string) => {
    const value = decodePercent(raw);
    return value !== undefined && (allowUnsafe || isSafe(operator, value)) ? value : undefined;
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
  // Joined again, an empty segment before others makes the path absolute.
  if (operator === '/' && !allowUnsafe && items.indexOf('') !== -1 && items.indexOf('') < items.length - 1)
    return false;
  values.set(name, items as string[]);
  return true;
}

/** `name=value` in any order; a name alone has the empty value, and only a list comes more than once. */
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

const TRAVERSAL = /(?:^|[/\\])\.\.(?:$|[/\\])/;

/**
 * True if a decoded value is free of path traversal. One segment must stay one segment; where slashes are usual
 * (reserved values, fragments, queries) no `..` may stand between them. NUL, which ends a path early in C, is never
 * safe.
 */
function isSafe(operator: Operator, value: string): boolean {
  if (value.includes('\0')) return false;
  if (OPERATORS[operator].reserved || operator === '?' || operator === '&') return !TRAVERSAL.test(value);
  return value !== '.' && value !== '..' && !value.includes('/') && !value.includes('\\');
}
