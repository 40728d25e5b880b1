import { TenonError } from '../errors/error.js';
import { FIRST_FORMAT, getRecordKind, RECORD_KINDS } from './record-kinds.js';
import type { UnknownFormat } from './stores.js';

/** The formats that this process found and cannot read. */
export interface UnknownFormatLog {
  /** Notes an unknown format and returns the error of its reader. `onError` gets the first error of each format. */
  note(key: string, format: string): TenonError;
  list(): readonly UnknownFormat[];
}

/** Maximum number of formats that a process remembers. */
const MAX_NOTED = 100;

export function createUnknownFormatLog(onError?: (error: TenonError) => void): UnknownFormatLog {
  const found = new Map<string, UnknownFormat>();
  return {
    note(key, format) {
      const kind = getRecordKind(key);
      const error = createUnknownFormatError(kind, format);
      const id = `${kind} ${format}`;
      if (!found.has(id) && found.size < MAX_NOTED) {
        found.set(id, { kind, format });
        onError?.(error);
      }
      return error;
    },
    list: () => [...found.values()],
  };
}

function createUnknownFormatError(kind: string, format: string): TenonError {
  return new TenonError('store/unknown-format', `the store has a record "${kind}" that this release cannot read`, {
    expected: `format ${RECORD_KINDS[kind]?.format ?? FIRST_FORMAT}`,
    received: `format ${format.slice(0, 40)}`,
    hint: 'update tenon. The record stays as it is until then',
  });
}

export function isUnknownFormat(error: unknown): boolean {
  return TenonError.is(error) && error.code === 'store/unknown-format';
}
