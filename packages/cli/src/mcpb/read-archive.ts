import { TenonError } from 'tenon';
import { type Entry, fromBuffer, type ZipFile } from 'yauzl';

/** File of an archive. */
export interface ArchiveFile {
  readonly path: string;
  readonly bytes: Buffer;
  readonly executable: boolean;
}

/** Limits of an archive. */
export interface ArchiveLimits {
  /** Maximum number of entries, with folders. */
  readonly maxEntries: number;
  /** Maximum size of all unpacked files, in bytes. */
  readonly maxBytes: number;
  /** Maximum size of an unpacked file, as a multiple of its compressed size. Small files have no maximum. */
  readonly maxRatio: number;
}

export const ARCHIVE_LIMITS: ArchiveLimits = { maxEntries: 50_000, maxBytes: 2 ** 30, maxRatio: 200 };
/** Size up to which the ratio of compression is not limited, in bytes. */
const MIN_RATIO_BYTES = 2 ** 20;
/** Longest path of a file, in characters. */
const MAX_PATH = 1000;
const FILE_TYPE = 0o170000;
const SYMLINK = 0o120000;
const REGULAR = 0o100000;
const FOLDER = 0o040000;
/** Characters that Windows forbids in names, and control characters. */
const FORBIDDEN = /[\u0000-\u001f\u007f\\:*?"<>|]/;
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * Reads the files of a zip archive. Refuses names that leave the folder, absolute names, symbolic links, duplicate
 * names, encrypted files, and archives above the limits.
 */
export async function* readArchive(
  bytes: Buffer,
  label: string,
  limits: ArchiveLimits = ARCHIVE_LIMITS,
): AsyncGenerator<ArchiveFile> {
  const zip = await openArchive(bytes, label);
  const refuse = (issue: string): TenonError =>
    new TenonError('mcpb/archive', `${label}: ${issue}`, { hint: 'do not run this bundle; report to its author' });
  if (zip.entryCount > limits.maxEntries) throw refuse(`more than ${limits.maxEntries} entries`);
  const names = new Set<string>();
  let total = 0;
  for await (const entry of listEntries(zip, label)) {
    const issue = findIssue(entry, names) ?? findSizeIssue(entry, limits);
    if (issue !== undefined) throw refuse(`${issue}: ${JSON.stringify(entry.fileName.slice(0, 200))}`);
    total += entry.uncompressedSize;
    if (total > limits.maxBytes) throw refuse(`the files have more than ${limits.maxBytes} bytes`);
    if (entry.fileName.endsWith('/')) continue;
    const content = await readEntry(zip, entry).catch(error => {
      throw refuse(`a file cannot be unpacked: ${error instanceof Error ? error.message : error}`);
    });
    yield { path: entry.fileName, bytes: content, executable: (readMode(entry) & 0o111) !== 0 };
  }
}

function openArchive(bytes: Buffer, label: string): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    fromBuffer(bytes, { lazyEntries: true, strictFileNames: true }, (error, zip) => {
      if (zip) resolve(zip);
      else reject(createArchiveError(label, error));
    });
  });
}

function createArchiveError(label: string, error: unknown): TenonError {
  const reason = error instanceof Error ? error.message : 'unknown error';
  return new TenonError('mcpb/archive', `${label}: invalid archive: ${reason}`, {
    expected: 'a zip archive with relative names',
    hint: 'use another copy of the bundle, or report to its author',
  });
}

async function* listEntries(zip: ZipFile, label: string): AsyncGenerator<Entry> {
  for (;;) {
    const entry = await new Promise<Entry | undefined>((resolve, reject) => {
      zip.removeAllListeners();
      zip.once('entry', resolve);
      zip.once('end', () => resolve(undefined));
      zip.once('error', error => reject(createArchiveError(label, error)));
      zip.readEntry();
    });
    if (entry === undefined) return;
    yield entry;
  }
}

const readMode = ({ externalFileAttributes }: Entry): number => externalFileAttributes >>> 16;

function findIssue(entry: Entry, names: Set<string>): string | undefined {
  const { fileName } = entry;
  const path = fileName.replace(/\/$/, '');
  const parts = path.split('/');
  const type = readMode(entry) & FILE_TYPE;
  if (type === SYMLINK) return 'a symbolic link';
  if (type !== 0 && type !== REGULAR && type !== FOLDER) return 'a special file';
  if (entry.isEncrypted()) return 'an encrypted file';
  if (path.length > MAX_PATH) return 'a path that is too long';
  if (FORBIDDEN.test(path)) return 'an invalid name';
  if (parts.some(part => part === '' || part === '.' || part === '..')) return 'a name outside of the folder';
  if (parts.some(part => WINDOWS_DEVICE.test(part) || /[. ]$/.test(part))) return 'a name that Windows forbids';
  // Names that differ only in case or composition are one file on macOS and Windows.
  const key = path.normalize('NFC').toLowerCase();
  if (names.has(key)) return 'a duplicate name';
  names.add(key);
  return undefined;
}

function findSizeIssue(
  { uncompressedSize, compressedSize }: Entry,
  { maxBytes, maxRatio }: ArchiveLimits,
): string | undefined {
  if (uncompressedSize > maxBytes) return `a file of more than ${maxBytes} bytes`;
  const isBomb = uncompressedSize > MIN_RATIO_BYTES && uncompressedSize > compressedSize * maxRatio;
  return isBomb ? `a file that is compressed more than ${maxRatio} times` : undefined;
}

/** Reads a file. `yauzl` ends with an error if it has another size than the archive states. */
function readEntry(zip: ZipFile, entry: Entry): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => {
      if (!stream) return reject(error ?? new Error('no content'));
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.once('error', reject);
      stream.once('end', () => resolve(Buffer.concat(chunks)));
    });
  });
}
