import { escapeHidden } from './invisible-characters.js';
import { redactPaths } from './paths.js';
import { redactSecrets } from './secrets.js';

/** Maximum number of characters of an error that a client sees. */
const MAX_MESSAGE = 500;

/** Maximum number of characters of a message that are searched for secrets. */
const MAX_SEARCHED = 10_000;

const STACK_LINE = /^\s*at\s.*$/gm;

/** Returns a text of an error for another party: shortened, and without stack, paths of files and secrets, and with hidden characters escaped. */
export function toPublicText(message: string): string {
  const clean = redactPaths(redactSecrets(escapeHidden(message.slice(0, MAX_SEARCHED)).replace(STACK_LINE, ''))).trim();
  return clean.length > MAX_MESSAGE ? `${clean.slice(0, MAX_MESSAGE - 1)}…` : clean;
}
