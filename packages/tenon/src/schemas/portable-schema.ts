import { isObject, type JsonObject } from '@tenon/base';
import type { Tool } from '../protocol/content.js';
import { resolveReference } from './json-schema.js';

/** Maximum number of schemas in a portable schema. A larger one keeps its references. */
const MAX_SCHEMAS = 5_000;

/** Keywords with a schema, or with a list of schemas. */
const SCHEMAS: ReadonlySet<string> = new Set(
  'items prefixItems contains additionalProperties additionalItems unevaluatedProperties unevaluatedItems propertyNames anyOf oneOf allOf not if then else'.split(
    ' ',
  ),
);
/** Keywords with schemas by name. */
const MAPS: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas']);
/** Keywords of a type, which stand in each alternative that has this type. */
const TYPE_KEYWORDS: { readonly [type: string]: ReadonlySet<string> | undefined } = {
  object: new Set(
    'properties patternProperties additionalProperties required propertyNames minProperties maxProperties'.split(' '),
  ),
  array: new Set('items prefixItems contains minItems maxItems uniqueItems'.split(' ')),
  string: new Set('minLength maxLength pattern format contentEncoding contentMediaType'.split(' ')),
  number: new Set('minimum maximum exclusiveMinimum exclusiveMaximum multipleOf'.split(' ')),
};
const ANNOTATIONS: ReadonlySet<string> = new Set(
  'title description default examples deprecated readOnly writeOnly enum const'.split(' '),
);

const converted = new WeakMap<object, Tool>();

/** Returns a tool whose schemas are portable. Each tool is converted once. */
export function toPortableTool(tool: Tool): Tool {
  const known = converted.get(tool);
  if (known) return known;
  const { inputSchema, outputSchema } = tool;
  const portable = {
    ...tool,
    inputSchema: { ...toPortableSchema(inputSchema), type: 'object' as const },
    ...(outputSchema === undefined ? {} : { outputSchema: toPortableSchema(outputSchema) }),
  };
  converted.set(tool, portable);
  return portable;
}

/**
 * Converts a schema to one that strict hosts read: references inside the schema are replaced by what they refer to, and
 * lists of types by `anyOf`. A schema that refers to itself, or would become too large, keeps its references.
 */
export function toPortableSchema(schema: JsonObject): JsonObject {
  const conversion = new PortableConversion(schema);
  const { $schema: _, $defs, definitions, ...rest } = conversion.convert(schema);
  if (conversion.isInlined) return rest;
  return { ...rest, ...selectReferenced(rest, conversion.convertDefinitions({ $defs, definitions })) };
}

/** Returns the definitions to which the schema refers, directly or through others. */
function selectReferenced(schema: JsonObject, definitions: JsonObject): JsonObject {
  const root = { ...schema, ...definitions };
  const owners = new Map<unknown, Definition>();
  for (const [place, map] of Object.entries(definitions)) {
    if (!isObject(map)) continue;
    for (const [name, value] of Object.entries(map)) setOwner(value, { place, name, value }, owners);
  }
  const selected = new Set<Definition>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const target = isObject(value) && typeof value.$ref === 'string' ? resolveReference(root, value.$ref) : undefined;
    const owner = owners.get(target);
    if (owner !== undefined && !selected.has(owner)) {
      selected.add(owner);
      visit(owner.value);
    }
    Object.values(value).forEach(visit);
  };
  visit(schema);
  const places: Record<string, JsonObject> = {};
  for (const { place, name, value } of selected) places[place] = { ...places[place], [name]: value };
  return places;
}

/** A definition, with the keyword under which it stands. */
interface Definition {
  readonly place: string;
  readonly name: string;
  readonly value: unknown;
}

/** Notes for all parts of a definition to which definition they belong. */
function setOwner(part: unknown, owner: Definition, owners: Map<unknown, Definition>): void {
  if (typeof part !== 'object' || part === null) return;
  owners.set(part, owner);
  for (const each of Object.values(part)) setOwner(each, owner, owners);
}

class PortableConversion {
  readonly #root: JsonObject;
  readonly #open = new Set<unknown>();
  #left = MAX_SCHEMAS;
  /** True if no reference is left. */
  isInlined = true;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  convert(schema: JsonObject): JsonObject {
    this.#left -= 1;
    const { $ref, ...own } = schema;
    if (typeof $ref !== 'string') return replaceTypes(this.#convertMembers(schema));
    const target = $ref.startsWith('#') ? resolveReference(this.#root, $ref) : undefined;
    if (!isObject(target) || this.#open.has(target) || target === this.#root || this.#left < 0) {
      this.isInlined = false;
      return this.#convertMembers(schema);
    }
    this.#open.add(target);
    const inlined = this.convert(target);
    this.#open.delete(target);
    // Keywords beside a reference apply as well. Annotations replace those of the referenced schema.
    const beside = this.#convertMembers(own);
    const conflicts = Object.keys(beside).some(key => !ANNOTATIONS.has(key) && key in inlined);
    return conflicts ? { allOf: [inlined], ...beside } : { ...inlined, ...beside };
  }

  convertDefinitions(definitions: JsonObject): JsonObject {
    const entries = Object.entries(definitions).filter(([, value]) => isObject(value));
    return Object.fromEntries(entries.map(([key, value]) => [key, this.#convertMap(value as JsonObject)]));
  }

  #convertMembers(schema: JsonObject): JsonObject {
    const members = Object.entries(schema).map(([key, value]) => {
      if (MAPS.has(key) && isObject(value)) return [key, this.#convertMap(value)];
      return [key, SCHEMAS.has(key) ? this.#convertAny(value, key) : value];
    });
    return Object.fromEntries(members);
  }

  #convertMap(map: JsonObject): JsonObject {
    return Object.fromEntries(
      Object.entries(map).map(([name, value]) => [name, this.#convertAny(value, 'properties')]),
    );
  }

  #convertAny(value: unknown, keyword: string): unknown {
    if (Array.isArray(value)) return value.map(each => this.#convertAny(each, keyword));
    // Some hosts do not know `true` as the schema of a value. As `additionalProperties` all of them do.
    if (value === true && !/^(additional|unevaluated)/.test(keyword)) return {};
    return isObject(value) ? this.convert(value) : value;
  }
}

/** Replaces a list of types by alternatives, each of which has the keywords of its type. */
function replaceTypes(schema: JsonObject): JsonObject {
  const { type, anyOf, ...rest } = schema;
  if (!Array.isArray(type)) return schema;
  if (type.length === 1) return { ...schema, type: type[0] };
  const all = Object.entries(rest);
  const getTypes = (key: string) => Object.keys(TYPE_KEYWORDS).filter(each => TYPE_KEYWORDS[each]?.has(key));
  const alternatives = type.map((each: unknown) => {
    const name = each === 'integer' ? 'number' : each;
    return { type: each, ...Object.fromEntries(all.filter(([key]) => getTypes(key).some(known => known === name))) };
  });
  const common = Object.fromEntries(all.filter(([key]) => getTypes(key).length === 0));
  return anyOf === undefined
    ? { ...common, anyOf: alternatives }
    : { ...common, allOf: [...(Array.isArray(rest.allOf) ? rest.allOf : []), { anyOf: alternatives }, { anyOf }] };
}
