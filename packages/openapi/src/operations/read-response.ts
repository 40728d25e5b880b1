import { isObject, toJsonObject } from '@tenon/base';
import type { JsonObject } from 'tenon';
import { BrokenReferenceError, type DocumentSet, type Located } from '../document/document-set.js';
import { createContent } from '../document/swagger.js';
import { LargeSchemaError, SchemaDefinitions } from '../schemas/schema-definitions.js';
import { findJson } from './media-types.js';

/** Limits of the schema of a response. */
export interface OutputLimits {
  /** Number of nested schemas. */
  readonly maxOutputParts: number;
  /** Length in characters of JSON. */
  readonly maxOutputSize: number;
}

/** Schema of the JSON of successful responses, or the reason that a tool has none. */
export interface ResponseSchema {
  readonly output?: JsonObject;
  readonly change?: string;
}

/**
 * Reads the schema of the successful responses of an operation. There is none if one of them has no JSON.
 * @throws MissingDocumentError
 */
export function readResponse(
  { value: operation, location: written }: Located<JsonObject>,
  documents: DocumentSet,
  { maxOutputParts, maxOutputSize }: OutputLimits,
): ResponseSchema {
  const definitions = new SchemaDefinitions(documents, 'response', maxOutputParts);
  try {
    const successes = Object.entries(toJsonObject(operation.responses)).filter(([status]) =>
      /^2(?:\d\d|xx)$/i.test(status),
    );
    const schemas = successes.map(([, value]) => {
      const found = documents.follow({ value, location: written });
      const content = documents.isSwagger
        ? createContent(found.value.schema, operation.produces ?? documents.root.value.produces)
        : found.value.content;
      const json = findJson(toJsonObject(content), found.location, documents);
      if (json === undefined) return undefined;
      const { value: followed, location } = documents.follow(json.media);
      return followed.schema === undefined ? undefined : definitions.convert({ value: followed.schema, location });
    });
    const [first] = schemas;
    if (!isObject(first) || schemas.some(each => !isObject(each) || Object.keys(each).length === 0)) return {};
    const distinct = [...new Map(schemas.map(each => [JSON.stringify(each), each])).values()];
    const schema = distinct.length === 1 ? first : { anyOf: distinct };
    const { definitions: $defs } = definitions;
    const output = { ...schema, ...(Object.keys($defs).length > 0 ? { $defs } : {}) };
    const { length } = JSON.stringify(output);
    if (length <= maxOutputSize) return { output };
    return {
      change: `the schema of the response is left out: ${length} characters, more than ${maxOutputSize} (\`maxOutputSize\`)`,
    };
  } catch (error) {
    if (!(error instanceof BrokenReferenceError) && !(error instanceof LargeSchemaError)) throw error;
    return { change: `the schema of the response is left out: ${error.message}` };
  }
}
