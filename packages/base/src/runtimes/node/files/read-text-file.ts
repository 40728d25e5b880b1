import { type FileHandle, readFile } from 'node:fs/promises';

export interface TextFileOptions {
  /**
   * Replaces bytes that are not UTF-8. For files that end in the middle of a character if their writer was ended.
   * @default `false`
   */
  readonly lenient?: boolean;
}

/**
 * Reads a file of UTF-8 text without the byte order mark that some editors write at its beginning.
 *
 * @throws The error of the system, or one with the code `not UTF-8`.
 */
export async function readTextFile(
  file: string | FileHandle,
  { lenient = false }: TextFileOptions = {},
): Promise<string> {
  return decodeText(await readFile(file), lenient);
}

/** Decodes UTF-8 as `readTextFile` does. */
export function decodeText(bytes: Uint8Array, lenient = false): string {
  try {
    // Unlike `toString`, the decoder omits the mark.
    return new TextDecoder('utf-8', { fatal: !lenient }).decode(bytes);
  } catch (cause) {
    throw Object.assign(new Error('not UTF-8', { cause }), { code: 'not UTF-8' });
  }
}
