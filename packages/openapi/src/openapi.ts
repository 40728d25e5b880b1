import {
  type Check,
  checkArray,
  checkBoolean,
  checkFunction,
  checkOptional,
  checkOrigin,
  checkRange,
  checkString,
  requireArgument,
  requireKnownOptions,
  TenonError,
  takeBeginning,
  toJsonObject,
} from '@tenon/base';
import { type ApiDefinitions, createDefinitions, type RequestOptions } from './calls/serve-operations.js';
import { type DocumentOptions, type DocumentSource, readDocument } from './document/read-document.js';
import { getApiName } from './operations/create-operation.js';
import { listOperations, type ReadOptions } from './operations/list-operations.js';
import type { ApiOperation, OpenApiReport, SecurityScheme } from './operations/operation.js';
import { listSecuritySchemes } from './operations/security-schemes.js';
import { findApiUrl } from './operations/servers.js';
import type { Platform } from './platform.js';

/** Options of `readOperations`. */
export interface ReadOperationsOptions extends ReadOptions, DocumentOptions {}

/** Options of `openapi`. */
export interface OpenApiOptions extends ReadOperationsOptions, RequestOptions {}

/** Content of a document: what `serveOperations` needs, and the report. */
export interface OpenApiContent {
  /** Title of the API as a name: `pet-shop`. */
  readonly name: string;
  /** Version of the API. */
  readonly version: string;
  /** First paragraph of the description of the API. */
  readonly description?: string;
  /** First server of the document, or `baseUrl`. Absent if the document has no absolute URL. */
  readonly baseUrl?: string;
  /** Operations that can be served. */
  readonly operations: readonly ApiOperation[];
  /** Security schemes that the operations name. */
  readonly schemes: readonly SecurityScheme[];
  /** Lists each operation of the document as served, changed or left out. */
  readonly report: OpenApiReport;
}

/** Definitions for `createServer`, and the report of the document. */
export interface OpenApi extends ApiDefinitions {
  /** Title of the API as a name: `pet-shop`. */
  readonly name: string;
  /** Version of the API. */
  readonly version: string;
  /** First paragraph of the description of the API. */
  readonly description?: string;
  /** Every operation of the document: taken, changed or left out, with the reasons. */
  readonly report: OpenApiReport;
}

const READ_OPTIONS = {
  name: true,
  include: true,
  exclude: true,
  tags: true,
  readOnly: true,
  resources: true,
  transform: true,
  baseUrl: true,
  serverOrigins: true,
  output: true,
  maxOutputParts: true,
  maxOutputSize: true,
  base: true,
  documentOrigins: true,
} as const;

const checkTexts = checkArray(checkString);
const CHECKED_OPTIONS = {
  include: checkTexts,
  exclude: checkTexts,
  tags: checkTexts,
  resources: checkTexts,
  readOnly: checkBoolean,
  output: checkBoolean,
  transform: checkFunction,
  name: checkString,
  serverOrigins: checkArray(checkOrigin),
  documentOrigins: checkArray(checkOrigin),
  maxOutputParts: checkRange('a number of parts, at least 1', 1),
  maxOutputSize: checkRange('a number of characters, at least 1', 1),
} satisfies { readonly [Name in keyof ReadOperationsOptions]: Check };

/** Reads the operations of a document. */
export async function readContent(
  document: DocumentSource,
  options: ReadOperationsOptions,
  platform: Platform,
): Promise<OpenApiContent> {
  requireKnownOptions('readOperations', options, READ_OPTIONS);
  for (const [name, check] of Object.entries(CHECKED_OPTIONS))
    requireArgument(
      `\`${name}\` of readOperations`,
      options[name as keyof typeof CHECKED_OPTIONS],
      checkOptional(check),
      'openapi/option',
    );
  const documents = await readDocument(document, options, platform);
  const { value: root } = documents.root;
  const { operations, ...report } = await listOperations(documents, options);
  const info = toJsonObject(root.info);
  const { version, description } = info;
  const baseUrl = options.baseUrl ?? findApiUrl(documents);
  return {
    name: getApiName(root, options.name),
    version: typeof version === 'string' && version !== '' ? version : '1.0.0',
    ...(typeof description === 'string'
      ? { description: takeBeginning(description.split('\n\n', 1)[0] ?? '', 500) }
      : {}),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    operations,
    schemes: listSecuritySchemes(documents),
    report,
  };
}

/**
 * Returns the URL of the API of a document that `readOperations` read.
 * @param baseUrl The URL in the content of the document.
 * @param hint Says where the user can name the URL.
 * @throws TenonError `openapi/option` if the document has none
 */
export function requireApiUrl(baseUrl: string | undefined, hint: string): string {
  if (baseUrl !== undefined) return baseUrl;
  throw new TenonError('openapi/option', 'the document has no absolute URL of the API', {
    expected: 'a server with an https: URL',
    hint,
  });
}

/** Serves the operations of a document. */
export async function serveDocument(
  document: DocumentSource,
  options: OpenApiOptions,
  platform: Platform,
): Promise<OpenApi> {
  requireKnownOptions('openapi', options, { ...READ_OPTIONS, auth: true, headers: true, limits: true });
  const { auth, headers, limits, ...readOptions } = options;
  const { baseUrl: foundUrl, operations, schemes, ...content } = await readContent(document, readOptions, platform);
  const baseUrl = requireApiUrl(foundUrl, 'pass `baseUrl: "https://api.example.com"`');
  return { ...content, ...createDefinitions(operations, { baseUrl, schemes, auth, headers, limits }, platform) };
}
