import { resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { decodeText, readTextFile } from '@tenon/base/node';
import { createUsageError } from '../usage-error.js';
import { requireExactIntegers } from './exact-integers.js';

export interface JsonSource {
  /** JSON, or `@FILE`. */
  readonly source: string;
  /** Argument or option in errors. */
  readonly subject: string;
  readonly cwd: string;
  /**
   * Reads standard input for `-`.
   * @default `false`
   */
  readonly acceptsStdin?: boolean;
}

/** Reads JSON from the command line, from a file, or from standard input. */
export async function readJson({ source, subject, cwd, acceptsStdin = false }: JsonSource): Promise<unknown> {
  if (acceptsStdin && source === '-') {
    const hint = 'write valid JSON in UTF-8 to standard input';
    return parseJson(await buffer(process.stdin), `${subject}: standard input has invalid JSON`, hint);
  }
  // No JSON begins with this character.
  if (source.startsWith('@')) {
    const path = resolve(cwd, source.slice(1));
    return parseJson(await readArgumentFile(path, subject), `${subject}: ${path} has invalid JSON`, 'correct the file');
  }
  return parseJson(source, `${subject}: invalid JSON`, 'check the quotes, which the shell may have removed');
}

/** Reads a file that an argument names. */
export async function readArgumentFile(
  path: string,
  subject: string,
  hint = 'pass the path of a file that exists',
): Promise<string> {
  try {
    return await readTextFile(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    const advice = code === 'not UTF-8' ? 'pass a file of text; binary content is mostly passed as base64' : hint;
    throw createUsageError(`${subject}: cannot read ${path}: ${code}`, advice);
  }
}

function parseJson(source: string | Uint8Array, summary: string, hint: string): unknown {
  let json: string;
  let value: unknown;
  try {
    json = typeof source === 'string' ? source : decodeText(source);
    value = JSON.parse(json);
  } catch {
    throw createUsageError(summary, hint);
  }
  requireExactIntegers(summary.slice(0, summary.indexOf(':')), json);
  return value;
}
