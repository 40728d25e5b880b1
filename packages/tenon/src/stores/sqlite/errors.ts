import { TenonError } from '../../jsonrpc/error.js';

/** True if another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(getErrorCode(error));
}

export function isFull(error: unknown): boolean {
  return /^SQLITE_FULL/.test(getErrorCode(error));
}

export function isReadOnlyError(error: unknown): boolean {
  return /^SQLITE_READONLY/.test(getErrorCode(error));
}

/** Converts an error of SQLite. It says nothing of what was read or written. */
export function toStoreError(error: unknown, file: string): TenonError {
  if (TenonError.is(error)) return error;
  const [code, problem, hint] = classifyError(error);
  return new TenonError(code, `${file}: ${problem}`, { hint, cause: error });
}

function classifyError(error: unknown): readonly [code: string, what: string, next: string] {
  if (isBusy(error)) return ['store/busy', 'another program holds the file', 'try again, or raise `busyTimeout`'];
  if (isFull(error)) return ['store/full', 'there is no room left', 'free space on the disk, or raise `maxSize`'];
  if (isReadOnlyError(error))
    return [
      'store/read-only',
      'the file can only be read',
      'give this process the right to write the file and its folder, or put the file on another disk',
    ];
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(getErrorCode(error)))
    return [
      'store/unreadable',
      'this is no SQLite database, or a damaged one',
      'name another file, or restore this one',
    ];
  const message = error instanceof Error ? error.message : String(error);
  return ['store/failed', message, 'see whether this process may read and write the file and its folder'];
}

function getErrorCode(error: unknown): string {
  return String((error as { code?: unknown } | undefined)?.code ?? '');
}
