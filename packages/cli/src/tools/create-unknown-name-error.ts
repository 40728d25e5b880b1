import { createUsageError } from '../usage-error.js';

/** Maximum number of names that an error lists. */
const MAX_NAMES = 20;

/** Creates the error for a name that the server does not have, with the nearest one. */
export async function createUnknownNameError(kind: string, name: string, names: readonly string[]): Promise<Error> {
  const { findNearestKey } = await import('@tenon/host');
  const nearest = findNearestKey(name, names);
  const listed = `${names.slice(0, MAX_NAMES).join(', ')}${names.length > MAX_NAMES ? ', …' : ''}`;
  const others = names.length === 0 ? `choose another server, because it has no ${kind}s` : `use one of: ${listed}`;
  return createUsageError(`${kind} "${name}" not found`, nearest === undefined ? others : `did you mean "${nearest}"?`);
}
