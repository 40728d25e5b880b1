import { isObject } from '@tenon/base';
import type { JsonObject } from 'tenon';
import { chooseName } from '../choose-name.js';
import { checkInput } from './check-input.js';
import { BrokenReferenceError, type DocumentSet, type Located, MissingDocumentError } from './document-set.js';
import { SchemaDefinitions } from './schema-definitions.js';

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

/** Tools for the operations of a document. */
export interface ListedOperations {
  readonly operations: readonly Operation[];
  /** Tools whose input differs from the document, with what was repaired. */
  readonly changed: readonly { readonly tool: string; readonly changes: readonly string[] }[];
  /** Operations without a tool, with the reason. */
  readonly leftOut: readonly { readonly operation: string; readonly reason: string }[];
}

/**
 * Lists the operations of a document as tools whose input schemas compile. An operation that cannot be read is left out,
 * and does not prevent the use of others.
 */
export async function listOperations(documents: DocumentSet, filter: OperationFilter = {}): Promise<ListedOperations> {
  const names = new Set<string>();
  const operations: Operation[] = [];
  const changed: ListedOperations['changed'][number][] = [];
  const leftOut: ListedOperations['leftOut'][number][] = [];
  const { value: root, location } = documents.root;
  /** Loads the documents that an attempt needs. Resolves with the reason if a reference cannot be followed. */
  const attempt = async <T>(operation: string, read: () => T): Promise<T | undefined> => {
    for (;;) {
      try {
        return read();
      } catch (error) {
        if (error instanceof BrokenReferenceError) return void leftOut.push({ operation, reason: error.message });
        if (!(error instanceof MissingDocumentError)) throw error;
        await documents.load(error.location);
      }
    }
  };
  for (const [path, item] of Object.entries(isObject(root.paths) ? root.paths : {})) {
    const own = isObject(item) ? item : {};
    const followed = await attempt(path, () => documents.follow({ value: item, location }));
    if (followed === undefined) continue;
    /** A path may have members beside its reference. */
    const getMember = (name: string): Located =>
      own[name] === undefined
        ? { value: followed.value[name], location: followed.location }
        : { value: own[name], location };
    for (const method of METHODS) {
      const member = getMember(method);
      if (!isObject(member.value)) continue;
      const label = `${method.toUpperCase()} ${path}`;
      const found = await attempt(label, () => documents.follow(member));
      if (found === undefined || !isWanted(found.value, method, path, filter)) continue;
      const isTaken = new Set(names);
      const made = await attempt(label, () => {
        names.clear();
        for (const name of isTaken) names.add(name);
        return createOperation({ documents, path, method, shared: getMember('parameters'), found }, names);
      });
      const checked = made && checkInput(made.operation);
      if (made === undefined || checked === undefined) continue;
      if ('reason' in checked) {
        names.delete(made.operation.name);
        leftOut.push({ operation: label, reason: checked.reason });
        continue;
      }
      operations.push({ ...made.operation, input: checked.input });
      const changes = [...made.changes, ...checked.changes];
      if (changes.length > 0) changed.push({ tool: made.operation.name, changes });
    }
  }
  return { operations, changed, leftOut };
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
  readonly documents: DocumentSet;
  readonly path: string;
  readonly method: string;
  /** Parameters of all operations of the path. */
  readonly shared: Located;
  readonly found: Located<JsonObject>;
}

/** @throws BrokenReferenceError, MissingDocumentError */
function createOperation(
  { documents, path, method, shared, found }: FoundOperation,
  names: Set<string>,
): { readonly operation: Operation; readonly changes: readonly string[] } {
  const { value, location } = found;
  const definitions = new SchemaDefinitions(documents);
  const properties: Record<string, unknown> = {};
  const required: string[] = [];
  const add = (wanted: string, schema: unknown, isRequired: boolean): string => {
    const property = chooseName(wanted, '_', used => Object.hasOwn(properties, used));
    properties[property] = schema;
    if (isRequired) required.push(property);
    return property;
  };
  const parameters = mergeParameters(shared, { value: value.parameters, location }, documents).map(parameter =>
    readParameter(parameter, definitions, add),
  );
  const body = readBody(documents.follow({ value: value.requestBody, location }), documents, definitions, add);
  const { definitions: $defs } = definitions;
  const input = {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
    ...(Object.keys($defs).length > 0 ? { $defs } : {}),
  };
  const { summary, description, tags, operationId } = value;
  const text = [summary, description].filter(each => typeof each === 'string' && each !== '').join('\n\n');
  const operation = {
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
  return { operation, changes: [...definitions.changes] };
}

/** Parameters of an operation replace those of its path with the same name and place. */
function mergeParameters(
  pathParameters: Located,
  operationParameters: Located,
  documents: DocumentSet,
): readonly Located<JsonObject>[] {
  const merged = new Map<string, Located<JsonObject>>();
  for (const { value: list, location } of [pathParameters, operationParameters]) {
    for (const value of Array.isArray(list) ? list : []) {
      const parameter = documents.follow({ value, location });
      merged.set(`${String(parameter.value.in)} ${String(parameter.value.name)}`, parameter);
    }
  }
  return [...merged.values()].filter(({ value: { in: place, name } }) => {
    const isPlace = place === 'path' || place === 'query' || place === 'header' || place === 'cookie';
    // The generated code writes these headers.
    return isPlace && !(place === 'header' && /^(accept|content-type|authorization)$/i.test(String(name)));
  });
}

type AddProperty = (wanted: string, schema: unknown, isRequired: boolean) => string;

function readParameter(
  { value: parameter, location }: Located<JsonObject>,
  definitions: SchemaDefinitions,
  add: AddProperty,
): OperationParameter {
  const place = parameter.in as OperationParameter['in'];
  const name = String(parameter.name);
  const [media] = isObject(parameter.content) ? Object.values(parameter.content) : [];
  const value = parameter.schema ?? (isObject(media) ? media.schema : undefined) ?? {};
  const schema = definitions.convert({ value, location });
  const described =
    typeof parameter.description === 'string' && isObject(schema) && schema.description === undefined
      ? { description: cutText(parameter.description), ...schema }
      : schema;
  const property = add(name.replace(/[^\w.-]+/g, '_'), described, place === 'path' || parameter.required === true);
  const isJoined = place === 'query' ? parameter.explode === false : true;
  return { property, name, in: place, ...(isJoined ? { joined: true } : {}) };
}

function readBody(
  { value: body, location }: Located<JsonObject>,
  documents: DocumentSet,
  definitions: SchemaDefinitions,
  add: AddProperty,
): Operation['body'] {
  const content = isObject(body.content) ? body.content : {};
  const types = Object.keys(content);
  const type =
    types.find(each => /[/+]json\b/i.test(each)) ??
    types.find(each => each === 'application/x-www-form-urlencoded') ??
    types.find(each => each.startsWith('text/')) ??
    types[0];
  if (type === undefined) return undefined;
  const media = documents.follow({ value: content[type], location });
  const isText = !/json|x-www-form-urlencoded/i.test(type);
  const schema = isText
    ? { type: 'string' }
    : definitions.convert({ value: media.value.schema ?? {}, location: media.location });
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
