import {
  createGuardedFetch,
  createUrlGuard,
  isObject,
  isUrlText,
  parseJsonText,
  redactUrl,
  setInteger,
} from '@tenon/base';
import { type JsonObject, TenonError } from 'tenon';
import type { Files, Platform } from '../platform.js';
import { DocumentSet } from './document-set.js';
import { convertSwagger, isSwagger } from './swagger.js';

/** Maximum size of a document, in bytes. */
const MAX_SIZE = 20 * 1024 * 1024;
/** Maximum time to fetch a document, in milliseconds. */
const FETCH_TIMEOUT = 30_000;

/** Location of a document, or the document itself. */
export type DocumentSource = string | URL | object;

/** Settings for the references of a document to other documents. */
export interface DocumentOptions {
  /**
   * URL or path of the document, against which its relative references are resolved.
   * @default the URL or path that was passed as the document. A document that was passed as an object has none, so that its
   * references to other documents are not followed
   */
  readonly base?: string | URL | undefined;
  /**
   * Origins of documents that the document may refer to, such as `https://schemas.example.com`.
   * @default the origin of the document
   */
  readonly documentOrigins?: readonly string[] | undefined;
}

/**
 * Reads a document of OpenAPI 3, in JSON or YAML, and the documents that it refers to when they are needed. Converts a
 * document of Swagger 2.0 to OpenAPI 3.0 at its top: what its operations contain is converted when they are read.
 * @throws TenonError `openapi/document`, or `http/unreachable` for a document that cannot be fetched
 */
export async function readDocument(
  source: DocumentSource,
  { base, documentOrigins = [] }: DocumentOptions,
  platform: Platform,
): Promise<DocumentSet> {
  const isObjectSource = isObject(source) && !(source instanceof URL);
  if (!isObjectSource && !(source instanceof URL) && (typeof source !== 'string' || source === ''))
    throw createDocumentError('the document is no path, no URL and no object', 'pass the path of an OpenAPI document');
  const written = isObjectSource ? base : source;
  const location = written === undefined ? 'document:' : locate(String(written), platform.files);
  const name = isObjectSource ? 'the document' : describe(String(source));
  const value = isObjectSource ? source : await readOne(location, name, platform);
  const version = value.swagger ?? value.openapi;
  // YAML reads a version without quotes as a number.
  if (typeof version !== 'string' && typeof version !== 'number') {
    throw createDocumentError(
      `${name}: not an OpenAPI document, because it has no member "openapi" or "swagger"`,
      'pass a document of Swagger 2.0 or OpenAPI 3',
    );
  }
  const kind = isSwagger(value) ? 'Swagger' : 'OpenAPI';
  if (!(kind === 'Swagger' ? /^2(\.0)?$/ : /^3(\.|$)/).test(String(version))) {
    throw createDocumentError(
      `${name}: ${kind} ${String(version).slice(0, 20)} is not supported`,
      'pass a document of Swagger 2.0 or OpenAPI 3',
    );
  }
  const root = {
    value: isSwagger(value) ? convertSwagger(value, location) : value,
    location: isObjectSource || base === undefined ? location : locate(String(base), platform.files),
  };
  return new DocumentSet(root, each => readOne(each, describe(each), platform), documentOrigins);
}

/** Returns the URL of a document, which may be a path where there are files. */
function locate(text: string, files: Files | undefined): string {
  if (isUrlText(text)) return new URL(text).href;
  if (files === undefined)
    throw createDocumentError(`${text}: not a URL`, 'pass an https: URL, or the document as an object');
  return files.toUrl(text);
}

/** Secrets of a URL are in its query. */
const describe = (text: string): string => (/^https?:/i.test(text) ? redactUrl(text) : text);

async function readOne(location: string, name: string, platform: Platform): Promise<JsonObject> {
  const text = location.startsWith('file:')
    ? await readText(location, name, platform.files)
    : await fetchText(location, name, platform);
  return parseText(text, name);
}

async function fetchText(url: string, name: string, { fetch }: Platform): Promise<string> {
  const guard = createUrlGuard(url, { allowInsecure: url.startsWith('http:') });
  const guarded = createGuardedFetch({
    guard,
    fetch,
    timeout: FETCH_TIMEOUT,
    maxSize: MAX_SIZE,
    party: 'the server of the document',
  });
  const headers = { accept: 'application/json, application/yaml, text/yaml, */*;q=0.5' };
  const response = await guarded(url, { headers }).catch(error => {
    const { code, received, summary } = TenonError.from(error);
    if (code === 'auth/too-large') throw createSizeError(name);
    throw new TenonError('http/unreachable', `${name}: cannot be fetched`, {
      received: received ?? summary,
      hint: 'check the URL, or download the document and pass its path',
      cause: error,
    });
  });
  if (response.ok) return response.text();
  throw createDocumentError(`${name}: HTTP status ${response.status}`, 'pass the URL of an OpenAPI document');
}

async function readText(url: string, name: string, files: Files | undefined): Promise<string> {
  try {
    if (files === undefined) throw Object.assign(new Error('no files'), { code: 'no files on this runtime' });
    return await files.read(url, MAX_SIZE);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    if (code === 'too-large') throw createSizeError(name);
    throw createDocumentError(`cannot read ${name}: ${code}`, 'pass the path or the URL of an OpenAPI document');
  }
}

const createDocumentError = (summary: string, hint: string): TenonError =>
  new TenonError('openapi/document', summary, { hint });

const createSizeError = (reference: string): TenonError =>
  createDocumentError(`${reference}: larger than ${MAX_SIZE / 1024 / 1024} MiB`, 'pass a part of the document');

async function parseText(text: string, reference: string): Promise<JsonObject> {
  // Large documents are JSON, which takes much longer as YAML.
  const json = parseJson(text);
  if (isObject(json)) return json;
  const { LineCounter, parseDocument } = await import('yaml');
  const lineCounter = new LineCounter();
  // JSON with comments, or with an error, is read as YAML too.
  const options = { lineCounter, maxAliasCount: 1000, prettyErrors: false, intAsBigInt: true };
  const document = parseDocument(text, options as never);
  const [first] = document.errors;
  if (first !== undefined) {
    const { line, col } = lineCounter.linePos(first.pos[0]);
    throw createDocumentError(`${reference}:${line}:${col}: ${first.message}`, 'correct the JSON or YAML');
  }
  const value: unknown = document.toJS({ maxAliasCount: 1000 });
  convertIntegers(value, new Set());
  if (isObject(value)) return value;
  throw createDocumentError(`${reference}: not an object`, 'pass an OpenAPI document');
}

/** Converts the integers of YAML to numbers with the texts of those that a number cannot represent. */
function convertIntegers(value: unknown, seen: Set<object>): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  for (const [key, member] of Object.entries(value)) {
    if (typeof member === 'bigint') setInteger(value, key, `${member}`);
    else convertIntegers(member, seen);
  }
}

function parseJson(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch {
    return undefined;
  }
}
