import { isObject, type JsonObject, TenonError } from '@tenon/base';

/**
 * Parses the text of a stored value. The error names the kind of the key, and neither the key nor the text, which may contain
 * the data of a user.
 * @throws TenonError `store/malformed`
 */
export function parseStoredValue(key: string, text: unknown): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(String(text));
  } catch {
    // The message of JSON.parse contains a part of the text.
  }
  if (isObject(value)) return value;
  const [kind] = /^[a-z][a-z-]{0,30}(?=[/:])/.exec(key) ?? [];
  throw new TenonError('store/malformed', `a stored value of the kind "${kind ?? 'unknown'}" is not a JSON object`, {
    expected: 'the text of a JSON object, as this library writes it',
    received: value === undefined ? 'other text' : 'another JSON value',
    hint: 'use a store or prefix that no other program writes to, or delete the value',
  });
}
