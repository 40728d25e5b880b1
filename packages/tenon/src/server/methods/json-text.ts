import { findJsonLoss, JSON_VALUES, TenonError } from '@tenon/base';

/** JSON text of values that JSON may lose: `{}` for a `Map`, `{"0":1}` or a list for bytes, `null` for `NaN`. Most results contain none. */
const LOSSY_JSON = /\{(\}|"0":)|null|"Buffer"/;

const ADVICE: readonly (readonly [kinds: RegExp, advice: string])[] = [
  [/^(Weak)?Map$/, 'return Object.fromEntries(map), or an array of entries'],
  [/^(Weak)?Set$|Iterator$/, 'return an array of the values: [...values]'],
  [/^Error$/, 'throw the error, or return ctx.fail(error.message) for the model'],
  [/^(Response|Request|Blob)$/, 'read the body first: await response.json() or response.text()'],
  [/Generator$/, 'collect the values in an array, and report intermediate values with `ctx.progress`'],
  [/^Promise$/, 'await the promise'],
  [
    /Array$|^(ArrayBuffer|SharedArrayBuffer|DataView)$/,
    'return bytes as base64, in a block of type image, audio or resource',
  ],
  [/^function$/, 'call the function and return its result'],
  [/^NaN$|Infinity$/, 'return null for a number that is not known'],
  [/^bigint$/, 'return the value as a string: String(value)'],
  [/^reference/, 'return only the parts that the caller needs'],
];

/**
 * Serializes a value as JSON. Throws `handler/output` if JSON cannot represent a part of the value, or would silently
 * lose it.
 */
export function toJsonText(subject: string, value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    requireJson(subject, value);
    const details = { hint: 'see `cause`: toJSON threw, or the value is too deep', cause };
    throw new TenonError('handler/output', `${subject}: the result cannot be serialized as JSON`, details);
  }
  if (text === undefined || LOSSY_JSON.test(text) || value instanceof Error) requireJson(subject, value);
  return text ?? 'null';
}

/** Returns what JSON sends of a value: the results of `toJSON` in place of the parts that have it. */
export function toSentValue(subject: string, value: unknown): unknown {
  try {
    if (!hasToJson(value)) return value;
  } catch {
    // The value is circular, or a getter threw. Its text fails with the reason.
  }
  return JSON.parse(toJsonText(subject, value));
}

function hasToJson(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const members = value as { readonly [name: string]: unknown };
  if (typeof members.toJSON === 'function') return true;
  if (Array.isArray(value)) return value.some(hasToJson);
  // A list of the values of each object would take longer than their validation.
  for (const name in members) if (hasToJson(members[name])) return true;
  return false;
}

/** Throws `handler/output` if JSON would lose a part of the value. */
export function requireJson(subject: string, value: unknown): void {
  const { kind, path } = findJsonLoss(value) ?? {};
  if (!kind) return;
  const article = /NaN$|Infinity$/.test(kind) ? '' : /^[AEIO]/.test(kind) ? 'an ' : 'a ';
  throw new TenonError('handler/output', `${subject}: the result cannot be serialized as JSON`, {
    expected: JSON_VALUES,
    received: `${article}${kind}${path && ` at ${path}`}`,
    hint:
      ADVICE.find(([kinds]) => kinds.test(kind))?.[1] ?? 'return a plain object, or add a toJSON method to the class',
  });
}
