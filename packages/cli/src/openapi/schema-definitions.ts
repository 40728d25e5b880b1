import type { JsonObject } from 'tenon';
import { isJsonObject } from '../json-object.js';
import { decodePointer } from '../tools/decode-pointer.js';
import { createUsageError } from '../usage-error.js';

/** Maximum number of references to references. */
const MAX_HOPS = 20;
/** Keywords of OpenAPI that are no JSON Schema. */
const FOREIGN_KEYWORDS = new Set(['xml', 'externalDocs', 'discriminator', 'example', 'nullable']);

/** Returns an object of a document, after following its `$ref`. */
export function followReference(value: unknown, document: JsonObject): JsonObject {
  let found = value;
  for (let hops = 0; isJsonObject(found) && typeof found.$ref === 'string'; hops++) {
    const { $ref } = found;
    if (hops > MAX_HOPS) throw createUsageError(`$ref ${$ref}: refers to itself`, 'correct the document');
    found = findByPointer($ref, document);
  }
  return isJsonObject(found) ? found : {};
}

function findByPointer(reference: string, document: JsonObject): unknown {
  if (!reference.startsWith('#/')) {
    throw createUsageError(
      `$ref ${reference}: refers to another document`,
      'join the documents first, for example with `npx @redocly/cli bundle`',
    );
  }
  let value: unknown = document;
  for (const part of reference.slice(2).split('/')) {
    const key = decodePointer(part);
    value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  if (value === undefined) throw createUsageError(`$ref ${reference}: not found`, 'correct the document');
  return value;
}

/** Collects the schemas that other schemas refer to, under names for `$defs`. */
export class SchemaDefinitions {
  readonly definitions: Record<string, unknown> = {};
  readonly #document: JsonObject;
  readonly #names = new Map<string, string>();

  constructor(document: JsonObject) {
    this.#document = document;
  }

  /** Returns a schema as JSON Schema 2020-12. Its references point to `$defs`. */
  convert(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map(each => this.convert(each));
    if (!isJsonObject(schema)) return schema;
    const entries = Object.entries(schema).filter(([key]) => !FOREIGN_KEYWORDS.has(key) && !key.startsWith('x-'));
    return Object.fromEntries(
      entries.map(([key, value]) => {
        if (key === '$ref' && typeof value === 'string') return [key, `#/$defs/${this.#addDefinition(value)}`];
        // The members of `properties` are names, not keywords.
        if (key === 'properties' && isJsonObject(value)) return [key, this.#convertProperties(value)];
        if (key === 'enum' || key === 'const' || key === 'default' || key === 'examples') return [key, value];
        return [key, this.convert(value)];
      }),
    );
  }

  #convertProperties(properties: JsonObject): unknown {
    // A client cannot set properties that are read-only.
    const writable = Object.entries(properties).filter(([, each]) => !(isJsonObject(each) && each.readOnly === true));
    return Object.fromEntries(writable.map(([name, each]) => [name, this.convert(each)]));
  }

  #addDefinition(reference: string): string {
    const known = this.#names.get(reference);
    if (known !== undefined) return known;
    const base = (reference.split('/').at(-1) ?? 'schema').replace(/[^\w.-]+/g, '_');
    let name = base;
    for (let n = 2; Object.hasOwn(this.definitions, name); n++) name = `${base}_${n}`;
    this.#names.set(reference, name);
    // The name is taken before the schema is converted, because it may refer to itself.
    this.definitions[name] = {};
    this.definitions[name] = this.convert(findByPointer(reference, this.#document));
    return name;
  }
}
