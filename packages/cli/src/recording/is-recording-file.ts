import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { extname } from 'node:path';

const EXTENSIONS = ['.ndjson', '.jsonl'];
/** Bytes that are read of a file without a known extension. */
const HEAD_BYTES = 4096;
/** Beginning of a recording: a JSON-RPC message on one line, with the members that every recording has. */
const RECORDING_LINE = /^\uFEFF?\{[^\n]*"_meta":\{[^\n]*"dir":"(?:send|recv|lifecycle)"/;

/** Tells if a file is a recording, by its extension or its first line. */
export function isRecordingFile(path: string): boolean {
  try {
    if (!statSync(path).isFile()) return false;
    return EXTENSIONS.includes(extname(path)) || RECORDING_LINE.test(readHead(path));
  } catch {
    return false;
  }
}

function readHead(path: string): string {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(HEAD_BYTES);
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, HEAD_BYTES, 0));
  } finally {
    closeSync(file);
  }
}
