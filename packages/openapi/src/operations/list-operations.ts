import {
  checkEither,
  checkFalse,
  checkOptional,
  checkOptions,
  checkString,
  isObject,
  requireResult,
  toJsonObject,
} from '@tenon/base';
import {
  BrokenReferenceError,
  type DocumentSet,
  type Located,
  MissingDocumentError,
} from '../document/document-set.js';
import { checkSchemas, findUriIssue } from './check-schemas.js';
import { createOperation, findResourceIssue, getApiName, toResource, toScheme } from './create-operation.js';
import type { ApiOperation, OpenApiReport } from './operation.js';
import { isChosen, matches, type OperationFilter } from './operation-filter.js';
import { findApiUrl, resolveOwnServer } from './servers.js';

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'] as const;
/** Methods of OpenAPI that are not sent. */
const OTHER_METHODS = ['trace', 'query'] as const;
/** Maximum length of a name that all hosts accept. */
const MAX_NAME = 64;

const checkText = checkOptional(checkString);
const checkChange = checkOptional(
  checkEither(checkFalse, checkOptions<OperationChange>({ name: checkText, title: checkText, description: checkText })),
);

/** Operation before it is served, for `transform`. */
export interface OperationInfo {
  /** Name of the tool. */
  readonly name: string;
  /** Name for people. */
  readonly title?: string | undefined;
  /** Description for the model. */
  readonly description: string;
  /** HTTP method, in upper case. */
  readonly method: string;
  /** Path with its parameters: `/pets/{id}`. */
  readonly path: string;
  /** Tags in the document. */
  readonly tags: readonly string[];
}

/** Changes of an operation. */
export interface OperationChange {
  /**
   * Name of the tool.
   * @default that of the operation
   */
  readonly name?: string | undefined;
  /**
   * Name for people.
   * @default that of the operation
   */
  readonly title?: string | undefined;
  /**
   * Description for the model.
   * @default that of the operation
   */
  readonly description?: string | undefined;
}

/** Choice of operations, and the form in which they are served. */
export interface ReadOptions extends OperationFilter {
  /**
   * Title of the API, from which its name and the URIs of resources are made.
   * @default the title of the document
   */
  readonly name?: string | undefined;
  /**
   * Patterns of GET operations that are resources or resource templates in place of tools. `*` stands for any text.
   * @default none
   */
  readonly resources?: readonly string[] | undefined;
  /**
   * Changes the name and the texts of an operation. Return `false` to leave the operation out.
   * @default no change
   */
  readonly transform?: ((operation: OperationInfo) => OperationChange | false | undefined) | undefined;
  /**
   * URL of the API.
   * @default the first server of the document
   */
  readonly baseUrl?: string | undefined;
  /**
   * Origins of other servers that operations name. Requests and credentials may go to them.
   * @default none, and operations with servers of another origin are left out
   */
  readonly serverOrigins?: readonly string[] | undefined;
  /**
   * Offers the schemas of responses, so that results have structured content.
   * @default `true`
   */
  readonly output?: boolean | undefined;
  /**
   * Maximum number of parts (nested schemas) of the schema of a response. A larger schema is not offered.
   * @default 400
   */
  readonly maxOutputParts?: number | undefined;
  /**
   * Maximum size of the schema of a response, in characters of JSON. A larger schema is not offered, because each model that
   * lists the tool reads it.
   * @default 16,384
   */
  readonly maxOutputSize?: number | undefined;
}

/** Operations of a document, and every one that it has in the report. */
export interface ListedOperations extends OpenApiReport {
  readonly operations: readonly ApiOperation[];
}

/**
 * Lists the operations of a document as tools, resources and templates whose schemas compile. An operation that cannot be
 * read is left out, and does not prevent the use of others.
 */
