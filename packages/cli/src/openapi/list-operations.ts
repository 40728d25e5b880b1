import type { JsonObject } from 'tenon';
import { isJsonObject } from '../json-object.js';
import { followReference, SchemaDefinitions } from './schema-definitions.js';

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'] as const;
/** Maximum length of a name that all hosts accept. */
const MAX_NAME = 64;
/** Maximum length of a description, in characters. */
const MAX_DESCRIPTION = 1024;

/** Parameter of an operation, as the generated server sends it. */
export interface OperationParameter {
  /** Name of the property of the input. */
  readonly property: string;
  /** Name in the request. */
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  /** Lists are sent as one value, separated by commas, instead of one value for each element. */
  readonly joined?: true;
}

/** Operation of an API, as a tool. */
export interface Operation {
  /** Name of the tool. */
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly method: string;
  readonly path: string;
  readonly tags: readonly string[];
  readonly parameters: readonly OperationParameter[];
  /** Media type of the body, and the property of the input that has it. */
  readonly body?: { readonly property: string; readonly type: string };
  readonly input: JsonObject;
}

/** Filter for operations. */
export interface OperationFilter {
  /** Patterns such as `GET /pets*`, `/pets/**` or the name of an operation. `*` stands for any text. */
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Lists operations that only read: GET and HEAD. */
  readonly isReadOnly?: boolean | undefined;
}

/** Lists the operations of a document of OpenAPI 3.1. */
export function listOperations(document: JsonObject, filter: OperationFilter = {}): readonly Operation[] {
  const names = new Set<string>();
  const operations: Operation[] = [];
  for (const [path, item] of Object.entries(isJsonObject(document.paths) ? document.paths : {})) {
    const entry = followReference(item, document);
    for (const method of METHODS) {
      if (!isJsonObject(entry[method])) continue;
      const found = entry[method];
      if (!isWanted(found, method, path, filter)) continue;
      operations.push(createOperation({ document, path, method, shared: entry.parameters, found }, names));
    }
  }
  return operations;
}

function isWanted(
  { operationId, tags }: JsonObject,
  method: string,
  path: string,
  { include, exclude = [], tags: wantedTags, isReadOnly = false }: OperationFilter,
): boolean {
  if (isReadOnly && method !== 'get' && method !== 'head') return false;
  if (wantedTags && !(Array.isArray(tags) && tags.some(tag => wantedTags.includes(String(tag))))) return false;
  const matches = (pattern: string) =>
    [`${method} ${path}`, path, ...(typeof operationId === 'string' ? [operationId] : [])].some(text =>
      toPattern(pattern).test(text),
    );
  return (include?.some(matches) ?? true) && !exclude.some(matches);
}

const toPattern = (pattern: string): RegExp =>
  new RegExp(`^${pattern.replace(/[\\^$.|?+()[\]{}]/g, '\\$&').replace(/\*+/g, '.*')}$`, 'i');

interface FoundOperation {
  readonly document: JsonObject;
  readonly path: string;
  readonly method: string;
  /** Parameters of all operations of the path. */
  readonly shared: unknown;
  readonly found: JsonObject;
}

function createOperation({ document, path, method, shared, found }: FoundOperation, names: Set<string>): Operation {
  const definitions = new SchemaDefinitions(document);
  const properties: Record<string, unknown> = {};
  const required: string[] = [];
  const add = (wanted: string, schema: unknown, isRequired: boolean): string => {
    let property = wanted;
    for (let n = 2; Object.hasOwn(properties, property); n++) property = `${wanted}_${n}`;
    properties[property] = schema;
    if (isRequired) required.push(property);
    return property;
  };
  const parameters = mergeParameters(shared, found.parameters, document).map(parameter =>
    readParameter(parameter, definitions, add),
  );
  const body = readBody(followReference(found.requestBody, document), definitions, add);
  const { definitions: $defs } = definitions;
  const input = {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
    ...(Object.keys($defs).length > 0 ? { $defs } : {}),
  };
  const { summary, description, tags, operationId } = found;
  const text = [summary, description].filter(each => typeof each === 'string' && each !== '').join('\n\n');
  return {
    name: createName(typeof operationId === 'string' ? operationId : `${method} ${path}`, names),
    ...(typeof summary === 'string' && summary !== '' ? { title: summary } : {}),
    description: cutText(text === '' ? `${method.toUpperCase()} ${path}` : text),
    method: method.toUpperCase(),
    path,
    tags: Array.isArray(tags) ? tags.map(String) : [],
    parameters,
    ...(body === undefined ? {} : { body }),
    input: input as JsonObject,
  };
}

