import { isObject, toJsonObject } from '@tenon/base';
import type { JsonObject } from 'tenon';

/** Features of a schema that hosts treat differently. */
export interface SchemaFeatures {
  /** Number of properties at all depths. */
  readonly properties: number;
  /** Paths of properties without a description. */
  readonly undescribed: readonly string[];
  /** `$ref` values that are no pointer into the schema. */
  readonly externalReferences: readonly string[];
  /** Paths of lists of values with more than `MAX_ENUM` values. */
  readonly largeEnums: readonly string[];
  /** Names of properties that a model API does not accept. */
  readonly invalidKeys: readonly string[];
  /** True if a `$ref` leads to the schema itself or one of its parents. */
  readonly hasReference: boolean;
  /** Paths with a list of types in place of one type. */
  readonly typeLists: readonly string[];
  /** Paths of required properties that no part of their object describes. */
  readonly undefinedRequired: readonly string[];
}

/** Maximum number of values of an `enum` without a remark. */
export const MAX_ENUM = 100;
const PROPERTY_KEY = /^[A-Za-z0-9_.-]{1,64}$/;
const MAX_DEPTH = 32;
/** Keywords with schemas by name. */
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions'];
/** Keywords with a schema or a list of schemas. */
const SCHEMAS = [
  'items',
  'prefixItems',
  'additionalProperties',
  'anyOf',
  'oneOf',
  'allOf',
  'not',
  'if',
  'then',
  'else',
];

/** Keywords whose schemas apply to the object that has them, so that each may describe a part of its properties. */
const PARTS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else']);
/** Keywords that describe properties in another place than `properties`. */
const OTHER_PROPERTIES = [...PARTS, '$ref', '$dynamicRef', 'patternProperties', 'dependentSchemas', 'dependencies'];

/** Collects the features of a schema, at all depths. */
export function readSchemaFeatures(schema: JsonObject): SchemaFeatures {
  const features = {
    properties: 0,
    undescribed: [] as string[],
    externalReferences: [] as string[],
    largeEnums: [] as string[],
    invalidKeys: [] as string[],
    hasReference: false,
    typeLists: [] as string[],
    undefinedRequired: [] as string[],
  };
  const visit = (value: unknown, path: string, depth: number, isPart = false) => {
    if (!isObject(value) || depth > MAX_DEPTH) return;
    if (Array.isArray(value.enum) && value.enum.length > MAX_ENUM) features.largeEnums.push(path);
    if (Array.isArray(value.type) && value.type.length > 1) features.typeLists.push(path);
    if (typeof value.$ref === 'string') {
      features.hasReference = true;
      if (!value.$ref.startsWith('#')) features.externalReferences.push(value.$ref);
    }
    if (!isPart) for (const name of listUndefinedRequired(value)) features.undefinedRequired.push(join(path, name));
    for (const keyword of MAPS) {
      for (const [name, child] of Object.entries(isObject(value[keyword]) ? value[keyword] : {})) {
        const childPath = join(path, name);
        if (keyword === 'properties') {
          features.properties += 1;
          if (!PROPERTY_KEY.test(name)) features.invalidKeys.push(childPath);
          if (isObject(child) && !hasDescription(child)) features.undescribed.push(childPath);
        }
        visit(child, childPath, depth + 1);
      }
    }
    for (const keyword of SCHEMAS) {
      for (const child of [value[keyword]].flat()) visit(child, path, depth + 1, isPart || PARTS.has(keyword));
    }
  };
  visit(schema, '', 0);
  return features;
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** Lists the required properties of an object that its schema does not describe. */
function listUndefinedRequired(schema: JsonObject): string[] {
  const { required, properties, additionalProperties } = schema;
  if (!Array.isArray(required) || isObject(additionalProperties)) return [];
  if (OTHER_PROPERTIES.some(keyword => schema[keyword] !== undefined)) return [];
  const known = toJsonObject(properties);
  return required.filter(name => typeof name === 'string' && !Object.hasOwn(known, name));
}

/** Tells if a property explains itself: by a description, a title, or a reference to a schema that may have one. */
const hasDescription = (schema: JsonObject): boolean =>
  typeof schema.description === 'string' || typeof schema.title === 'string' || typeof schema.$ref === 'string';
