import { TenonError } from '@tenon/base';

/** JSON text of values that JSON may lose: `{}` for a `Map`, `{"0":1}` for bytes. Most results contain neither. */
const LOSSY_JSON = /\{\}|\{"0":/;

/**
 * Serializes a value as JSON. Throws `handler/output` if JSON cannot represent a part of the value, or would silently
 * lose it.
 */
export function toJsonText(subject: string, value: unknown): string {
  const text = writeJson(subject, value);
  if (text === undefined || LOSSY_JSON.test(text) || value instanceof Error) requireJson(subject, value);
  return text ?? 'null';
}

/** Throws `handler/output` if JSON would lose a part of the value. */
export function requireJson(subject: string, value: unknown): void {
  const loss = findJsonLoss(value, '', []);
  if (loss) throw createNotJsonError(subject, loss);
}

function writeJson(subject: string, value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    requireJson(subject, value);
    const details = { hint: 'see `cause`: a toJSON method threw, or the value is nested too deeply', cause };
    throw new TenonError('handler/output', `${subject}: the result cannot be serialized as JSON`, details);
  }
}

/** A part of a value that JSON cannot represent. */
interface JsonLoss {
  readonly kind: string;
  /** JSON Pointer of the part. */
  readonly path: string;
}

/**
 * Finds the first part for which `JSON.stringify` throws or writes nothing. Members that are functions are ignored, as
 * JSON ignores them.
 */
function findJsonLoss(value: unknown, path: string, ancestors: readonly object[]): JsonLoss | undefined {
  const type = typeof value;
  if (type === 'bigint' || type === 'function' || type === 'symbol') return { kind: type, path };
  if (typeof value !== 'object' || value === null) return undefined;
  const ancestor = ancestors.indexOf(value);
  if (ancestor >= 0)
    return {
      kind: `reference to ${
        path
          .split('/')
          .slice(0, ancestor + 1)
          .join('/') || '/'
      }`,
      path,
    };
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return undefined;
  if (!Array.isArray(value) && isLost(value)) return { kind: describeClass(value), path };
  const innerAncestors = [...ancestors, value];
  for (const [key, member] of Object.entries(value)) {
    if (!Array.isArray(value) && typeof member === 'function') continue;
    const loss = findJsonLoss(member, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, innerAncestors);
    if (loss) return loss;
  }
  return undefined;
}

/**
 * Tells if an object belongs to a class whose state JSON does not represent. An object of another realm counts as
 * plain.
 */
function isLost(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return false;
  if (ArrayBuffer.isView(value) || value instanceof Error) return true;
  return Object.keys(value).length === 0 && Object(value.valueOf()) === value;
}

function describeClass(value: object): string {
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  return value instanceof Error ? 'Error' : tag === 'Object' ? value.constructor.name || 'class instance' : tag;
}

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
  [/^bigint$/, 'return the value as a string: String(value)'],
  [/^reference/, 'return only the parts that the caller needs'],
];

function createNotJsonError(subject: string, { kind, path }: JsonLoss): TenonError {
  const article = /^[AEIO]/.test(kind) ? 'an' : 'a';
  return new TenonError('handler/output', `${subject}: the result cannot be serialized as JSON`, {
    expected: 'null, booleans, finite numbers, strings, arrays and plain objects',
    received: `${article} ${kind}${path && ` at ${path}`}`,
    hint:
      ADVICE.find(([kinds]) => kinds.test(kind))?.[1] ?? 'return a plain object, or add a toJSON method to the class',
  });
}
