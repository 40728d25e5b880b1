import { writeFile } from 'node:fs/promises';
import { basename, extname, join, resolve } from 'node:path';
import { createFolder } from '@tenon/base/node';
import type { ContentBlock, ResourceContents } from 'tenon';
import { decodeContent } from './decode-content.js';

/** File of one content block. */
export interface SavedFile {
  readonly path: string;
  readonly mimeType?: string | undefined;
  readonly bytes: number;
}

interface Savable {
  /** Name from the URI of a resource. */
  readonly name: string | undefined;
  readonly mimeType: string | undefined;
  readonly data: Buffer;
}

/** File extensions by media type. Other types are saved as `.bin`, and texts as `.txt`. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/gif': '.gif',
  'image/webp': '.webp',
  'image/svg+xml': '.svg',
  'audio/wav': '.wav',
  'audio/mpeg': '.mp3',
  'audio/ogg': '.ogg',
  'application/pdf': '.pdf',
  'application/json': '.json',
  'application/gzip': '.gz',
  'text/html': '.html',
  'text/markdown': '.md',
  'text/csv': '.csv',
};
const MAX_NAME = 80;
/** Maximum number of files of the same name in a folder. */
const MAX_COPIES = 1000;

/**
 * Saves images, audio and embedded resources of a result. Several files without a name of their own get numbers. Does
 * not overwrite existing files: the new file gets a number.
 */
export async function saveContent(
  folder: string,
  name: string,
  blocks: readonly ContentBlock[],
  cwd: string,
): Promise<SavedFile[]> {
  const items = blocks.flatMap(toSavable);
  return saveAll(resolve(cwd, folder), items, name);
}

/** Saves the contents of resources. */
export async function saveResources(
  folder: string,
  contents: readonly ResourceContents[],
  cwd: string,
): Promise<SavedFile[]> {
  return saveAll(resolve(cwd, folder), contents.map(fromResource), 'resource');
}

async function saveAll(folder: string, items: readonly Savable[], fallback: string): Promise<SavedFile[]> {
  if (items.length > 0) await createFolder(folder);
  const saved: SavedFile[] = [];
  for (const [index, item] of items.entries()) {
    const name = item.name ?? (items.length === 1 ? fallback : `${fallback}-${index + 1}`);
    const path = await writeUnique(folder, createFileName(name, item.mimeType), item.data);
    saved.push({ path, mimeType: item.mimeType, bytes: item.data.length });
  }
  return saved;
}

function toSavable(block: ContentBlock): Savable[] {
  switch (block.type) {
    case 'image':
    case 'audio':
      return [{ name: undefined, mimeType: block.mimeType, data: decodeContent(block.data, block.type) }];
    case 'resource':
      return [fromResource(block.resource)];
    default:
      return [];
  }
}

function fromResource(resource: ResourceContents): Savable {
  const { uri, mimeType } = resource;
  const data = 'blob' in resource ? decodeContent(resource.blob, uri) : Buffer.from(resource.text, 'utf8');
  const last = uri.split(/[?#]/)[0]?.split('/').findLast(Boolean);
  return { name: last, mimeType: mimeType ?? ('text' in resource ? 'text/plain' : undefined), data };
}

/** Creates the name of a file. A name from the server must not leave the folder, and must not be hidden. */
function createFileName(name: string, mimeType: string | undefined): string {
  const safe = basename(name)
    .replace(/[^\w.-]+/g, '_')
    .replace(/^\.+/, '_')
    .slice(0, MAX_NAME);
  if (extname(safe) !== '') return safe;
  const type = mimeType?.split(';')[0] ?? '';
  return `${safe || 'content'}${EXTENSIONS[type] ?? (type.startsWith('text/') ? '.txt' : '.bin')}`;
}

async function writeUnique(folder: string, name: string, data: Buffer): Promise<string> {
  const extension = extname(name);
  const stem = name.slice(0, name.length - extension.length);
  for (let copy = 1; ; copy += 1) {
    const path = join(folder, copy === 1 ? name : `${stem}-${copy}${extension}`);
    try {
      await writeFile(path, data, { flag: 'wx' });
      return path;
    } catch (error) {
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EEXIST';
      if (!isTaken || copy >= MAX_COPIES) throw error;
    }
  }
}
