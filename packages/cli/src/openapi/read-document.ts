import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { JsonObject } from 'tenon';
import { createUsageError } from '../usage-error.js';

/** Maximum size of a document, in bytes. */
const MAX_SIZE = 20 * 1024 * 1024;
/** Maximum time to fetch a document, in milliseconds. */
const FETCH_TIMEOUT = 30_000;

/** Reads a document of Swagger 2.0 or OpenAPI 3, in JSON or YAML, from a file or a URL, and converts it to OpenAPI 3.1. */
export async function readDocument(reference: string, folder: string): Promise<JsonObject> {
  const text = /^https?:\/\//i.test(reference)
    ? await fetchText(reference)
    : await readText(resolve(folder, reference));
  if (Buffer.byteLength(text) > MAX_SIZE)
    throw createUsageError(`${reference}: larger than ${MAX_SIZE / 1024 / 1024} MB`, 'pass a part of the document');
  const value = await parseText(text, reference);
  if (typeof value.openapi !== 'string' && typeof value.swagger !== 'string') {
    throw createUsageError(
      `${reference}: not an OpenAPI document, because it has no member "openapi" or "swagger"`,
      'pass a document of Swagger 2.0 or OpenAPI 3',
    );
  }
  const { upgrade } = await import('@scalar/openapi-upgrader');
  return upgrade(value, '3.1') as JsonObject;
}

async function fetchText(url: string): Promise<string> {
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json, application/yaml, text/yaml, */*;q=0.5' },
      signal: AbortSignal.timeout(FETCH_TIMEOUT),
    });
    if (response.ok) return await response.text();
    throw createUsageError(`${url}: HTTP status ${response.status}`, 'pass the URL of an OpenAPI document');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'cli/usage') throw error;
    throw createUsageError(`${url}: cannot be fetched`, 'check the URL, or download the document and pass its path');
  }
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    throw createUsageError(`cannot read ${path}: ${code}`, 'pass the path or the URL of an OpenAPI document');
  }
}

async function parseText(text: string, reference: string): Promise<JsonObject> {
  const { LineCounter, parseDocument } = await import('yaml');
  const lineCounter = new LineCounter();
  // JSON is YAML too.
  const document = parseDocument(text, { lineCounter, maxAliasCount: 1000, prettyErrors: false } as never);
  const [problem] = document.errors;
  if (problem !== undefined) {
    const { line, col } = lineCounter.linePos(problem.pos[0]);
    throw createUsageError(`${reference}:${line}:${col}: ${problem.message}`, 'correct the JSON or YAML');
  }
  const value: unknown = document.toJS({ maxAliasCount: 1000 });
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw createUsageError(`${reference}: not an object`, 'pass an OpenAPI document');
}
