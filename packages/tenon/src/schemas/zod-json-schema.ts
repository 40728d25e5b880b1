import { isObject, type JsonObject, toJsonObject } from '@tenon/base';
import type { SchemaSide } from './json-schema.js';

/**
 * Converts schemas of zod that have no conversion of their own: those of zod 4.0 and 4.1, and of `zod/mini`. Their
 * definitions are the same in all versions of zod 4.
 */

/** A schema or a check of zod 4, as far as the conversion reads it. */
interface ZodNode {
  readonly _zod: { readonly def: object; readonly run?: unknown };
  readonly description?: unknown;
}

interface ZodDefinition {
  readonly type?: string;
  readonly [member: string]: unknown;
}

/** Returns the definition of a schema or a check. */
const getDefinition = ({ _zod }: ZodNode): ZodDefinition => _zod.def as ZodDefinition;

export function isZodNode(value: unknown): value is ZodNode {
  return isObject(value) && isObject(value._zod) && isObject(value._zod.def);
}

const UNREPRESENTABLE: ReadonlySet<string> = new Set(
  'bigint symbol undefined void map set transform custom function nan file promise'.split(' '),
);

/** The JSON Schema of a date, as JSON has it in a result. */
const DATE_SCHEMA = { type: 'string', format: 'date-time' } as const;

/**
 * Options of zod for the output of a tool. JSON has a date as a text, so it is no type without a representation there.
 */
export const ZOD_OUTPUT = {
  libraryOptions: {
    unrepresentable: 'any',
    /** Throws for a schema of a type that JSON does not have. Does not check its parts. */
    override({ zodSchema, jsonSchema }: { readonly zodSchema: unknown; readonly jsonSchema: JsonObject }): void {
      const { type = '', values } = isZodNode(zodSchema) ? getDefinition(zodSchema) : {};
      if (type === 'date') Object.assign(jsonSchema, DATE_SCHEMA);
      if (UNREPRESENTABLE.has(type)) throw new Error(`${type} cannot be represented in JSON Schema`);
      if (type === 'literal') toChoice(toArray(values));
    },
  },
};

/** Converts one side of a schema. Throws for a type that JSON does not have. */
export function convertZodSchema(schema: ZodNode, side: SchemaSide): JsonObject {
  return new ZodConversion(side, side === 'output' && hasCodecs(schema)).convertRoot(schema);
}

/**
 * Tells if a schema of zod has codecs, and nothing that cannot be encoded. A result of such a schema is sent encoded, and
 * its JSON Schema is the one of the encoded value.
 */
export function hasCodecs(schema: unknown): boolean {
  if (!isZodNode(schema)) return false;
  const known = codecSchemas.get(schema);
  if (known !== undefined) return known;
  const nodes = [...listZodNodes(schema)].map(getDefinition);
  const has = nodes.some(isCodec) && !nodes.some(({ type }) => type === 'transform' || type === 'success');
  codecSchemas.set(schema, has);
  return has;
}

const codecSchemas = new WeakMap<ZodNode, boolean>();

const isCodec = ({ type, reverseTransform }: ZodDefinition): boolean =>
  type === 'pipe' && typeof reverseTransform === 'function';

/** Lists a schema and its parts, also those of a recursive schema. */
function listZodNodes(root: ZodNode): ReadonlySet<ZodNode> {
  const found = new Set<ZodNode>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) visit(item);
    if (!isZodNode(value) || found.has(value)) return;
    found.add(value);
    const { shape, getter, checks: _, ...parts } = getDefinition(value);
    for (const part of Object.values(parts)) visit(part);
    if (isObject(shape)) for (const member of Object.values(shape)) visit(member);
    if (typeof getter === 'function') visit(getter());
  };
  visit(root);
  return found;
}

/** Formats of zod and of JSON Schema. Other formats have only their pattern. */
const FORMATS: { readonly [format: string]: string | undefined } = {
  email: 'email',
  url: 'uri',
  uuid: 'uuid',
  guid: 'uuid',
  date: 'date',
  time: 'time',
  datetime: 'date-time',
  duration: 'duration',
  ipv4: 'ipv4',
  ipv6: 'ipv6',
};

class ZodConversion {
  readonly #side: SchemaSide;
  readonly #hasCodecs: boolean;
  readonly #open = new Set<ZodNode>();
  readonly #names = new Map<ZodNode, string>();
  readonly #definitions: JsonObject = {};
  #root: ZodNode | undefined;

