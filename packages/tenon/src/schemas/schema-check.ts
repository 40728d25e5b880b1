import { isObject, shorten, TenonError, toJsonPointer } from '@tenon/base';
import { compileSchema, type Validator } from './compile-schema.js';
import { detectDraft } from './draft.js';
import { getKeywordShape } from './json-schema/keyword-shapes.js';
import { SchemaDocument, type SchemaResource } from './json-schema/schema-document.js';
import type { SchemaSide } from './json-schema.js';
import { toUnicodePattern } from './patterns/unicode-pattern.js';
import { isStandardSchema, type Schema } from './standard.js';

/**
 * Compiles a schema of a definition into a validator.
 * @param subject Names the schema in errors: `the input of tool "add"`.
 * @throws TenonError `schema/broken` with the location of the first fault of a JSON Schema, or an error of
 * `compileSchema`. The error names the subject.
 */
export function compileDefinition(subject: string, schema: Schema, side: SchemaSide): Validator {
  try {
    const validator = compileSchema(schema, side);
    if (!isStandardSchema(schema)) {
      const { json } = validator;
      const document = new SchemaDocument(json, detectDraft(json));
      checkSchema(json, [], document, document.root);
    }
    return validator;
  } catch (error) {
    if (!TenonError.is(error)) throw error;
    const { expected, received, hint, cause } = error;
    throw new TenonError(error.code, `${subject}: ${error.summary}`, {
      expected,
      received,
      hint,
      ...(cause === undefined ? {} : { cause }),
    });
  }
}

type SchemaPath = readonly string[];

const REFERENCES: ReadonlySet<string> = new Set(['$ref', '$dynamicRef', '$recursiveRef']);

/** Throws `schema/broken` with the place of the first fault: what would make every check of a value fail. */
function checkSchema(node: unknown, path: SchemaPath, document: SchemaDocument, outer: SchemaResource): void {
  if (typeof node === 'boolean') return;
  if (!isObject(node)) throw createBrokenError(path, 'a schema: an object, true or false', node);
  const resource = document.getResource(node, outer);
  for (const [keyword, value] of Object.entries(node)) {
    const shape = getKeywordShape(keyword);
    if (shape === undefined) continue;
    const place = [...path, keyword];
    if (!shape.isValid(value)) throw createBrokenError(place, shape.expected, value);
    for (const [keys, each] of shape.listSubschemas(value)) checkSchema(each, [...place, ...keys], document, resource);
    if (keyword === 'pattern') checkPatterns([String(value)], place);
    if (keyword === 'patternProperties') checkPatterns(Object.keys(value as object), place);
    if (REFERENCES.has(keyword)) checkReference(String(value), place, document, resource);
  }
}

function checkPatterns(sources: readonly string[], path: SchemaPath): void {
  const invalid = sources.find(source => toUnicodePattern(source) === undefined);
  if (invalid !== undefined) throw createBrokenError(path, 'a regular expression', invalid);
}

/** Throws when a reference does not resolve inside the document. Other documents are never fetched. */
function checkReference(reference: string, path: SchemaPath, document: SchemaDocument, from: SchemaResource): void {
  if (document.resolve(reference, from) !== undefined) return;
  const [address = ''] = reference.split('#', 1);
  if (document.resolve(address, from) !== undefined)
    throw createBrokenError(path, 'a reference to an existing part of this schema', reference);
  const next = 'copy the other document into "$defs" and refer to it there, because other documents are never fetched';
  throw createBrokenError(path, 'a reference to a place in this schema', reference, next);
}

function createBrokenError(path: SchemaPath, expected: string, value: unknown, next?: string): TenonError {
  return new TenonError('schema/broken', `invalid JSON Schema at ${toJsonPointer(path) || 'the root'}`, {
    expected,
    received: describe(value),
    hint: next ?? 'correct the schema, which is read as JSON Schema 2020-12 unless "$schema" names another dialect',
  });
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (isObject(value)) return 'an object';
  return shorten(JSON.stringify(value) ?? typeof value);
}