/** Parameters of an operation replace those of its path with the same name and place. */
function mergeParameters(
  pathParameters: unknown,
  operationParameters: unknown,
  document: JsonObject,
): readonly JsonObject[] {
  const merged = new Map<string, JsonObject>();
  for (const list of [pathParameters, operationParameters]) {
    for (const each of Array.isArray(list) ? list : []) {
      const parameter = followReference(each, document);
      merged.set(`${String(parameter.in)} ${String(parameter.name)}`, parameter);
    }
  }
  return [...merged.values()].filter(({ in: place, name }) => {
    const isPlace = place === 'path' || place === 'query' || place === 'header' || place === 'cookie';
    // The generated code writes these headers.
    return isPlace && !(place === 'header' && /^(accept|content-type|authorization)$/i.test(String(name)));
  });
}

type AddProperty = (wanted: string, schema: unknown, isRequired: boolean) => string;

function readParameter(parameter: JsonObject, definitions: SchemaDefinitions, add: AddProperty): OperationParameter {
  const place = parameter.in as OperationParameter['in'];
  const name = String(parameter.name);
  const [media] = isJsonObject(parameter.content) ? Object.values(parameter.content) : [];
  const schema = definitions.convert(parameter.schema ?? (isJsonObject(media) ? media.schema : undefined) ?? {});
  const described =
    typeof parameter.description === 'string' && isJsonObject(schema) && schema.description === undefined
      ? { description: cutText(parameter.description), ...schema }
      : schema;
  const property = add(name.replace(/[^\w.-]+/g, '_'), described, place === 'path' || parameter.required === true);
  const isJoined = place === 'query' ? parameter.explode === false : true;
  return { property, name, in: place, ...(isJoined ? { joined: true } : {}) };
}

function readBody(body: JsonObject, definitions: SchemaDefinitions, add: AddProperty): Operation['body'] {
  const content = isJsonObject(body.content) ? body.content : {};
  const types = Object.keys(content);
  const type =
    types.find(each => /[/+]json\b/i.test(each)) ??
    types.find(each => each === 'application/x-www-form-urlencoded') ??
    types.find(each => each.startsWith('text/')) ??
    types[0];
  if (type === undefined) return undefined;
  const media = followReference(content[type], {});
  const isText = !/json|x-www-form-urlencoded/i.test(type);
  const schema = isText ? { type: 'string' } : definitions.convert(media.schema ?? {});
  return { property: add('body', schema, body.required === true), type };
}

/** Creates a name with the characters and the length that all hosts accept. */
function createName(text: string, taken: Set<string>): string {
  const base =
    text
      .replace(/[{}]/g, '')
      .replace(/[^A-Za-z0-9_-]+/g, '_')
      .replace(/^_+|_+$/g, '') || 'operation';
  for (let n = 1; ; n++) {
    const suffix = n === 1 ? '' : `_${n}`;
    const name = base.slice(0, MAX_NAME - suffix.length) + suffix;
    if (taken.has(name)) continue;
    taken.add(name);
    return name;
  }
}

const cutText = (text: string): string =>
  text.length > MAX_DESCRIPTION ? `${text.slice(0, MAX_DESCRIPTION - 1)}…` : text;
