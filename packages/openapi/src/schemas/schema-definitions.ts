import { chooseName, isObject, keepTextsIn, setInteger, stringifyMember } from '@tenon/base';
import { BrokenReferenceError, type DocumentSet, type Located } from '../document/document-set.js';
import {
  findKeywordIssue,
  findMemberIssue,
  isSchemaKeyword,
  LISTS_OF_SCHEMAS,
  MAPS_OF_SCHEMAS,
  SCHEMAS,
} from './schema-keywords.js';

type Schema = Readonly<Record<string, unknown>>;

/** Thrown for a response whose schema is too large for the list of tools. */
export class LargeSchemaError extends Error {
  override readonly name = 'LargeSchemaError';
}

/**
 * Keywords that the schema of a response does not have, because APIs return new values of them before their documents name
 * them, or because a model gains nothing by them.
 */
const REQUEST_KEYWORDS: ReadonlySet<string> = new Set([
  ...['title', 'default', 'const', 'examples', 'enum', 'deprecated', 'format', 'pattern', 'not', 'if', 'then', 'else'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength', 'minItems'],
  ...['maxItems', 'minProperties', 'maxProperties', 'uniqueItems', 'contains', 'minContains', 'maxContains'],
  ...['propertyNames', 'patternProperties', 'dependentRequired', 'dependentSchemas', 'unevaluatedItems'],
  'unevaluatedProperties',
]);

/** Keywords whose schemas apply to the same value as the schema that has them. */
const IN_PLACE: ReadonlySet<string> = new Set('allOf anyOf oneOf not if then else dependentSchemas'.split(' '));

/** Returns a name for a new member. An assignment to `__proto__` would create none. */
export function choosePropertyName(wanted: string, members: Readonly<Record<string, unknown>>): string {
  const name = wanted === '__proto__' ? 'proto' : wanted;
  return chooseName(name, '_', used => Object.hasOwn(members, used));
}

/**
 * Converts schemas of OpenAPI 3.0 and 3.1 to JSON Schema 2020-12. Collects the schemas that other schemas refer to, under
 * names for `$defs`. Keywords that are no JSON Schema are dropped.
 */
export class SchemaDefinitions {
  readonly definitions: Record<string, unknown> = {};
  /** Repairs of schemas, for the report. */
  readonly changes = new Set<string>();
  readonly #documents: DocumentSet;
  readonly #side: 'request' | 'response';
  readonly #names = new Map<string, string>();
  readonly #maxParts: number;
  #count = 0;
  /** Definition in conversion, for the schemas that apply to the same value. */
  #current: string | undefined;
  /** Definitions that each definition applies to the same value. */
  readonly #inPlace = new Map<string, Set<string>>();

  /**
   * @param side Schemas of a response are shorter, and accept values that the document does not know yet.
   * @param maxParts Maximum number of schemas, including nested ones.
   */
  constructor(documents: DocumentSet, side: 'request' | 'response' = 'request', maxParts = Number.POSITIVE_INFINITY) {
    this.#documents = documents;
    this.#side = side;
    this.#maxParts = maxParts;
  }

  /** @throws MissingDocumentError, LargeSchemaError */
  convert(schema: Located): unknown {
    const { value, location } = schema;
    this.#count += 1;
    if (this.#count > this.#maxParts)
      throw new LargeSchemaError(`more than ${this.#maxParts} parts (\`maxOutputParts\`)`);
    if (typeof value === 'boolean') return value;
    if (!isObject(value)) return {};
    const { nullable, ...rest } = value;
    const converted = this.#convertKeywords(this.#normalize(rest), location);
    return nullable === true ? allowNull(converted) : converted;
  }

  #convertKeywords(schema: Schema, location: string): Record<string, unknown> {
    const entries = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
      const convert = (each: unknown) =>
        this.#convertAs(IN_PLACE.has(keyword) ? this.#current : undefined, { value: each, location });
      if (keyword === '$ref') return typeof value === 'string' ? this.#convertReference(value, location) : [];
      if (!isSchemaKeyword(keyword)) return [];
      if (this.#side === 'response' && (REQUEST_KEYWORDS.has(keyword) || value === false)) return [];
      const issue = findKeywordIssue(keyword, value);
      if (issue !== undefined) {
        this.changes.add(`\`${keyword}\` of a schema is left out: ${issue}`);
        return [];
      }
      if (MAPS_OF_SCHEMAS.has(keyword))
        return [[keyword, this.#convertMap(keyword, value as Schema, location, convert)]];
      if (LISTS_OF_SCHEMAS.has(keyword))
        return [
          [
            this.#side === 'response' && keyword === 'oneOf' ? 'anyOf' : keyword,
            (value as readonly unknown[]).map(convert),
          ],
        ];
      if (SCHEMAS.has(keyword)) return [[keyword, convert(value)]];
      return [[keyword, value]];
    });
    const { required, ...converted } = keepTextsIn(Object.fromEntries(entries), schema);
    if (!Array.isArray(required)) return converted;
    // A client cannot set properties that are read-only, so none of them is required.
    const hidden = this.#listHidden(schema.properties, location);
    const left = required.filter(name => !hidden.has(name));
    return left.length > 0 ? { ...converted, required: left } : converted;
  }

  /** Converts keywords of OpenAPI 3.0 and of earlier drafts of JSON Schema. */
  #normalize(schema: Schema): Schema {
    const { example, ...normalized }: Record<string, unknown> = { ...schema };
    if (example !== undefined && normalized.examples === undefined && normalized.$ref === undefined)
      normalized.examples = [example];
    if (normalized.type === 'file') normalized.type = 'string';
    if (Array.isArray(normalized.items)) {
      normalized.prefixItems = normalized.items;
      delete normalized.items;
    }
    for (const [keyword, limit] of [
      ['exclusiveMinimum', 'minimum'],
      ['exclusiveMaximum', 'maximum'],
    ] as const) {
      const isExclusive = normalized[keyword];
      if (typeof isExclusive !== 'boolean') continue;
      delete normalized[keyword];
      if (!isExclusive || normalized[limit] === undefined) continue;
      if (typeof normalized[limit] === 'number') setInteger(normalized, keyword, stringifyMember(normalized, limit));
      else normalized[keyword] = normalized[limit];
      delete normalized[limit];
    }
    // Earlier drafts have it at the property itself, where parameters have it too.
    if (typeof normalized.required === 'boolean') delete normalized.required;
    return normalized;
  }

  #convertMap(keyword: string, schemas: Schema, location: string, convert: (schema: unknown) => unknown): unknown {
    // The members are names, not keywords.
    const hidden = keyword === 'properties' ? this.#listHidden(schemas, location) : new Set();
    const usable = Object.entries(schemas).filter(([name, value]) => {
      const issue = hidden.has(name) ? undefined : findMemberIssue(keyword, name, value);
      if (issue !== undefined) this.changes.add(`\`${name}\` in \`${keyword}\` is left out: ${issue}`);
      return issue === undefined && !hidden.has(name);
    });
    return Object.fromEntries(usable.map(([name, value]) => [name, convert(value)]));
  }

  /** Lists the properties that the other side of the request has: read-only ones, or write-only ones for a response. */
  #listHidden(properties: unknown, location: string): ReadonlySet<unknown> {
    const entries = Object.entries(isObject(properties) ? properties : {});
    return new Set(entries.flatMap(([name, value]) => (this.#isHidden(value, location) ? [name] : [])));
  }

  #isHidden(value: unknown, location: string): boolean {
    const keyword = this.#side === 'request' ? 'readOnly' : 'writeOnly';
    if (!isObject(value)) return false;
    if (typeof value[keyword] === 'boolean') return value[keyword];
    if (typeof value.$ref !== 'string') return false;
    try {
      return this.#documents.follow({ value, location }).value[keyword] === true;
    } catch (error) {
      if (error instanceof BrokenReferenceError) return false;
      throw error;
    }
  }

  /** A reference that leads nowhere is dropped, so that any value is accepted. */
  #convertReference(reference: string, location: string): [string, unknown][] {
    try {
      return [['$ref', `#/$defs/${this.#addDefinition(reference, location)}`]];
    } catch (error) {
      if (!(error instanceof BrokenReferenceError)) throw error;
      this.changes.add(`any value is accepted in place of a schema: ${error.message}`);
      return [];
    }
  }

  #addDefinition(reference: string, location: string): string {
    const target = this.#documents.resolve(reference, location);
    const known = this.#names.get(target);
    if (known !== undefined) {
      this.#addInPlace(known, reference);
      return known;
    }
    const found = this.#documents.find(reference, location);
    const base = (reference.split(/[/#]/).at(-1) || 'schema')
      .replace(/\.(?:ya?ml|json)$/i, '')
      .replace(/[^\w.-]+/g, '_');
    const name = choosePropertyName(base, this.definitions);
    this.#names.set(target, name);
    this.#addInPlace(name, reference);
    // The name is taken before the schema is converted, because it may refer to itself.
    this.definitions[name] = {};
    this.definitions[name] = this.#convertAs(name, found);
    return name;
  }

  /** Converts a schema that applies to the same value as the definition `name`, or to another value without one. */
  #convertAs(name: string | undefined, schema: Located): unknown {
    const outer = this.#current;
    this.#current = name;
    try {
      return this.convert(schema);
    } finally {
      this.#current = outer;
    }
  }

  /**
   * Records that the definition in conversion applies another one to the same value.
   * @throws BrokenReferenceError if that one applies the first one again, because no value can be checked then.
   */
  #addInPlace(name: string, reference: string): void {
    const from = this.#current;
    if (from === undefined) return;
    if (this.#reaches(name, from)) throw new BrokenReferenceError(`$ref ${reference}: refers to itself`);
    this.#inPlace.set(from, (this.#inPlace.get(from) ?? new Set()).add(name));
  }

  #reaches(from: string, to: string, seen = new Set<string>()): boolean {
    if (from === to) return true;
    if (seen.has(from)) return false;
    seen.add(from);
    return [...(this.#inPlace.get(from) ?? [])].some(next => this.#reaches(next, to, seen));
  }
}

/** Adds `null` to the values of a schema, for `nullable: true` of OpenAPI 3.0. */
function allowNull(schema: Record<string, unknown>): unknown {
  const { type, enum: values } = schema;
  const types = [type].flat();
  if (type === undefined || schema.$ref !== undefined || schema.const !== undefined) {
    const isOpen = Object.keys(schema).every(keyword =>
      ['title', 'description', 'examples', 'default'].includes(keyword),
    );
    return isOpen ? schema : { anyOf: [schema, { type: 'null' }] };
  }
  return {
    ...schema,
    type: types.includes('null') ? type : [...types, 'null'],
    ...(Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {}),
  };
}
