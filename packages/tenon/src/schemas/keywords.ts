import { isObject, type JsonObject } from '../jsonrpc/message.js';
import { isEqual } from './equality.js';
import { formats } from './formats.js';
import { characters, isMultiple, items, jsonType, type Measure, magnitude, members } from './measures.js';
import { type Check, cannotJudge } from './walk.js';

/** What a keyword can know of the schema that it stands in. */
export interface Around {
  readonly node: JsonObject;
  /** Makes a check of a schema inside of this one. */
  check(schema: unknown): Check;
  /** Makes a check of the schema that a reference means. */
  follow(reference: string): Check;
  /** The same for a reference whose meaning depends on the documents on the way to it. */
  followDynamic(reference: string, scope: readonly string[]): Check;
  /** Makes a test of a pattern. It throws on a string for which it could take too long. */
  matcher(pattern: string): (text: string) => boolean;
}

/** Makes the check of one keyword, of what it says. Nothing when that says nothing. */
export type Keyword = (said: unknown, around: Around) => Check | undefined;

/** `uniqueItems` compares each with each, so longer lists are not compared. */
const MAX_UNIQUE_ITEMS = 2_000;

export function listOf(said: unknown, keyword: string): readonly unknown[] {
  if (Array.isArray(said)) return said;
  throw cannotJudge(`its "${keyword}" is no list`);
}

export function mapOf(said: unknown, keyword: string): [name: string, value: unknown][] {
  if (isObject(said)) return Object.entries(said);
  throw cannotJudge(`its "${keyword}" is no object`);
}

/** Compares a measure of the value with what the keyword says. */
const bound =
  (keyword: string, measure: Measure, holds: (measured: number, said: number) => boolean): Keyword =>
  said => {
    if (typeof said !== 'number') return undefined;
    return (value, walk) => {
      const measured = measure(value);
      return measured === undefined || holds(measured, said) || walk.fail(keyword, said, value);
    };
  };

const atLeast = (measured: number, said: number) => measured >= said;
const atMost = (measured: number, said: number) => measured <= said;

const isOfType = (value: unknown, type: unknown): boolean =>
  type === 'integer' ? Number.isInteger(value) : jsonType(value) === type;

/** What can be said of a value without another schema. In the order in which faults are told. */
export const assertions: { readonly [keyword: string]: Keyword } = {
  type(said) {
    const types = [said].flat();
    return (value, walk) => types.some(type => isOfType(value, type)) || walk.fail('type', said, value);
  },
  const: said => (value, walk) => isEqual(said, value) || walk.fail('const', said, value),
  enum(said) {
    const constants = listOf(said, 'enum');
    return (value, walk) => constants.some(each => isEqual(each, value)) || walk.fail('enum', said, value);
  },
  minimum: bound('minimum', magnitude, atLeast),
  maximum: bound('maximum', magnitude, atMost),
  exclusiveMinimum: bound('exclusiveMinimum', magnitude, (measured, said) => measured > said),
  exclusiveMaximum: bound('exclusiveMaximum', magnitude, (measured, said) => measured < said),
  multipleOf: bound('multipleOf', magnitude, isMultiple),
  minLength: bound('minLength', characters, atLeast),
  maxLength: bound('maxLength', characters, atMost),
  pattern(said, { matcher }) {
    if (typeof said !== 'string') return undefined;
    const matches = matcher(said);
    return (value, walk) => typeof value !== 'string' || matches(value) || walk.fail('pattern', said, value);
  },
  /** Formats that are not known say nothing. */
  format(said) {
    const matches = typeof said === 'string' && Object.hasOwn(formats, said) ? formats[said] : undefined;
    return (
      matches && ((value, walk) => typeof value !== 'string' || matches(value) || walk.fail('format', said, value))
    );
  },
  required(said) {
    const names = listOf(said, 'required') as readonly string[];
    return (value, walk) =>
      !isObject(value) || names.every(name => Object.hasOwn(value, name)) || walk.fail('required', said, value);
  },
  minProperties: bound('minProperties', members, atLeast),
  maxProperties: bound('maxProperties', members, atMost),
  dependentRequired(said) {
    const needs = mapOf(said, 'dependentRequired').map(([name, names]) => [name, listOf(names, name)] as const);
    return (value, walk) => {
      if (!isObject(value)) return true;
      const lacking = needs.flatMap(([name, names]) =>
        Object.hasOwn(value, name)
          ? names.filter(each => !Object.hasOwn(value, String(each))).map(each => [name, each])
          : [],
      );
      for (const pair of lacking) walk.fail('dependentRequired', pair, value);
      return lacking.length === 0;
    };
  },
  maxItems: bound('maxItems', items, atMost),
  minItems: bound('minItems', items, atLeast),
  uniqueItems(said) {
    if (said !== true) return undefined;
    return (value, walk) => {
      if (!Array.isArray(value)) return true;
      if (value.length > MAX_UNIQUE_ITEMS)
        throw cannotJudge(`it wants unique items, and only ${MAX_UNIQUE_ITEMS} can be compared`);
      const isRepeated = (item: unknown, at: number) => value.slice(0, at).some(before => isEqual(before, item));
      return !value.some(isRepeated) || walk.fail('uniqueItems', said, value);
    };
  },
};
