/**
 * Serve the operations of an OpenAPI document, on every runtime. `index.node.ts` is the entry for Node, which also reads files.
 */

import { type ApiDefinitions, createDefinitions, type ServeOptions } from './calls/serve-operations.js';
import type { DocumentSource } from './document/read-document.js';
import {
  type OpenApi,
  type OpenApiContent,
  type OpenApiOptions,
  type ReadOperationsOptions,
  readContent,
  serveDocument,
} from './openapi.js';
import type { ApiOperation } from './operations/operation.js';
import { webPlatform } from './platform.js';

/**
 * Reads an OpenAPI document, and returns its operations as tools, resources and resource templates for `createServer`.
 *
 * An operation that cannot be served is left out and named in `report`, so that the server always starts.
 *
 * @param document Path or URL of a document of OpenAPI 3.0, 3.1 or Swagger 2.0, in JSON or YAML, or the document itself.
 * @throws TenonError `openapi/document` for a document that cannot be read, `http/unreachable` for one that
 * cannot be fetched, `openapi/option` for an invalid option
 * @see https://spec.openapis.org/oas/latest.html
 */
export function openapi(document: DocumentSource, options: OpenApiOptions = {}): Promise<OpenApi> {
  return serveDocument(document, options, webPlatform);
}

/**
 * Reads the operations of an OpenAPI document as values of JSON. `serveOperations` serves them later, also from a file that
 * a program wrote.
 *
 * @throws TenonError `openapi/document` for a document that cannot be read, `http/unreachable` for one that cannot be fetched
 */
export function readOperations(document: DocumentSource, options: ReadOperationsOptions = {}): Promise<OpenApiContent> {
  return readContent(document, options, webPlatform);
}

/**
 * Creates tools, resources and resource templates of operations that `readOperations` returned.
 *
 * @throws TenonError `openapi/option` for an invalid option
 */
export function serveOperations(operations: readonly ApiOperation[], options: ServeOptions): ApiDefinitions {
  return createDefinitions(operations, options, webPlatform);
}

export type { Credential, Credentials } from './calls/credentials.js';
export type { ApiDefinitions, RequestOptions, ServeOptions } from './calls/serve-operations.js';
export type { DocumentOptions, DocumentSource } from './document/read-document.js';
export {
  type OpenApi,
  type OpenApiContent,
  type OpenApiOptions,
  type ReadOperationsOptions,
  requireApiUrl,
} from './openapi.js';
export type { OperationChange, OperationInfo, ReadOptions } from './operations/list-operations.js';
export type {
  ApiOperation,
  OpenApiReport,
  OperationBody,
  OperationField,
  OperationParameter,
  SecurityScheme,
  ValueStyle,
} from './operations/operation.js';
export type { OperationFilter } from './operations/operation-filter.js';
