import { isObject, type JsonObject } from '../../../jsonrpc/message.js';

const SECRET_NAME =
  /pass(?:word|wd|phrase|code)?$|^pwd|secret|token|^auth$|authori[sz]|authentic|[-_]auth|auth[-_]|bearer|credential|cookie|api[-_]?key|(?:private|access|signing|encryption)[-_]?key|^key$|session|^otp|^pin$|cvv|cvc/i;
const SECRET_SHAPE =
  /(?:\b(?:bearer|basic)\s+[-\w.+/=~]{8,}|\b(?:sk|pk|rk|ghp|gho|ghs|ghu|github_pat|glpat|xox[abprs]|AKIA|ya29|eyJ)[-_.A-Za-z0-9]{12,})/gi;
const USERINFO = /([a-z][a-z0-9+.-]{0,15}:\/\/)[^/@\s?#]{1,256}@/gi;
const SECRET_QUERY = /([?&#][^=&#\s]{0,64}=)([^&#\s]+)/g;
const HIDDEN = '…';

/** Maximum number of characters of arguments that are kept for people to see. */
const MAX_TEXT = 2000;
const MAX_ITEMS = 100;
const MAX_DEPTH = 16;
const MAX_VALUES = 1000;

/**
 * Arguments as they may be shown and kept: what the name of a member, or its own shape, says to be secret is left out, and
 * so is what is too much to be looked at.
 */
export function maskArguments(args: JsonObject): JsonObject {
  let remaining = MAX_VALUES;
  const mask = (value: unknown, depth: number): unknown => {
    if (--remaining < 0 || depth > MAX_DEPTH) return HIDDEN;
    if (typeof value === 'string') return maskText(value);
    if (Array.isArray(value)) {
      const masked = value.slice(0, MAX_ITEMS).map(item => mask(item, depth + 1));
      return value.length > MAX_ITEMS ? [...masked, `${HIDDEN} ${value.length - MAX_ITEMS} more`] : masked;
    }
    return isObject(value) ? maskObject(value, depth) : value;
  };
  const maskObject = (object: JsonObject, depth: number): JsonObject => {
    const entries = Object.entries(object);
    const masked = entries.slice(0, MAX_ITEMS).map(([name, value]) => {
      const shown = isSecretName(name) ? HIDDEN : mask(value, depth + 1);
      return [name.slice(0, MAX_TEXT), shown] as const;
    });
    const more = entries.length > MAX_ITEMS ? [[HIDDEN, `${entries.length - MAX_ITEMS} more`] as const] : [];
    return Object.fromEntries([...masked, ...more]);
  };
  return maskObject(args, 0);
}

/** True if a member of this name is not to be shown: `apiKey`, `x-auth-token`, `Password`. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** A text without what looks like a secret in it, cut where it is too long. */
export function maskText(text: string): string {
  const cut = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}${HIDDEN}` : text;
  return cut
    .replace(SECRET_SHAPE, HIDDEN)
    .replace(USERINFO, `$1${HIDDEN}@`)
    .replace(SECRET_QUERY, (pair, name: string) => (isSecretName(name.slice(1, -1)) ? `${name}${HIDDEN}` : pair));
}

/** A text on one line that hides nothing: what cannot be seen, or turns what is seen about, is written as its number. */
export function toVisibleText(text: string, maxLength = 200): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}${HIDDEN}` : text;
  return cut.replace(/[\p{C}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0\u2800]/gu, char => {
    return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
  });
}
