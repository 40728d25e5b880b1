import { isObject, type JsonObject } from '../json/json-object.js';
import { FIRST_FORMAT, findRecordKind } from './record-kinds.js';
import { createUnknownFormatLog, type UnknownFormatLog } from './unknown-formats.js';

/** Member of a stored record or message with its format version. */
const FORMAT = '$format';

/** Adds the format version of its kind to a record. `key` is its key, or its kind. */
export const encodeRecord = (key: string, value: JsonObject): JsonObject =>
  addFormat(value, findRecordKind(key).format);

/**
 * Removes the format version of a record.
 * @throws TenonError `store/unknown-format` for a format that this release cannot read.
 */
export function decodeRecord(
  key: string,
  record: JsonObject,
  log: UnknownFormatLog = createUnknownFormatLog(),
): JsonObject {
  const [format, value] = splitFormat(record);
  if (format !== findRecordKind(key).format) throw log.note(key, String(format));
  return value;
}

/** Adds a format version. */
export function addFormat(value: JsonObject, format: number): JsonObject {
  // The store refuses everything else.
  return isObject(value) && !('toJSON' in value) ? { ...value, [FORMAT]: format } : value;
}

/** Removes the format version. */
export function splitFormat(value: JsonObject): readonly [format: unknown, rest: JsonObject] {
  if (!Object.hasOwn(value, FORMAT)) return [FIRST_FORMAT, value];
  const { [FORMAT]: format, ...rest } = value;
  return [format, rest];
}
