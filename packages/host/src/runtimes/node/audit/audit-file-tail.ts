import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { MAX_LINE } from '../../../security/audit/audit-line.js';
import type { TornLine } from '../../../security/audit/audit-sink.js';

const WINDOW = 64 * 1024;
const LINE_FEED = 10;

/** End of an audit file. */
export interface AuditFileTail {
  /** Last complete line of the file. */
  readonly last: string | undefined;
  /** Offset of the next line, in bytes. */
  readonly end: number;
  /** Incomplete line at the end of the file. */
  readonly torn: TornLine | undefined;
}

/** Reads the end of a file, and no more than necessary. */
export async function readTail(file: FileHandle): Promise<AuditFileTail> {
  const { size } = await file.stat();
  const end = (await findLastLineFeed(file, size)) + 1;
  const torn = end === size ? undefined : { bytes: size - end, digest: await computeDigest(file, end) };
  if (end === 0) return { last: undefined, end, torn };
  const start = (await findLastLineFeed(file, end - 1)) + 1;
  // A line that is too long for an event is invalid, and its beginning is enough to show that.
  const line = await readBytes(file, start, Math.min(end - 1, start + MAX_LINE + 1));
  return { last: line.toString('latin1'), end, torn };
}

/** Returns the first line of a file, or `undefined` if there is no complete one. */
export async function readFirstLine(file: FileHandle): Promise<string | undefined> {
  const bytes = await readBytes(file, 0, MAX_LINE + 1);
  const end = bytes.indexOf(LINE_FEED);
  return end < 0 ? undefined : bytes.subarray(0, end).toString('latin1');
}

async function findLastLineFeed(file: FileHandle, before: number): Promise<number> {
  for (let to = before; to > 0; to -= WINDOW) {
    const from = Math.max(0, to - WINDOW);
    const index = (await readBytes(file, from, to)).lastIndexOf(LINE_FEED);
    if (index >= 0) return from + index;
  }
  return -1;
}

async function readBytes(file: FileHandle, from: number, to: number): Promise<Buffer> {
  const buffer = Buffer.alloc(to - from);
  let filled = 0;
  while (filled < buffer.length) {
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, from + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
}

async function computeDigest(file: FileHandle, start: number): Promise<string> {
  const hash = createHash('sha256');
  const bytes = file.createReadStream({ start, autoClose: false });
  for await (const chunk of bytes) hash.update(chunk as Buffer);
  return `sha256-${hash.digest('base64url')}`;
}
