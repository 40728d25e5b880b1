import { isObject } from '@tenon/base';
import type { JsonObject } from 'tenon';
import type { DocumentSet, Located } from '../document/document-set.js';
import type { SchemaDefinitions } from '../schemas/schema-definitions.js';
import type { OperationBody, OperationField } from './operation.js';
import { readStyle } from './read-parameters.js';

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
  const content = isObject(body.content) ? body.content : {};
  const types = Object.keys(content);
  const type =
    types.find(each => /[/+]json\b/i.test(each)) ??
    types.find(each => /^application\/x-www-form-urlencoded\b/i.test(each)) ??
    types.find(each => /^multipart\//i.test(each)) ??
    types.find(isTextType) ??
    types[0];
  if (type === undefined) return undefined;
  const media = documents.follow({ value: content[type], location });
  const schema: Located = { value: media.value.schema ?? {}, location: media.location };
  const isRequired = body.required === true;
  if (/[/+]json\b/i.test(type)) return { property: add('body', definitions.convert(schema), isRequired), type };
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

export const isTextType = (type: string): boolean => /^text\/|[/+](?:xml|yaml)\b/i.test(type);

function readFields(
  schema: Located,
  media: Located<JsonObject>,
  documents: DocumentSet,
  definitions: SchemaDefinitions,
  isMultipart: boolean,
): { readonly schema: unknown; readonly fields: Record<string, OperationField> } {
  const { value, location } = documents.follow(schema);
  const encoding = isObject(media.value.encoding) ? media.value.encoding : {};
  const fields: Record<string, OperationField> = {};
  const properties = Object.entries(isObject(value.properties) ? value.properties : {});
  const replaced = properties.map(([name, property]) => {
    const own = documents.follow({ value: encoding[name], location: media.location }).value;
    const found = isMultipart ? toFile({ value: property, location }, documents, 0) : undefined;
    const field: OperationField = {
      ...(found === undefined ? {} : { file: true }),
      ...(isMultipart && typeof own.contentType === 'string'
        ? { type: own.contentType.split(',')[0]?.trim() ?? '' }
        : {}),
      ...readStyle(own, 'form'),
    };
    if (Object.keys(field).length > 0) fields[name] = field;
    return [name, found ?? property];
  });
  if (properties.length === 0) return { schema: definitions.convert(schema), fields };
  const withFiles = { ...value, properties: Object.fromEntries(replaced) };
  return { schema: definitions.convert({ value: withFiles, location }), fields };
}

/** Returns the schema of a file, or of a list of files. `undefined` for any other property. */
function toFile(property: Located, documents: DocumentSet, depth: number): JsonObject | undefined {
  const { value, location } = documents.follow(property);
  if (value.type === 'array' && depth === 0) {
    const items = toFile({ value: value.items, location }, documents, depth + 1);
    return items && { ...value, items };
  }
  const isBytes =
    value.format === 'binary' || (typeof value.contentMediaType === 'string' && value.contentEncoding === undefined);
  const isText = typeof value.type !== 'string' || value.type === 'string' || value.type === 'file';
  if (!isText || !(isBytes || value.type === 'file')) return undefined;
  return typeof value.description === 'string' ? { ...FILE, description: value.description } : FILE;
}
