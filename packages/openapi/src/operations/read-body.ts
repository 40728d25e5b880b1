import { isObject, toJsonObject } from '@tenon/base';
import type { JsonObject } from 'tenon';
import type { DocumentSet, Located } from '../document/document-set.js';
import type { SchemaDefinitions } from '../schemas/schema-definitions.js';
import { findJson, isTextType } from './media-types.js';
import type { OperationBody, OperationField } from './operation.js';
import { readStyle } from './read-parameters.js';

/** Maximum depth of schemas within `allOf` whose fields are read. */
const MAX_PARTS = 8;

/** Input of a file in a multipart body. */
const FILE = {
  type: 'object',
  description: 'A file.',
  properties: {
    data: { type: 'string', contentEncoding: 'base64', description: 'Bytes of the file, in base64.' },
    name: { type: 'string', description: 'Name of the file.' },
    type: { type: 'string', description: 'Media type of the file.' },
  },
  required: ['data'],
};

/** Returns the body of an operation and its schema. Of several media types, that which a model writes best. */
export function readBody(
  { value: body, location }: Located<JsonObject>,
  documents: DocumentSet,
  definitions: SchemaDefinitions,
  add: (wanted: string, schema: unknown, isRequired: boolean) => string,
): OperationBody | undefined {
  const content = toJsonObject(body.content);
  const isRequired = body.required === true;
  const json = findJson(content, location, documents);
  if (json !== undefined) {
    const { value, ...found } = documents.follow(json.media);
    const converted = definitions.convert({ value: value.schema ?? {}, ...found });
    return { property: add('body', converted, isRequired), type: json.type };
  }
  const types = Object.keys(content);
  const type =
    types.find(each => /^application\/x-www-form-urlencoded\b/i.test(each)) ??
    types.find(each => /^multipart\//i.test(each)) ??
    types.find(isTextType) ??
    types[0];
  if (type === undefined) return undefined;
  const media = documents.follow({ value: content[type], location });
  const schema: Located = { value: media.value.schema ?? {}, location: media.location };
  if (/x-www-form-urlencoded|^multipart\//i.test(type)) {
    const { schema: converted, fields } = readFields(schema, media, documents, definitions, /^multipart\//i.test(type));
    const property = add('body', converted, isRequired);
    return { property, type, ...(Object.keys(fields).length > 0 ? { fields } : {}) };
  }
  const text = isTextType(type)
    ? { type: 'string' }
    : { type: 'string', contentEncoding: 'base64', description: 'Bytes of the body, in base64.' };
  return { property: add('body', text, isRequired), type };
}

/** Converts the schema of a body with fields. A file is an object with its bytes, also within `allOf`. */
function readFields(
  schema: Located,
  media: Located<JsonObject>,
  documents: DocumentSet,
  definitions: SchemaDefinitions,
  isMultipart: boolean,
): { readonly schema: unknown; readonly fields: Record<string, OperationField> } {
  const encoding = toJsonObject(media.value.encoding);
  const fields: Record<string, OperationField> = {};
  const convert = (part: Located, depth: number): unknown => {
    const { value, location } = documents.follow(part);
    const { allOf, ...own } = value;
    const parts = Array.isArray(allOf) && depth < MAX_PARTS ? allOf : [];
    const properties = Object.entries(toJsonObject(value.properties));
    if (properties.length === 0 && parts.length === 0) return definitions.convert(part);
    const replaced = properties.map(([name, property]) => {
      const { value: written } = documents.follow({ value: encoding[name], location: media.location });
      const found = isMultipart ? toFile({ value: property, location }, documents, 0) : undefined;
      const field: OperationField = {
        ...(found === undefined ? {} : { file: true }),
        ...(isMultipart && typeof written.contentType === 'string'
          ? { type: written.contentType.split(',')[0]?.trim() ?? '' }
          : {}),
        ...readStyle(written, 'form'),
      };
      if (Object.keys(field).length > 0) fields[name] = field;
      return [name, found ?? property];
    });
    const withFiles = properties.length === 0 ? own : { ...own, properties: Object.fromEntries(replaced) };
    const converted = definitions.convert({ value: withFiles, location });
    if (parts.length === 0 || !isObject(converted)) return converted;
    return { ...converted, allOf: parts.map(each => convert({ value: each, location }, depth + 1)) };
  };
  return { schema: convert(schema, 0), fields };
}

/** Returns the schema of a file, of a list of files, or of a choice that has one. `undefined` for any other property. */
function toFile(property: Located, documents: DocumentSet, depth: number): JsonObject | undefined {
  const { value, location } = documents.follow(property);
  const description = typeof value.description === 'string' ? { description: value.description } : {};
  const choice = [value.anyOf, value.oneOf].find(Array.isArray);
  if (choice !== undefined && depth === 0) {
    const files = choice.map((each: unknown) => toFile({ value: each, location }, documents, depth));
    if (files.every(each => each === undefined)) return undefined;
    return { ...description, anyOf: choice.map((each: unknown, index) => files[index] ?? each) };
  }
  if (value.type === 'array' && depth === 0) {
    const items = toFile({ value: value.items, location }, documents, depth + 1);
    return items && { ...value, items };
  }
  const isBytes =
    value.format === 'binary' || (typeof value.contentMediaType === 'string' && value.contentEncoding === undefined);
  const isText = typeof value.type !== 'string' || value.type === 'string' || value.type === 'file';
  if (!isText || !(isBytes || value.type === 'file')) return undefined;
  return { ...FILE, ...description };
}
