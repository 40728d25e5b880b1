import { isObject } from '../json/json-object.js';
import { keepTextsIn } from '../json/json-text.js';
import { isSecretName } from './secret-names.js';
import { REDACTED, redactSecrets } from './secrets.js';

/** Removes further secrets from a text. `name` is the name of its member. */
export type Redact = (text: string, name: string) => string;

/** Maximum depth of a recorded value. */
const MAX_DEPTH = 16;
const TOO_DEEP = '(nested too deeply)';

/**
 * Removes secrets from a JSON value: members with secret names and all values below them, texts in a known format of
 * secrets, then those that `more` finds.
 */
export function redactValue(value: unknown, more?: Redact, name = '', depth = 0): unknown {
  if (typeof value === 'string') return redactText(value, more, name);
  if (typeof value !== 'object' || value === null) return isSecretName(name) && value !== null ? REDACTED : value;
  if (depth >= MAX_DEPTH) return TOO_DEEP;
  if (Array.isArray(value)) {
    const entries = value.map(each => redactValue(each, more, name, depth + 1));
    return keepTextsIn(entries, value);
  }
  if (!isObject(value)) return REDACTED;
  // The name of a member may also contain a token.
  const members = Object.entries(value).map(([key, member]) => [
    redactText(key, more, ''),
    redactValue(member, more, isSecretName(name) ? name : key, depth + 1),
  ]);
  return keepTextsIn(Object.fromEntries(members), value);
}

/** Removes secrets from one text of a value. `name` is the name of its member. */
export function redactText(text: string, more?: Redact, name = ''): string {
  if (isSecretName(name)) return REDACTED;
  const shown = redactSecrets(text);
  return more === undefined ? shown : more(shown, name);
}
