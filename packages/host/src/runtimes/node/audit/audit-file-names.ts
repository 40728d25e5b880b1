import { readdir } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';

/**
 * Lists the files of an audit log: `audit.jsonl`, `audit.2.jsonl`, `audit.3.jsonl`, …. New events are written to the
 * last one.
 */
export async function listAuditFiles(path: string): Promise<string[]> {
  const names = await readdir(dirname(path)).catch(error => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  const numbers = names.map(name => parseFileNumber(path, name)).filter(number => number !== undefined);
  return numbers.sort((a, b) => a - b).map(number => getAuditFilePath(path, number));
}

/** Returns the name of the file after `file`. */
export function getNextAuditFile(path: string, file: string): string {
  return getAuditFilePath(path, (parseFileNumber(path, basename(file)) ?? 1) + 1);
}

function getAuditFilePath(path: string, number: number): string {
  const end = extname(path);
  return number === 1 ? path : join(dirname(path), `${basename(path, end)}.${number}${end}`);
}

function parseFileNumber(path: string, name: string): number | undefined {
  if (name === basename(path)) return 1;
  const end = extname(path);
  const start = `${basename(path, end)}.`;
  if (!name.startsWith(start) || !name.endsWith(end) || name.length <= start.length + end.length) return undefined;
  const digits = name.slice(start.length, name.length - end.length);
  return /^([2-9]|[1-9]\d{1,8})$/.test(digits) ? Number(digits) : undefined;
}
