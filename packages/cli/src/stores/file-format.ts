import { writeJson } from '@tenon/base/writers';
import type { JsonObject } from 'tenon';

/** Member with the format version of a file that only this command writes. Files of 0.1.0 have none: their format is 1. */
const FORMAT = '$format';
const FILE_FORMAT = 1;

/** Returns the text of a file with its format version. */
export const formatFile = (value: JsonObject): string => writeJson({ ...value, [FORMAT]: FILE_FORMAT });

/** Parses a file. Returns `undefined` for a format that this release cannot read, which must stay as it is. */
export function parseFile(text: string): JsonObject | undefined {
  const { [FORMAT]: format = FILE_FORMAT, ...value }: JsonObject = JSON.parse(text);
  return format === FILE_FORMAT ? value : undefined;
}
