import { parseJsonPointer } from '../json/pointer-token.js';
import { shorten } from '../json/shorten.js';
import { escapeHidden } from './invisible-characters.js';
import { redactPaths } from './paths.js';
import { redactSecrets } from './secrets.js';

/** Maximum number of characters of an error that a client sees. */
const MAX_MESSAGE = 500;

/** Maximum number of characters of a message that are searched for secrets. */
const MAX_SEARCHED = 10_000;

const STACK_LINE = /^\s*at\s.*$/gm;

/** Matches a pointer as messages about an invalid member have it: `at /items/0/name: expected a string`. */
const POINTER = /\bat (\/[^\s:"'“”()`]*)(?=:)/g;

/**
 * Returns a text of an error for another party: shortened, and without stack, paths of files and secrets, and with hidden
 * characters escaped.
 * @param known Values that the other party sent itself. A JSON Pointer to a member of one of them is not a path of a file.
 */
export function toPublicText(message: string, known: readonly unknown[] = []): string {
  const text = redactSecrets(escapeHidden(message.slice(0, MAX_SEARCHED)));
  let clean = '';
  let end = 0;
  for (const { 0: found, 1: pointer = '', index } of known.length > 0 ? text.matchAll(POINTER) : []) {
    if (!known.some(value => hasPlace(value, pointer))) continue;
    clean += redactPlaces(text.slice(end, index)) + found;
    end = index + found.length;
  }
  clean = (clean + redactPlaces(text.slice(end))).trim();
  return shorten(clean, MAX_MESSAGE);
}

const redactPlaces = (text: string): string => redactPaths(text.replace(STACK_LINE, ''));

/** Tells if a value has the object of a member. The member itself may be missing. */
function hasPlace(value: unknown, pointer: string): boolean {
  const objects = parseJsonPointer(pointer).slice(0, -1);
  const holder = objects.reduce<unknown>(
    (object, key) => (isRecord(object) && Object.hasOwn(object, key) ? object[key] : undefined),
    value,
  );
  return isRecord(holder);
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
