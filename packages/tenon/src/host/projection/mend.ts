import { isObject, type JsonObject } from '../../jsonrpc/message.js';

/** Makes what the server wants of what the model gave. What does not look as expected is left for the server to judge. */
export type Mend = (value: unknown) => unknown;

/** Reads JSON that was asked for as text. Text that is none is kept: a model may well write a plain word. */
export function fromText(kind: 'object' | 'any'): Mend {
  return value => {
    const parsed = typeof value === 'string' ? parse(value) : undefined;
    if (parsed === undefined) return value;
    return kind === 'any' || isObject(parsed.value) ? parsed.value : value;
  };
}

/** Whether a value came as the text that was asked for: any text can stand for any value, as itself if it is no JSON. */
export function isText(kind: 'object' | 'any', value: unknown): boolean {
  return typeof value === 'string' && (kind === 'any' || isObject(parse(value)?.value));
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** How one property was written. */
export interface WrittenKey {
  readonly inner: string;
  readonly mend: Mend | undefined;
  /** How the model leaves it out where it must give all: by `null`; a boxed value is taken out of its box. */
  readonly absent: 'null' | 'null or box' | undefined;
}

/** Gives properties their names back, leaves out those that were not meant, and mends the rest. */
export function mendObject(keys: ReadonlyMap<string, WrittenKey>): Mend | undefined {
  const isSame = [...keys].every(([outer, { inner, mend, absent }]) => outer === inner && !mend && !absent);
  if (isSame) return undefined;
  return value => {
    if (!isObject(value)) return value;
    const entries = Object.entries(value).flatMap(([outer, given]) => {
      const key = keys.get(outer);
      if (key === undefined) return [[outer, given] as const];
      if (key.absent !== undefined && given === null) return [];
      const own = key.absent === 'null or box' && isBox(given) ? given.value : given;
      return [[key.inner, key.mend ? key.mend(own) : own] as const];
    });
    return Object.fromEntries(entries);
  };
}

/** Whether a value stands alone in an object, as where `null` can be given and left out. */
export function isBox(value: unknown): value is JsonObject {
  return isObject(value) && Object.hasOwn(value, 'value') && Object.keys(value).length === 1;
}

/** Whether a value is of the shape of a written schema: enough to tell its alternatives apart. */
export function fits(schema: JsonObject, value: unknown): boolean {
  const { anyOf, type, enum: values, items } = schema;
  if (value === null && schema.nullable === true) return true;
  if (Array.isArray(anyOf)) return anyOf.some(each => isObject(each) && fits(each, value));
  if (type !== undefined && ![type].flat().some(each => isOfType(each, value))) return false;
  if (Array.isArray(values) && !values.includes(value)) return false;
  return !Array.isArray(value) || !isObject(items) || value.every(each => fits(items, each));
}

function isOfType(type: unknown, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}
