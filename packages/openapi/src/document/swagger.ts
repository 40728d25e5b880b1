import { isLoopbackDomain, keepTextsIn, toJsonObject } from '@tenon/base';
import type { JsonObject } from 'tenon';
import type { Located } from './document-set.js';

/** Parameters and body of an operation of Swagger 2.0, as those of OpenAPI 3.0. */
export interface ConvertedInputs {
  readonly parameters: readonly Located<JsonObject>[];
  readonly body: Located<JsonObject>;
}

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const MULTIPART_TYPE = 'multipart/form-data';

/** Members of a parameter that are no part of its schema. */
const PARAMETER_MEMBERS: ReadonlySet<string> = new Set(
  'name in required description collectionFormat allowEmptyValue schema $ref'.split(' '),
);

/** Styles of lists. Tabs have no style in OpenAPI 3.0. */
const STYLES: Readonly<Record<string, JsonObject>> = {
  csv: { explode: false },
  ssv: { style: 'spaceDelimited', explode: false },
  tsv: { style: 'tabDelimited', explode: false },
  pipes: { style: 'pipeDelimited', explode: false },
  multi: { explode: true },
};

/** Tells if a document is one of Swagger 2.0. */
export const isSwagger = ({ swagger }: JsonObject): boolean => swagger !== undefined && swagger !== null;

/**
 * Adds what OpenAPI 3.0 has at the top of a document of Swagger 2.0: servers and security schemes. The rest stays, because
 * references lead to it.
 */
export function convertSwagger(document: JsonObject, location: string): JsonObject {
  const { securityDefinitions } = document;
  return {
    ...document,
    servers: [{ url: getServerUrl(document, location) }],
    components: { securitySchemes: toJsonObject(securityDefinitions) },
  };
}

/** Returns the URL of the API. It is encrypted if the document does not say otherwise, because credentials go to it. */
function getServerUrl({ host, basePath = '', schemes }: JsonObject, location: string): string {
  const path = String(basePath).replace(/^(?=[^/])/, '/');
  if (typeof host !== 'string' || host === '') return path === '' ? '/' : path;
  const named = Array.isArray(schemes) ? schemes.map(String).filter(each => /^https?$/.test(each)) : [];
  const [, own] = /^(https?):/i.exec(location) ?? [];
  const isLocal = isLoopbackDomain(host.replace(/:\d+$/, '').toLowerCase());
  const scheme = named.includes('https') ? 'https' : (named[0] ?? own ?? (isLocal ? 'http' : 'https'));
  return `${scheme}://${host}${path}`;
}

/**
 * Converts the parameters of an operation, after their references were followed.
 * @param consumes Media types of the bodies that the operation takes.
 */
export function convertInputs(
  parameters: readonly Located<JsonObject>[],
  consumes: unknown,
  location: string,
): ConvertedInputs {
  const types = Array.isArray(consumes) ? consumes.map(String) : [];
  const fields = parameters.filter(each => each.value.in === 'formData').map(({ value }) => value);
  const body = parameters.find(each => each.value.in === 'body');
  return {
    parameters: parameters
      .filter(({ value: { in: place } }) => place !== 'formData' && place !== 'body')
      .map(({ value, ...rest }) => ({ value: convertParameter(value), ...rest })),
    body:
      body === undefined
        ? { value: fields.length === 0 ? {} : convertForm(fields, types), location }
        : { value: convertBody(body.value, types), location: body.location },
  };
}

function convertParameter(parameter: JsonObject): JsonObject {
  const { name, in: place, required, description } = parameter;
  return { name, in: place, required, description, schema: getSchema(parameter), ...getStyle(parameter) };
}

/** Returns the members of a parameter that describe its values. */
const getSchema = (parameter: JsonObject): JsonObject =>
  keepTextsIn(
    Object.fromEntries(Object.entries(parameter).filter(([name]) => !PARAMETER_MEMBERS.has(name))),
    parameter,
  );

const getStyle = ({ type, collectionFormat = 'csv' }: JsonObject): JsonObject =>
  type === 'array' ? (STYLES[String(collectionFormat)] ?? {}) : {};

const convertBody = ({ description, required, schema = {} }: JsonObject, types: readonly string[]): JsonObject => ({
  description,
  required,
  content: createContent(schema, types),
});

/** Returns the content of a body or a response with one schema for all of its media types. */
export function createContent(schema: unknown, types: unknown): JsonObject {
  const named = Array.isArray(types) && types.length > 0 ? types.map(String) : [JSON_TYPE];
  return Object.fromEntries(named.map(type => [type, { schema }]));
}

function convertForm(fields: readonly JsonObject[], types: readonly string[]): JsonObject {
  const hasFile = fields.some(({ type }) => type === 'file');
  const isMultipart = hasFile || (types.includes(MULTIPART_TYPE) && !types.includes(FORM_TYPE));
  const type = isMultipart ? MULTIPART_TYPE : FORM_TYPE;
  const required = fields.filter(field => field.required === true).map(({ name }) => String(name));
  const properties = fields.map(field => {
    const { name, description } = field;
    return [String(name), { ...getSchema(field), ...(typeof description === 'string' ? { description } : {}) }];
  });
  return {
    required: required.length > 0,
    content: {
      [type]: {
        schema: {
          type: 'object',
          properties: Object.fromEntries(properties),
          ...(required.length > 0 ? { required } : {}),
        },
        encoding: Object.fromEntries(fields.map(field => [String(field.name), getStyle(field)])),
      },
    },
  };
}
