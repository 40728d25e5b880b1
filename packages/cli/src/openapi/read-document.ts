import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { isObject, parseJsonText, setInteger } from '@tenon/base';
import { type JsonObject, TenonError } from 'tenon';
import { download } from '../http/download.js';
import { readBounded, SizeLimitError } from '../http/read-bounded.js';
import { createUsageError } from '../usage-error.js';
import { DocumentSet, isUrl } from './document-set.js';

/** Maximum size of a document, in bytes. */
const MAX_SIZE = 20 * 1024 * 1024;
/** Maximum time to fetch a document, in milliseconds. */
const FETCH_TIMEOUT = 30_000;

/**
 * Reads a document of OpenAPI 3, in JSON or YAML, from a file or a URL, and the documents that it refers to when they are
 * needed. Converts a document of Swagger 2.0 to OpenAPI 3.0.
 */
export async function readDocument(reference: string, folder: string): Promise<DocumentSet> {
  const location = isUrl(reference) ? new URL(reference).href : resolve(folder, reference);
  const value = await readOne(location, reference);
  if (typeof value.openapi !== 'string' && typeof value.swagger !== 'string') {
    throw createUsageError(
      `${reference}: not an OpenAPI document, because it has no member "openapi" or "swagger"`,
      'pass a document of Swagger 2.0 or OpenAPI 3',
    );
  }
  const root = { value: typeof value.swagger === 'string' ? await upgrade(value) : value, location };
  return new DocumentSet(root, each => readOne(each, each));
}

async function upgrade(value: JsonObject): Promise<JsonObject> {
  const { upgrade: convert } = await import('@scalar/openapi-upgrader');
  return convert(value, '3.0') as JsonObject;
}

async function readOne(location: string, name: string): Promise<JsonObject> {
  return parseText(isUrl(location) ? await fetchText(location) : await readText(location), name);
}

async function fetchText(url: string): Promise<string> {
  const signal = AbortSignal.timeout(FETCH_TIMEOUT);
  try {
    const { status, chunks } = await download(url, {
      headers: { accept: 'application/json, application/yaml, text/yaml, */*;q=0.5' },
      signal,
    });
    if (status >= 200 && status < 300) return await readBounded(chunks, MAX_SIZE);
    throw createUsageError(`${url}: HTTP status ${status}`, 'pass the URL of an OpenAPI document');
  } catch (error) {
    if (TenonError.is(error)) throw error;
    if (error instanceof SizeLimitError) throw createSizeError(url);
    throw new TenonError('cli/usage', `${url}: cannot be fetched`, {
      received: signal.aborted
        ? `no complete response in ${FETCH_TIMEOUT / 1000} s`
        : error instanceof Error
          ? error.message
          : String(error),
      hint: 'check the URL, or download the document and pass its path',
      cause: error,
    });
  }
}

async function readText(path: string): Promise<string> {
  try {
    return await readBounded(createReadStream(path), MAX_SIZE);
  } catch (error) {
    if (error instanceof SizeLimitError) throw createSizeError(path);
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    throw createUsageError(`cannot read ${path}: ${code}`, 'pass the path or the URL of an OpenAPI document');
  }
}

const createSizeError = (reference: string): TenonError =>
  createUsageError(`${reference}: larger than ${MAX_SIZE / 1024 / 1024} MiB`, 'pass a part of the document');

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
    throw createUsageError(`${reference}:${line}:${col}: ${first.message}`, 'correct the JSON or YAML');
  }
  const value: unknown = document.toJS({ maxAliasCount: 1000 });
  convertIntegers(value, new Set());
  if (isObject(value)) return value;
  throw createUsageError(`${reference}: not an object`, 'pass an OpenAPI document');
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
