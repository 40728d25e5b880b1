import { type FileHandle, open } from 'node:fs/promises';
import { type AuditLine, NOTHING_BEFORE, readLine } from '../../host/audit/line.js';
import type { Beginning } from '../../host/audit/sink.js';
import { TenonError } from '../../jsonrpc/error.js';
import { auditFiles } from './audit-places.js';
import { firstLine, type Tail, tailOf } from './audit-tail.js';
import { syncFolder } from './file-replacement.js';

export interface Found {
  readonly file: FileHandle;
  readonly tail: Tail;
  readonly line: (AuditLine & { readonly text: string }) | undefined;
  /** The files there are, the one that is written last, and where in the record each begins. */
  readonly files: string[];
  readonly begins: Beginning[];
}

/** Opens the last file of a record, or the first one, and sees how it ends. Rejects with `audit/broken`. */
export async function foundAt(path: string): Promise<Found> {
  const places = await auditFiles(path);
  const file = await open(places.at(-1) ?? path, places.length === 0 ? 'wx+' : 'r+', 0o600);
  try {
    if (places.length === 0) await syncFolder(path);
    const tail = await tailOf(file);
    const before = tail.last === undefined ? places.at(-2) : undefined;
    const text = before === undefined ? tail.last : (await reading(before, tailOf)).last;
    const line = text === undefined ? undefined : { ...(await believed(text, before ?? places.at(-1))), text };
    if (before !== undefined && line?.content.record !== 'turned')
      throw broken(before, 'it does not say where it goes on');
    const follows = line ? { seq: line.seq + 1, prev: line.hash } : { seq: 0, prev: NOTHING_BEFORE };
    const begins = [];
    for (const place of places) {
      const first = await reading(place, firstLine);
      begins.push(first === undefined ? follows : await believed(first, place));
    }
    if (places.length === 0) begins.push(follows);
    return { file, tail, line, files: places.length === 0 ? [path] : places, begins };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function reading<T>(path: string, read: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, 'r');
  try {
    return await read(file);
  } finally {
    await file.close();
  }
}

async function believed(text: string, path: string | undefined): Promise<AuditLine> {
  const line = await readLine(text);
  if (typeof line === 'string') throw broken(path, line);
  return line;
}

export function broken(path: string | undefined, what: string): TenonError {
  return new TenonError('audit/broken', `the audit record can not be gone on with: ${path}: ${what}`, {
    next: 'keep it as it is, look at it with `tenon audit verify`, and begin another in another place',
  });
}
