import { decodePointerToken, isObject } from '@tenon/base';
import type { JsonObject } from 'tenon';

/** Depth from which optional properties are left out. */
const MAX_OPTIONAL = 3;
const MAX_DEPTH = 24;

/** Creates a value that a JSON Schema accepts, for the keywords that schemas of APIs use. */
export function createSample(schema: unknown, root: JsonObject, depth = 0): unknown {
  if (!isObject(schema) || depth > MAX_DEPTH) return 'text';
  const merged = mergeAll(schema, root, 0);
  if (merged.const !== undefined) return merged.const;
  if (Array.isArray(merged.enum)) return merged.enum[0];
  const type = Array.isArray(merged.type) ? merged.type.find(each => each !== 'null') : merged.type;
  if (type === 'object' || isObject(merged.properties) || isObject(merged.additionalProperties))
    return createObject(merged, root, depth);
  if (type === 'array') {
    const count = Math.max(Number(merged.minItems ?? 1), depth > MAX_OPTIONAL ? 0 : 1);
    return Array.from({ length: depth > MAX_OPTIONAL ? Number(merged.minItems ?? 0) : count }, () =>
      createSample(merged.items ?? {}, root, depth + 1),
    );
  }
  if (type === 'boolean') return true;
  if (type === 'null') return null;
  if (type === 'integer' || type === 'number') {
    const least = Number(
      merged.minimum ?? (merged.exclusiveMinimum === undefined ? 1 : Number(merged.exclusiveMinimum) + 1),
    );
    const value = Math.min(least, Number(merged.maximum ?? Number.POSITIVE_INFINITY));
    const step = Number(merged.multipleOf ?? 1);
    return step > 1 ? Math.ceil(value / step) * step : value;
  }
  return type === undefined ? 'text' : createText(merged);
}

function createObject(schema: JsonObject, root: JsonObject, depth: number): JsonObject {
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const properties = isObject(schema.properties) ? schema.properties : {};
  const names = Object.keys(properties).filter(name => required.includes(name) || depth < MAX_OPTIONAL);
  const more = required.filter(name => typeof name === 'string' && !names.includes(name)).map(String);
  return Object.fromEntries([
    ...names.map(name => [name, createSample(properties[name], root, depth + 1)]),
    ...more.map(name => [name, createSample(schema.additionalProperties, root, depth + 1)]),
  ]);
}

function createText({ format, minLength = 0, pattern, contentEncoding, maxLength }: JsonObject): string {
  if (contentEncoding === 'base64' || format === 'byte') return btoa('bytes');
  if (format === 'date-time') return '2026-01-02T03:04:05Z';
  if (format === 'date') return '2026-01-02';
  if (format === 'time') return '03:04:05Z';
  if (format === 'email') return 'ada@example.com';
  if (format === 'uri' || format === 'url' || format === 'iri') return 'https://example.com/a';
  if (format === 'uuid') return '123e4567-e89b-42d3-a456-426614174000';
  if (format === 'ipv4' || format === 'ip') return '192.0.2.1';
  if (format === 'ipv6') return '2001:db8::1';
  const found = typeof pattern === 'string' ? createMatch(pattern) : 'text';
  return found.padEnd(Number(minLength), 'x').slice(0, Number(maxLength ?? Number.POSITIVE_INFINITY));
}

/** Creates a text that matches a simple pattern: literals, classes, the first of alternatives, and counts. */
function createMatch(pattern: string): string {
  let text = '';
  const parts = /\\([dws])|\\(.)|\[(\^?)((?:\\.|[^\]\\])+)\]|\((?:\?:)?((?:[^()]|\([^()]*\))*)\)|([^\\[\](){}*+?|^$])/g;
  const plain = pattern.replace(/^\^|\$$/g, '');
  for (const part of plain.matchAll(parts)) {
    const [whole, kind, escaped, negated, letters, group, literal] = part;
    const [, least, star] = /^(?:\{(\d+)(?:,\d*)?\}|([*?])|\+)/.exec(plain.slice(part.index + whole.length)) ?? [];
    const one =
      kind === undefined
        ? (escaped ??
          (letters !== undefined
            ? negated === '^'
              ? '~'
              : letters.replace(/^\\d/, '1').replace(/^\\w/, 'a').slice(0, 1)
            : group === undefined
              ? literal === '.'
                ? 'a'
                : (literal ?? '')
              : createMatch(group.split('|', 1)[0] ?? '')))
        : { d: '1', w: 'a', s: ' ' }[kind as 'd' | 'w' | 's'];
    text += one.repeat(least === undefined ? (star === undefined ? 1 : 0) : Number(least));
  }
  return text;
}

/** Merges the references, all of `allOf`, and the first alternative of a schema. */
function mergeAll(schema: JsonObject, root: JsonObject, depth: number): JsonObject {
  if (depth > MAX_DEPTH) return {};
  const { $ref, allOf, anyOf, oneOf, ...own } = schema;
  const alternatives = [anyOf, oneOf].flatMap(each => (Array.isArray(each) ? [pickAlternative(each, root)] : []));
  const parts = [
    ...(typeof $ref === 'string' ? [resolve($ref, root)] : []),
    ...(Array.isArray(allOf) ? allOf : []),
    ...alternatives,
  ];
  let merged: JsonObject = own;
  for (const part of parts) {
    if (!isObject(part)) continue;
    const found = mergeAll(part, root, depth + 1);
    const properties = joinProperties(asObject(found.properties), asObject(merged.properties));
    const required = [...asList(found.required), ...asList(merged.required)];
    merged = {
      ...found,
      ...merged,
      ...(Object.keys(properties).length > 0 ? { properties } : {}),
      ...(required.length > 0 ? { required } : {}),
    };
  }
  return merged;
}

/** A property of two parts has the keywords of both. */
function joinProperties(first: JsonObject, second: JsonObject): JsonObject {
  const both = Object.keys(first).filter(name => second[name] !== undefined);
  return {
    ...first,
    ...second,
    ...Object.fromEntries(both.map(name => [name, { allOf: [second[name], first[name]] }])),
  };
}

/** An alternative with required properties distinguishes itself from the others. */
function pickAlternative(alternatives: readonly unknown[], root: JsonObject): unknown {
  const followed = alternatives.map(each =>
    isObject(each) && typeof each.$ref === 'string' ? resolve(each.$ref, root) : each,
  );
  return followed.find(each => isObject(each) && each.type !== 'null') ?? alternatives[0];
}

const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {});
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function resolve(reference: string, root: JsonObject): unknown {
  let value: unknown = root;
  for (const part of reference.slice(2).split('/'))
    value = isObject(value) ? value[decodePointerToken(decodeURIComponent(part)) ?? part] : undefined;
  return value;
}
