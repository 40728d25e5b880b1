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

/** Maximum number of schemas of a response, including nested ones. */
const MAX_RESPONSE_SCHEMAS = 400;

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
  #count = 0;

  /** @param side Schemas of a response are shorter, and accept values that the document does not know yet. */
  constructor(documents: DocumentSet, side: 'request' | 'response' = 'request') {
    this.#documents = documents;
    this.#side = side;
  }

  /** @throws MissingDocumentError, LargeSchemaError */
  convert(schema: Located): unknown {
    const { value, location } = schema;
    this.#count += 1;
    if (this.#side === 'response' && this.#count > MAX_RESPONSE_SCHEMAS)
      throw new LargeSchemaError(`the schema of the response has more than ${MAX_RESPONSE_SCHEMAS} parts`);
    if (typeof value === 'boolean') return value;
    if (!isObject(value)) return {};
    const { nullable, ...rest } = value;
    const converted = this.#convertKeywords(this.#normalize(rest), location);
    return nullable === true ? allowNull(converted) : converted;
  }

  #convertKeywords(schema: Schema, location: string): Record<string, unknown> {
    const entries = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
      if (keyword === '$ref') return typeof value === 'string' ? this.#convertReference(value, location) : [];
      if (!isSchemaKeyword(keyword)) return [];
      if (this.#side === 'response' && (REQUEST_KEYWORDS.has(keyword) || value === false)) return [];
      const issue = findKeywordIssue(keyword, value);
      if (issue !== undefined) {
        this.changes.add(`\`${keyword}\` of a schema is left out: ${issue}`);
        return [];
      }
      if (MAPS_OF_SCHEMAS.has(keyword)) return [[keyword, this.#convertMap(keyword, value as Schema, location)]];
      if (LISTS_OF_SCHEMAS.has(keyword))
        return [
          [
            this.#side === 'response' && keyword === 'oneOf' ? 'anyOf' : keyword,
            (value as readonly unknown[]).map(each => this.convert({ value: each, location })),
          ],
        ];
      if (SCHEMAS.has(keyword)) return [[keyword, this.convert({ value, location })]];
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

  #convertMap(keyword: string, schemas: Schema, location: string): unknown {
    // The members are names, not keywords.
    const hidden = keyword === 'properties' ? this.#listHidden(schemas, location) : new Set();
    const usable = Object.entries(schemas).filter(([name, value]) => {
      const issue = hidden.has(name) ? undefined : findMemberIssue(keyword, name, value);
      if (issue !== undefined) this.changes.add(`\`${name}\` in \`${keyword}\` is left out: ${issue}`);
      return issue === undefined && !hidden.has(name);
    });
    return Object.fromEntries(usable.map(([name, value]) => [name, this.convert({ value, location })]));
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
    if (known !== undefined) return known;
    const found = this.#documents.find(reference, location);
    const base = (reference.split(/[/#]/).at(-1) || 'schema')
      .replace(/\.(?:ya?ml|json)$/i, '')
      .replace(/[^\w.-]+/g, '_');
    const name = chooseName(base, '_', used => Object.hasOwn(this.definitions, used));
    this.#names.set(target, name);
    // The name is taken before the schema is converted, because it may refer to itself.
    this.definitions[name] = {};
    this.definitions[name] = this.convert(found);
    return name;
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
