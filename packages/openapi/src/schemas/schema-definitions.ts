import { chooseName, isObject, keepTextsIn, setInteger, stringifyMember, toJsonObject } from '@tenon/base';
import { BrokenReferenceError, type DocumentSet, type Located } from '../document/document-set.js';
import { type Discriminator, readDiscriminator, selectByValue } from './discriminator.js';
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

/** Place of the schema in conversion. */
interface Place {
  /** Definition that applies the schema to the same value. */
  readonly definition: string | undefined;
  /** Properties of the same value that the other side of the request has. */
  readonly hidden: ReadonlySet<unknown>;
  /** The schema is a part of one that names the forms of its values itself. */
  readonly isPart: boolean;
}

/** Place of a schema of another value. */
const OTHER_VALUE: Place = { definition: undefined, hidden: new Set(), isPart: false };

/** Maximum depth of `allOf` in which properties are looked for. */
const MAX_DEPTH = 8;
/** Maximum number of schemas that inherit from one and are offered in its place. */
const MAX_FORMS = 16;

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
  #place: Place = OTHER_VALUE;
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
    // Documents of Swagger 2.0 have `x-nullable`.
    const { nullable = value['x-nullable'], ...rest } = value;
    const converted = this.#convertKeywords(this.#normalize(rest), location);
    return nullable === true ? allowNull(converted) : converted;
  }

  #convertKeywords(schema: Schema, location: string): Record<string, unknown> {
    const { definition } = this.#place;
    // A client cannot set properties that are read-only, so none of them is required.
    const hidden = new Set([...this.#place.hidden, ...this.#listHiddenTogether({ value: schema, location }, 0)]);
    const discriminator = this.#side === 'request' ? readDiscriminator(schema, location, this.#documents) : undefined;
    const entries = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
      const place = IN_PLACE.has(keyword) ? { definition, hidden, isPart: keyword === 'allOf' } : OTHER_VALUE;
      const convert = (each: unknown) => this.#convertAt(place, { value: each, location });
      if (keyword === '$ref')
        return typeof value === 'string' ? this.#convertReference(value, location, hasChoice(schema)) : [];
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
        return [this.#convertList(keyword, value as readonly unknown[], location, discriminator, place)];
      if (SCHEMAS.has(keyword)) return [[keyword, convert(value)]];
      return [[keyword, value]];
    });
    const { required, ...converted } = keepTextsIn(Object.fromEntries(entries), schema);
    if (!Array.isArray(required)) return converted;
    const left = required.filter(name => !hidden.has(name));
    return left.length > 0 ? { ...converted, required: left } : converted;
  }

  /**
   * Converts a list of schemas. Documents have `oneOf` for forms that do not exclude each other, so that a value of two
   * forms would be refused.
   */
  #convertList(
    keyword: string,
    schemas: readonly unknown[],
    location: string,
    discriminator: Discriminator | undefined,
    place: Place,
  ): [string, unknown] {
    const isChoice = keyword === 'oneOf' || keyword === 'anyOf';
    const converted = schemas.map(value =>
      isChoice && discriminator
        ? this.#convertAt(
            { ...place, isPart: true },
            { value: selectByValue(value, location, this.#documents, discriminator), location },
          )
        : this.#convertAt(place, { value, location }),
    );
    return [keyword === 'oneOf' ? 'anyOf' : keyword, converted];
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
    const entries = Object.entries(toJsonObject(properties));
    return new Set(entries.flatMap(([name, value]) => (this.#isHidden(value, location) ? [name] : [])));
  }

  /** Lists the hidden properties of a schema and of all of its `allOf`. */
  #listHiddenTogether({ value, location }: Located, depth: number): readonly unknown[] {
    if (!isObject(value) || depth > MAX_DEPTH) return [];
    const { allOf, properties } = value;
    const parts: readonly unknown[] = Array.isArray(allOf) ? allOf : [];
    return [
      ...this.#listHidden(properties, location),
      ...parts.flatMap(part => this.#listHiddenTogether(this.#tryFollow({ value: part, location }), depth + 1)),
    ];
  }

  #tryFollow(schema: Located): Located {
    try {
      return this.#documents.follow(schema);
    } catch (error) {
      if (error instanceof BrokenReferenceError) return { ...schema, value: undefined };
      throw error;
    }
  }

  #isHidden(value: unknown, location: string): boolean {
    const keyword = this.#side === 'request' ? 'readOnly' : 'writeOnly';
    if (!isObject(value)) return false;
    if (typeof value[keyword] === 'boolean') return value[keyword];
    if (typeof value.$ref !== 'string') return false;
    const { value: followed } = this.#tryFollow({ value, location });
    return isObject(followed) && followed[keyword] === true;
  }

  /** A reference that leads nowhere is dropped, so that any value is accepted. */
  #convertReference(reference: string, location: string, isChoice: boolean): [string, unknown][] {
    try {
      const forms =
        this.#side === 'request' && !this.#place.isPart && !isChoice ? this.#listForms(reference, location) : [];
      if (forms.length > 0) {
        const place = { ...this.#place, isPart: true };
        return [
          ['anyOf', [...forms, { value: { $ref: reference }, location }].map(each => this.#convertAt(place, each))],
        ];
      }
      return [['$ref', `#/$defs/${this.#addDefinition(reference, location)}`]];
    } catch (error) {
      if (!(error instanceof BrokenReferenceError)) throw error;
      this.changes.add(`any value is accepted in place of a schema: ${error.message}`);
      return [];
    }
  }

  /** Lists the schemas that inherit from one, by the mapping of its discriminator. */
  #listForms(reference: string, location: string): readonly Located[] {
    const base = this.#documents.follow({ value: { $ref: reference }, location });
    const found = readDiscriminator(base.value, base.location, this.#documents);
    if (found === undefined || hasChoice(base.value)) return [];
    const self = this.#documents.resolve(reference, location);
    const forms = [...found.selected].filter(([target]) => target !== self);
    if (forms.length > MAX_FORMS) {
      this.changes.add(`the ${forms.length} schemas that inherit from ${reference} are not offered`);
      return [];
    }
    return forms.map(([, { reference: $ref }]) => ({
      value: selectByValue({ $ref }, base.location, this.#documents, found),
      location: base.location,
    }));
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
    this.definitions[name] = this.#convertAt({ ...OTHER_VALUE, definition: name }, found);
    return name;
  }

  #convertAt(place: Place, schema: Located): unknown {
    const outer = this.#place;
    this.#place = place;
    try {
      return this.convert(schema);
    } finally {
      this.#place = outer;
    }
  }

  /**
   * Records that the definition in conversion applies another one to the same value.
   * @throws BrokenReferenceError if that one applies the first one again, because no value can be checked then.
   */
  #addInPlace(name: string, reference: string): void {
    const from = this.#place.definition;
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

/** Tells if a schema names the forms of its values. */
const hasChoice = ({ oneOf, anyOf }: Schema): boolean => oneOf !== undefined || anyOf !== undefined;

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
