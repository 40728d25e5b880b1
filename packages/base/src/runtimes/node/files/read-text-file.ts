import { type FileHandle, readFile } from 'node:fs/promises';

/**
 * Reads a file of UTF-8 text without the byte order mark that some editors write at its beginning.
 *
 * @throws The error of the system.
 */
export async function readTextFile(file: string | FileHandle): Promise<string> {
  // Unlike `toString`, the decoder omits the mark.
  return new TextDecoder().decode(await readFile(file));
}
