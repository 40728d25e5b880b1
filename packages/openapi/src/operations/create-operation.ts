import { chooseName, isObject } from '@tenon/base';
import type { JsonObject } from 'tenon';
import type { DocumentSet, Located } from '../document/document-set.js';
import { convertInputs } from '../document/swagger.js';
import { choosePropertyName, SchemaDefinitions } from '../schemas/schema-definitions.js';
import type { ApiOperation, OperationParameter } from './operation.js';
import { readBody } from './read-body.js';
import { cutText, isSent, mergeParameters, readParameter } from './read-parameters.js';
import { type OutputLimits, readResponse } from './read-response.js';
import { readSecurity } from './security-schemes.js';

/** Operation that was found in a document. */
export interface FoundOperation {
  readonly documents: DocumentSet;
  readonly path: string;
  readonly method: string;
  /** Parameters of all operations of the path. */
  readonly shared: Located;
  readonly found: Located<JsonObject>;
  /** Limits of the schema of the response. It is not read without them. */
  readonly outputLimits: OutputLimits | undefined;
}

/** Operation whose name is not unique yet, with what differs from the document. */
export interface CreatedOperation {
  readonly operation: ApiOperation;
  readonly changes: readonly string[];
}

/**
 * Converts an operation of a document.
 * @throws BrokenReferenceError, MissingDocumentError
 */
export function createOperation({
  documents,
  path,
  method,
  shared,
  found,
  outputLimits,
}: FoundOperation): CreatedOperation {
  const { value, location } = found;
  const definitions = new SchemaDefinitions(documents);
  const changes: string[] = [];
  const properties: Record<string, unknown> = {};
  const required: string[] = [];
  const add = (wanted: string, schema: unknown, isRequired: boolean): string => {
    const property = choosePropertyName(wanted.replace(/[^\w.-]+/g, '_'), properties);
    // Hosts accept no other letters in the name of an argument, so that the title has the name.
    const isNamed = /^[ -~]*$/.test(wanted) || !isObject(schema);
    properties[property] = isNamed ? schema : { title: wanted, ...schema };
    if (isRequired) required.push(property);
    return property;
  };
  const parameters: OperationParameter[] = [];
  const merged = mergeParameters(shared, { value: value.parameters, location }, documents, changes);
  const inputs = documents.isSwagger
    ? convertInputs(merged, value.consumes ?? documents.root.value.consumes, location)
    : { parameters: merged, body: documents.follow({ value: value.requestBody, location }) };
  for (const parameter of inputs.parameters.filter(isSent)) {
    const { in: place, name, required: isRequired } = parameter.value;
    if (place !== 'header' || /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(String(name)))
      parameters.push(readParameter(parameter, documents, definitions, add));
    else
      changes.push(
        `the header ${JSON.stringify(name)} is left out: invalid name${isRequired ? ', although it is required' : ''}`,
      );
  }
  for (const [, name = ''] of path.matchAll(/\{([^{}]+)\}/g)) {
    if (parameters.some(each => each.in === 'path' && each.name === name)) continue;
    changes.push(`\`${name}\` of the path is not declared: any text is accepted`);
    parameters.push({ property: add(name, { type: 'string' }, true), name, in: 'path' });
  }
  const isRead = method === 'get' || method === 'head';
  const body = isRead ? undefined : readBody(inputs.body, documents, definitions, add);
  if (isRead && inputs.body.value.content !== undefined)
    changes.push(`its body is left out: a request of ${method.toUpperCase()} has none`);
  const response = outputLimits && method !== 'head' ? readResponse(found, documents, outputLimits) : {};
  const { definitions: $defs } = definitions;
  const security = readSecurity(value, documents.root.value);
  const { summary, description, operationId, deprecated } = value;
  const text = [summary, description].filter(each => typeof each === 'string' && each !== '').join('\n\n');
  const operation: ApiOperation = {
    name: typeof operationId === 'string' && /[A-Za-z0-9]/.test(operationId) ? operationId : `${method} ${path}`,
    ...(typeof summary === 'string' && summary !== '' ? { title: summary } : {}),
    description: cutText(
      `${deprecated === true ? 'Deprecated. ' : ''}${text === '' ? `${method.toUpperCase()} ${path}` : text}`,
    ),
    method: method.toUpperCase(),
    path,
    parameters,
    ...(body === undefined ? {} : { body }),
    input: {
      type: 'object',
      properties,
      ...(required.length > 0 ? { required } : {}),
      additionalProperties: false,
      ...(Object.keys($defs).length > 0 ? { $defs } : {}),
    },
    ...(response.output === undefined ? {} : { output: response.output }),
    ...(security === undefined ? {} : { security }),
  };
  return {
    operation,
    changes: [...definitions.changes, ...changes, ...(response.change === undefined ? [] : [response.change])],
  };
}

/** Tells if an operation that reads can be a resource: its path and its query hold all that it needs. */
export function findResourceIssue({ method, parameters, input }: ApiOperation): string | undefined {
  if (method !== 'GET') return `${method} does not read a resource`;
  const required: readonly unknown[] = Array.isArray(input.required) ? input.required : [];
  const other = parameters.find(each => each.in !== 'path' && each.in !== 'query' && required.includes(each.property));
  return other && `it needs the ${other.in} \`${other.name}\``;
}

/**
 * Converts an operation to a resource, or to a template if its path or query has parameters.
 *
 * @param scheme Scheme of the URI.
 */
export function toResource(operation: ApiOperation, scheme: string): ApiOperation {
  const used = new Set<string>();
  /** Names of template variables have no dashes. */
  const parameters = operation.parameters
    .filter(each => each.in === 'path' || each.in === 'query')
    .map(each => {
      const property = chooseName(each.property.replace(/[^\w]/g, '_'), '_', name => used.has(name));
      used.add(property);
      return { ...each, property };
    });
  const path = operation.path
    .replace(/^\/+/, '')
    .replace(/\{([^{}]+)\}|[^{}]+/g, (text: string, name: string | undefined) =>
      name === undefined
        ? encodeURI(text).replace(/[?#]/g, encodeURIComponent)
        : `{${parameters.find(each => each.in === 'path' && each.name === name)?.property ?? name}}`,
    );
  const query = parameters.filter(each => each.in === 'query').map(each => each.property);
  return {
    ...operation,
    parameters,
    kind: parameters.length > 0 ? 'template' : 'resource',
    uri: `${scheme}:///${path}${query.length > 0 ? `{?${query.join(',')}}` : ''}`,
  };
}

/** Returns a name as the scheme of a URI. */
export const toScheme = (name: string): string => (/^[a-z]/.test(name) ? name : `api-${name}`);

/** Converts a title to a name of lower-case letters, digits and dashes: `pet-shop`. */
const toApiName = (title: unknown): string =>
  String(title ?? '')
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '') || 'api';

/** Returns the name of an API: the wanted one, or the title of its document. */
export const getApiName = ({ info }: JsonObject, wanted: string | undefined): string =>
  toApiName(wanted ?? (isObject(info) ? info.title : undefined));
