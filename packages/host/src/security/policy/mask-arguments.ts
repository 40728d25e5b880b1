import { isObject, isSecretName, type JsonObject, keepTextsIn, REDACTED, redactNamedSecrets } from '@tenon/base';

/** Maximum number of characters of arguments that are stored for display. */
const MAX_TEXT = 2000;
const MAX_ITEMS = 100;
const MAX_DEPTH = 16;
const MAX_VALUES = 1000;

/** Masks arguments for display: the values of members with secret names, tokens in texts, and parts over the limits. */
export function maskArguments(args: JsonObject): JsonObject {
  let remaining = MAX_VALUES;
  const mask = (value: unknown, depth: number): unknown => {
    if (--remaining < 0 || depth > MAX_DEPTH) return REDACTED;
    if (typeof value === 'string') return maskText(value);
    if (Array.isArray(value)) {
      const masked = value.slice(0, MAX_ITEMS).map(item => mask(item, depth + 1));
      if (value.length > MAX_ITEMS) masked.push(`${REDACTED} ${value.length - MAX_ITEMS} more`);
      return keepTextsIn(masked, value);
    }
    return isObject(value) ? maskObject(value, depth) : value;
  };
  const maskObject = (object: JsonObject, depth: number): JsonObject => {
    const entries = Object.entries(object);
    const masked = entries.slice(0, MAX_ITEMS).map(([name, value]) => {
      const shown = isSecretName(name) ? REDACTED : mask(value, depth + 1);
      return [name.slice(0, MAX_TEXT), shown] as const;
    });
    const more = entries.length > MAX_ITEMS ? [[REDACTED, `${entries.length - MAX_ITEMS} more`] as const] : [];
    return keepTextsIn(Object.fromEntries([...masked, ...more]), object);
  };
  return maskObject(args, 0);
}

/** Removes the secrets of a text, and cuts a long text. Keeps random IDs, because an approver must see them. */
export function maskText(text: string): string {
  return redactNamedSecrets(text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}${REDACTED}` : text);
}
