import { TenonError } from '@tenon/base';

/** Tells if another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(getErrorCode(error));
}

export function isFull(error: unknown): boolean {
  return /^SQLITE_FULL/.test(getErrorCode(error));
}

export function isReadOnlyError(error: unknown): boolean {
  return /^SQLITE_READONLY/.test(getErrorCode(error));
}

/** Converts an error of SQLite. The new error contains no keys or values. */
export function toStoreError(error: unknown, file: string): TenonError {
  if (TenonError.is(error)) return error;
  const [code, summary, hint] = classifyError(error);
  return new TenonError(code, `${file}: ${summary}`, { hint, cause: error });
}

function classifyError(error: unknown): readonly [code: string, what: string, next: string] {
  if (isBusy(error)) return ['store/busy', 'another process holds the file', 'try again, or raise `busyTimeout`'];
  if (isFull(error)) return ['store/full', 'no space left', 'free space on the disk, or raise `maxBytes`'];
  if (isReadOnlyError(error))
    return [
      'store/read-only',
      'the file is read-only',
      'allow this process to write the file and its folder, or move the file',
    ];
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(getErrorCode(error)))
    return ['store/unreadable', 'not an SQLite database, or a damaged one', 'use another file, or restore this one'];
  const message = error instanceof Error ? error.message : String(error);
  return ['store/failed', message, 'check that this process can read and write the file and its folder'];
}

function getErrorCode(error: unknown): string {
  return String((error as { code?: unknown } | undefined)?.code ?? '');
}