export async function listOperations(documents: DocumentSet, options: ReadOptions = {}): Promise<ListedOperations> {
  const { name, baseUrl, serverOrigins = [], resources = [], output = true, transform } = options;
  const { maxOutputParts = 400, maxOutputSize = 16_384 } = options;
  const outputLimits = output ? { maxOutputParts, maxOutputSize } : undefined;
  const names = new Set<string>();
  const operations: ApiOperation[] = [];
  const taken: OpenApiReport['taken'][number][] = [];
  const changed: OpenApiReport['changed'][number][] = [];
  const leftOut: OpenApiReport['leftOut'][number][] = [];
  const notChosen: string[] = [];
  const { value: root, location } = documents.root;
  const apiUrl = findApiUrl(documents);
  const scheme = toScheme(getApiName(root, name));
  const leaveOut = (operation: string, reason: string): undefined => void leftOut.push({ operation, reason });
  /** Loads the documents that an attempt needs. Resolves with `undefined` if a reference cannot be followed. */
  const attempt = async <T>(operation: string, read: () => T): Promise<T | undefined> => {
    for (;;) {
      try {
        return read();
      } catch (error) {
        if (error instanceof BrokenReferenceError) return leaveOut(operation, error.message);
        if (!(error instanceof MissingDocumentError)) throw error;
        await documents.load(error.location);
      }
    }
  };
  const webhooks = Object.keys(toJsonObject(root.webhooks));
  if (webhooks.length > 0)
    leaveOut('webhooks', `the API sends these requests (${webhooks.length}), and no client calls them`);
  for (const [path, item] of Object.entries(toJsonObject(root.paths))) {
    const own = toJsonObject(item);
    const followed = await attempt(path, () => documents.follow({ value: item, location }));
    if (followed === undefined) continue;
    /** A path may have members beside its reference. */
    const getMember = (name: string): Located =>
      own[name] === undefined
        ? { value: followed.value[name], location: followed.location }
        : { value: own[name], location };
    for (const method of OTHER_METHODS)
      if (isObject(getMember(method).value))
        leaveOut(`${method.toUpperCase()} ${path}`, `the method ${method.toUpperCase()} is not sent`);
    for (const method of METHODS) {
      const member = getMember(method);
      if (!isObject(member.value)) continue;
      const label = `${method.toUpperCase()} ${path}`;
      const found = await attempt(label, () => documents.follow(member));
      if (found === undefined) continue;
      if (!isChosen(found.value, method, path, options)) {
        notChosen.push(label);
        continue;
      }
      const servers =
        found.value.servers === undefined ? getMember('servers') : { ...found, value: found.value.servers };
      const server = resolveOwnServer(servers, apiUrl, baseUrl, serverOrigins);
      if ('reason' in server) {
        leaveOut(label, server.reason);
        continue;
      }
      const made = await attempt(label, () =>
        createOperation({ documents, path, method, shared: getMember('parameters'), found, outputLimits }),
      );
      if (made === undefined) continue;
      const { tags, callbacks } = found.value;
      const { title, description } = made.operation;
      const info = {
        title,
        description,
        method: made.operation.method,
        path,
        tags: Array.isArray(tags) ? tags.map(String) : [],
      };
      const change = transform?.({ ...info, name: toToolName(made.operation.name, new Set()) });
      requireResult(`the result of \`transform\` for ${label}`, change, checkChange, 'openapi/option');
      if (change === false) {
        leaveOut(label, 'left out by `transform`');
        continue;
      }
      const checked = checkSchemas(made.operation);
      if ('reason' in checked) {
        leaveOut(label, checked.reason);
        continue;
      }
      const { output: _, ...rest } = made.operation;
      const changes = [...made.changes, ...checked.changes];
      if (isObject(callbacks) && Object.keys(callbacks).length > 0)
        changes.push(`its callbacks are left out, because the API sends them: ${Object.keys(callbacks).join(', ')}`);
      let operation: ApiOperation = {
        ...rest,
        ...(change?.title === undefined ? {} : { title: change.title }),
        ...(change?.description === undefined ? {} : { description: change.description }),
        ...server,
        name: toToolName(change?.name ?? made.operation.name, names),
        input: checked.input,
        ...(checked.output === undefined ? {} : { output: checked.output }),
      };
      if (matches(resources, found.value, method, path)) {
        const asResource = toResource(operation, scheme);
        const issue = findResourceIssue(operation) ?? findUriIssue(asResource.uri ?? '');
        if (issue === undefined) operation = asResource;
        else changes.push(`it is a tool in place of a resource: ${issue}`);
      }
      names.add(operation.name);
      operations.push(operation);
      taken.push({ operation: label, as: operation.kind ?? 'tool', name: operation.uri ?? operation.name });
      if (changes.length > 0) changed.push({ tool: operation.name, changes });
    }
  }
  return { operations, taken, changed, leftOut, notChosen };
}

/** Creates a name with the characters and the length that all hosts accept. */
function toToolName(text: string, taken: ReadonlySet<string>): string {
  const base =
    text
      .replace(/[{}]/g, '')
      .replace(/[^A-Za-z0-9_-]+/g, '_')
      .replace(/^_+|_+$/g, '') || 'operation';
  for (let n = 1; ; n++) {
    const suffix = n === 1 ? '' : `_${n}`;
    const name = base.slice(0, MAX_NAME - suffix.length) + suffix;
    if (!taken.has(name)) return name;
  }
}
