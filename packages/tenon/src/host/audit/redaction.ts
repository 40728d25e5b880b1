import { isObject } from '../../jsonrpc/message.js';
import { HIDDEN, hideSecrets, isSecretName } from '../../redaction/secrets.js';

/** What a user of the library adds to what is taken out by itself: gets each text with the name that it stands under. */
export type Redact = (text: string, name: string) => string;

/** How deep a value is written; what lies deeper is left out. */
const MAX_DEPTH = 16;
const TOO_DEEP = '(nested too deeply)';

/** A JSON value without its secrets: members by their names, texts by their looks, then what `more` takes out. */
export function redacted(value: unknown, more?: Redact, name = '', depth = 0): unknown {
  if (typeof value === 'string') return redactedText(value, more, name);
  if (typeof value !== 'object' || value === null) return isSecretName(name) && value !== null ? HIDDEN : value;
  if (depth >= MAX_DEPTH) return TOO_DEEP;
  if (Array.isArray(value)) return value.map(each => redacted(each, more, name, depth + 1));
  if (!isObject(value)) return HIDDEN;
  // A member's name is a text as well, and may be a token.
  const members = Object.entries(value).map(([key, member]) => [
    redactedText(key, more, ''),
    redacted(member, more, key, depth + 1),
  ]);
  return Object.fromEntries(members);
}

export function redactedText(text: string, more?: Redact, name = ''): string {
  if (isSecretName(name)) return HIDDEN;
  const shown = hideSecrets(text);
  return more === undefined ? shown : more(shown, name);
}
