import { TenonError } from 'tenon';

/** Minimum length of a short ID, in characters. */
const MIN_LENGTH = 8;

/** Returns the random part of an ID. The digest before it is the same for all approval requests for the same call. */
const getRandomPart = (id: string): string => id.slice(id.indexOf('.') + 1);

/** Shortens IDs to the shortest unique prefix of at least 8 characters. */
export function shortenIds(ids: readonly string[]): Map<string, string> {
  const parts = ids.map(getRandomPart);
  const isUnique = (length: number) => new Set(parts.map(part => part.slice(0, length))).size === parts.length;
  let length = MIN_LENGTH;
  while (!isUnique(length) && parts.some(part => part.length > length)) length += 1;
  return new Map(ids.map((id, index) => [id, parts[index]?.slice(0, length) ?? id]));
}

/** Finds the only ID that begins with `start`, or whose short form does. */
export function findId(ids: readonly string[], start: string, subject: string): string {
  const matches = ids.filter(id => start !== '' && (id.startsWith(start) || getRandomPart(id).startsWith(start)));
  const [only] = matches;
  if (only !== undefined && matches.length === 1) return only;
  const reason = matches.length === 0 ? 'not found' : `${matches.length} ids begin with it`;
  throw new TenonError('cli/no-pending-approval', `${subject} ${start.slice(0, 100)}: ${reason}`, {
    hint: 'run `tenon approvals list`',
  });
}
