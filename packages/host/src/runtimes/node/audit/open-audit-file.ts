import { type FileHandle, open } from 'node:fs/promises';
import { TenonError } from '@tenon/base';
import { makePrivate, syncFolder } from '@tenon/base/node';
import { type AuditLine, NO_PREVIOUS, parseAuditLine } from '../../../security/audit/audit-line.js';
import type { AuditPosition } from '../../../security/audit/audit-sink.js';
import { listAuditFiles } from './audit-file-names.js';
import { type AuditFileTail, readFirstLine, readTail } from './audit-file-tail.js';

export interface OpenedAudit {
  readonly file: FileHandle;
  readonly tail: AuditFileTail;
  readonly line: (AuditLine & { readonly text: string }) | undefined;
  /** The existing files, the last one being written, and the position in the log at which each begins. */
  readonly files: string[];
  readonly begins: AuditPosition[];
}

/** Opens the last file of an audit log, or creates the first one, and reads its end. Rejects with `audit/broken`. */
export async function openLastAuditFile(path: string): Promise<OpenedAudit> {
  const paths = await listAuditFiles(path);
  for (const each of paths)
    makePrivate({ path: each, code: 'audit/permissions', subject: 'the audit record', groupMayRead: true });
  const file = await open(paths.at(-1) ?? path, paths.length === 0 ? 'wx+' : 'r+', 0o600);
  try {
    if (paths.length === 0) await syncFolder(path);
    const tail = await readTail(file);
    const previous = tail.last === undefined ? paths.at(-2) : undefined;
    const text = previous === undefined ? tail.last : (await readFromFile(previous, readTail)).last;
    const line = text === undefined ? undefined : { ...(await readCheckedLine(text, previous ?? paths.at(-1))), text };
    if (previous !== undefined && line?.content.record !== 'turned')
      throw createBrokenError(previous, 'the last line does not name the next file');
    const nextPosition = line ? { seq: line.seq + 1, prev: line.hash } : { seq: 0, prev: NO_PREVIOUS };
    const begins = [];
    for (const path of paths) {
      const first = await readFromFile(path, readFirstLine);
      begins.push(first === undefined ? nextPosition : await readCheckedLine(first, path));
    }
    if (paths.length === 0) begins.push(nextPosition);
    return { file, tail, line, files: paths.length === 0 ? [path] : paths, begins };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function readFromFile<T>(path: string, read: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, 'r');
  try {
    return await read(file);
  } finally {
    await file.close();
  }
}

async function readCheckedLine(text: string, path: string | undefined): Promise<AuditLine> {
  const line = parseAuditLine(text);
  if (typeof line === 'string') throw createBrokenError(path, line);
  return line;
}

export function createBrokenError(path: string | undefined, reason: string): TenonError {
  return new TenonError('audit/broken', `cannot continue the audit record ${path}: ${reason}`, {
    hint: 'keep the record unchanged, run `tenon audit verify`, and start a new record in another file',
  });
}
