import { takeBeginning } from '../json/shorten.js';
import { findNearestKey } from './nearest-key.js';

const MAX_NAME = 128;
/** Maximum number of names that are compared, because callers choose how often that happens. */
const MAX_COMPARED = 500;

/**
 * Describes a request for a tool or prompt that the caller does not see. `names` are those that the caller sees, and
 * `nearest` is the one to propose.
 */
export function describeUnknownName(
  kind: 'tool' | 'prompt',
  name: string,
  names: readonly string[],
  nearest = findNearestKey(name, names.slice(0, MAX_COMPARED)),
): string {
  const advice =
    nearest === undefined
      ? `. Choose a name from ${kind}s/list`
      : `. Did you mean "${takeBeginning(nearest, MAX_NAME)}"?`;
  return `Unknown ${kind}: ${takeBeginning(name, MAX_NAME)}${advice}`;
}