  constructor(side: SchemaSide, hasCodecs: boolean) {
    this.#side = side;
    this.#hasCodecs = hasCodecs;
  }

  convertRoot(schema: ZodNode): JsonObject {
    this.#root = schema;
    const json = this.#convert(schema);
    return Object.keys(this.#definitions).length > 0 ? { ...json, $defs: this.#definitions } : json;
  }

  #convert(value: unknown): JsonObject {
    if (!isZodNode(value)) throw new Error('the definition of a part is unknown');
    const known = this.#names.get(value);
    if (known !== undefined && !this.#open.has(value)) return { $ref: `#/$defs/${known}` };
    if (this.#open.has(value)) return { $ref: value === this.#root ? '#' : `#/$defs/${this.#name(value)}` };
    this.#open.add(value);
    const json = { ...this.#convertType(getDefinition(value)), ...readMetadata(value) };
    this.#open.delete(value);
    const name = this.#names.get(value);
    if (name === undefined) return json;
    this.#definitions[name] = json;
    return { $ref: `#/$defs/${name}` };
  }

  #name(schema: ZodNode): string {
    const name = this.#names.get(schema) ?? `schema${this.#names.size}`;
    this.#names.set(schema, name);
    return name;
  }

  #convertType(def: ZodDefinition): JsonObject {
    const { type = '' } = def;
    switch (type) {
      case 'string':
        return { type, ...readFormat(def), ...readChecks(def) };
      case 'number': {
        const { format, ...checks } = readChecks(def);
        return { type: /int/.test(String(def.format ?? format)) ? 'integer' : type, ...checks };
      }
      case 'boolean':
      case 'null':
        return { type };
      case 'any':
      case 'unknown':
        return {};
      case 'never':
        return { not: {} };
      case 'enum': {
        // TypeScript adds the names of a numeric enum under its numbers.
        const entries = Object.entries(toJsonObject(def.entries));
        const members = entries.filter(([key, value]) => !(typeof value === 'string' && /^\d+$/.test(key)));
        return toChoice(members.map(([, value]) => value));
      }
      case 'literal':
        return toChoice(toArray(def.values));
      case 'array':
        return { type, items: this.#convert(def.element), ...readChecks(def) };
      case 'tuple': {
        const items = toArray(def.items).map(item => this.#convert(item));
        return { type: 'array', prefixItems: items, ...this.#convertRest(def.rest, items.length) };
      }
      case 'object':
        return this.#convertObject(def);
      case 'record':
        return {
          type: 'object',
          propertyNames: this.#convert(def.keyType),
          additionalProperties: this.#convert(def.valueType),
        };
      case 'union':
        return { anyOf: toArray(def.options).map(option => this.#convert(option)) };
      case 'intersection':
        return intersect(this.#convert(def.left), this.#convert(def.right));
      case 'nullable':
        return { anyOf: [this.#convert(def.innerType), { type: 'null' }] };
      case 'default':
      case 'prefault': {
        const inner = this.#convert(def.innerType);
        const { defaultValue } = def;
        const value: unknown = typeof defaultValue === 'function' ? defaultValue() : defaultValue;
        return { ...inner, default: value === undefined ? undefined : JSON.parse(JSON.stringify(value)) };
      }
      case 'optional':
      case 'nonoptional':
      case 'readonly':
      case 'catch':
      case 'success':
        return type === 'success' ? { type: 'boolean' } : this.#convert(def.innerType);
      case 'pipe':
        return this.#convert(this.#isEncoded(def) ? def.in : def.out);
      case 'lazy':
        return this.#convert(typeof def.getter === 'function' ? def.getter() : undefined);
      case 'date':
        if (this.#side === 'output') return { ...DATE_SCHEMA };
    }
    throw new Error(`${type} cannot be represented in JSON Schema`);
  }

  /** Tells if a pipe is represented by its first schema. The output of a tool is sent as its codecs encode it. */
  #isEncoded(def: ZodDefinition): boolean {
    if (this.#side === 'output') return this.#hasCodecs && isCodec(def);
    return !isZodNode(def.in) || getDefinition(def.in).type !== 'transform';
  }

  #convertRest(rest: unknown, count: number): JsonObject {
    return isZodNode(rest)
      ? { items: this.#convert(rest), minItems: count }
      : { items: false, minItems: count, maxItems: count };
  }

  #convertObject({ shape, catchall }: ZodDefinition): JsonObject {
    const entries = Object.entries(toJsonObject(shape));
    const properties = Object.fromEntries(entries.map(([name, member]) => [name, this.#convert(member)]));
    const required = entries.filter(([, member]) => !this.#isOptional(member)).map(([name]) => name);
    const isClosed = isZodNode(catchall) ? getDefinition(catchall).type === 'never' : this.#side === 'output';
    const others = isClosed ? false : isZodNode(catchall) ? this.#convert(catchall) : undefined;
    return {
      type: 'object',
      properties,
      ...(required.length > 0 ? { required } : {}),
      ...(others === undefined ? {} : { additionalProperties: others }),
    };
  }

  /** Tells if a member may be absent. One with a default may be absent in the input only. */
  #isOptional(schema: unknown): boolean {
    if (!isZodNode(schema)) return false;
    const def = getDefinition(schema);
    switch (def.type) {
      case 'optional':
        return true;
      case 'default':
      case 'prefault':
        return this.#side === 'input';
      case 'nullable':
      case 'readonly':
        return this.#isOptional(def.innerType);
      case 'pipe':
        return this.#isOptional(this.#side === 'input' || this.#isEncoded(def) ? def.in : def.out);
      case 'lazy':
        return !this.#open.has(schema) && typeof def.getter === 'function' && this.#isOptional(def.getter());
      default:
        return false;
    }
  }
}

/** Intersects two schemas. Two objects become one, because each of them alone would refuse the members of the other. */
function intersect(left: JsonObject, right: JsonObject): JsonObject {
  if (!isObject(left.properties) || !isObject(right.properties)) return { allOf: [left, right] };
  const required = [...toArray(left.required), ...toArray(right.required)];
  return {
    ...left,
    ...right,
    properties: { ...left.properties, ...right.properties },
    ...(required.length > 0 ? { required: [...new Set(required)] } : {}),
  };
}

const toArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function toChoice(values: readonly unknown[]): JsonObject {
  if (values.some(value => typeof value === 'bigint' || value === undefined))
    throw new Error('a literal cannot be represented in JSON Schema');
  const types = new Set(values.map(value => (value === null ? 'null' : typeof value)));
  const type = types.size === 1 ? { type: [...types][0] } : {};
  return values.length === 1 ? { ...type, const: values[0] } : { ...type, enum: values };
}

/** Reads the description of a schema. `zod/mini` has it in a registry only. */
function readMetadata(schema: ZodNode): JsonObject {
  const registry: unknown = Reflect.get(globalThis, '__zod_globalRegistry');
  const registered: unknown =
    isObject(registry) && typeof registry.get === 'function' ? registry.get(schema) : undefined;
  const { description = schema.description, title, examples, deprecated } = toJsonObject(registered);
  const members = { title, description, examples, deprecated };
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function readFormat({ format, pattern }: ZodDefinition): JsonObject {
  const known = typeof format === 'string' ? FORMATS[format] : undefined;
  if (known !== undefined) return { format: known };
  return pattern instanceof RegExp ? { pattern: pattern.source } : {};
}

/** Keywords of a check by its kind, with the member of its definition that has the value. */
const KEYWORDS: { readonly [check: string]: readonly (readonly [keyword: string, member: string])[] | undefined } = {
  min_length: [['minLength', 'minimum']],
  max_length: [['maxLength', 'maximum']],
  length_equals: [
    ['minLength', 'length'],
    ['maxLength', 'length'],
  ],
  multiple_of: [['multipleOf', 'value']],
};

function readChecks(def: ZodDefinition): JsonObject {
  const keywords: JsonObject = {};
  for (const check of toArray(def.checks)) {
    if (!isZodNode(check)) continue;
    const own = getDefinition(check);
    for (const [keyword, member] of KEYWORDS[String(own.check)] ?? [])
      keywords[def.type === 'array' ? keyword.replace('Length', 'Items') : keyword] = own[member];
    if (own.check === 'greater_than') keywords[own.inclusive ? 'minimum' : 'exclusiveMinimum'] = own.value;
    if (own.check === 'less_than') keywords[own.inclusive ? 'maximum' : 'exclusiveMaximum'] = own.value;
    if (own.check === 'number_format') keywords.format = own.format;
    if (own.check === 'string_format') Object.assign(keywords, readFormat(own));
  }
  return keywords;
}
