import { type Check, describeMismatch, encodeBase64, type JsonObject, requireResult } from '@tenon/base';
import { type ResourceContents, TenonError } from 'tenon';
import { computeDigest, decodeUtf8 } from '../format/file-content.js';
import { MAX_FILES, MAX_SIZE, SKILL_FILE } from '../format/skills-protocol.js';
import { readSkillFields, type SkillFields } from './define-skill.js';
import type { Files } from './read-folder.js';

/** Content of a file, or a function that creates it for each read. */
export type FileSource = string | Uint8Array | (() => string | Uint8Array | Promise<string | Uint8Array>);

/** Checks the content of a file. */
export const checkContent: Check = value =>
  typeof value === 'string' || value instanceof Uint8Array
    ? undefined
    : describeMismatch('a string or a Uint8Array', value);

/** A file that the server serves. */
export interface ServedFile {
  readonly uri: string;
  readonly mimeType: string;
  /** Size in bytes. `undefined` for generated content. */
  readonly size: number | undefined;
  read(): Promise<ResourceContents>;
}

/** A skill that the server serves. */
export interface ServedSkill extends SkillFields {
  readonly uri: string;
  readonly isListed: boolean;
  readonly files: readonly ServedFile[];
  /** The skill in `skills/list` and `skills/get`. */
  readonly entry: JsonObject;
}

const MIME_TYPES: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  txt: 'text/plain',
  csv: 'text/csv',
  html: 'text/html',
  css: 'text/css',
  js: 'text/javascript',
  mjs: 'text/javascript',
  ts: 'text/x-typescript',
  py: 'text/x-python',
  sh: 'application/x-sh',
  json: 'application/json',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  xml: 'application/xml',
  pdf: 'application/pdf',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

/** Matches the name of a skill's file in another case. Hosts look for the exact one. */
const MISNAMED = /(?:^|\/)skill\.md$/i;

/**
 * Finds the skills in files: each folder with a `SKILL.md` that is in no other skill. The folders above it are part of
 * its URI.
 *
 * @param place Path of the files, for errors.
 * @param prefix First segments of the URIs.
 */
export function findSkills(files: Files, place: string, prefix: string): ServedSkill[] {
  const roots = [...files.keys()]
    .filter(path => path === SKILL_FILE || path.endsWith(`/${SKILL_FILE}`))
    .map(path => path.slice(0, -SKILL_FILE.length))
    .sort((a, b) => (a < b ? -1 : 1));
  const misnamed = [...files.keys()].find(path => MISNAMED.test(path) && !roots.some(root => path.startsWith(root)));
  if (misnamed !== undefined)
    throw new TenonError('skill/definition', `${place}/${misnamed}: the file has another name than ${SKILL_FILE}`, {
      hint: `rename it to ${SKILL_FILE}`,
    });
  const byRoot = groupByRoot(files, new Set(roots));
  return [...byRoot].map(([root, sources]) => {
    const at = `${place}/${root}${SKILL_FILE}`;
    const text = toText(files.get(root + SKILL_FILE), at);
    const fields = readSkillFields(text, at);
    const segments = root.split('/').slice(0, -1);
    const folder = segments.at(-1);
    if (folder !== undefined && folder !== fields.name)
      throw new TenonError(
        'skill/definition',
        `${at}: the name "${fields.name}" is not that of the folder "${folder}"`,
        {
          hint: 'rename the folder, or change the name',
        },
      );
    return createSkill(fields, [prefix, ...segments.slice(0, -1)], sources, { at, isListed: true });
  });
}

/** Groups files by the outermost folder with a `SKILL.md`, in the order of these folders. Other files are left out. */
function groupByRoot(files: Files, roots: ReadonlySet<string>): Map<string, Map<string, FileSource>> {
  const byRoot = new Map<string, Map<string, FileSource>>([...roots].map(root => [root, new Map()]));
  for (const [path, content] of files) {
    let end = 0;
    while (end !== -1 && !roots.has(path.slice(0, end))) end = path.indexOf('/', end) + 1 || -1;
    if (end !== -1) byRoot.get(path.slice(0, end))?.set(path.slice(end), content);
  }
  for (const [root, sources] of byRoot) if (sources.size === 0) byRoot.delete(root);
  return byRoot;
}

function toText(content: string | Uint8Array | undefined, place: string): string {
  const text = typeof content === 'string' ? content : content && decodeUtf8(content);
  if (text !== undefined) return text;
  throw new TenonError('skill/definition', `${place}: the file is not UTF-8`);
}

/** Creates a skill from the files in its folder. The digests are computed when the entry is needed for the first time. */
export function createSkill(
  fields: SkillFields,
  parents: readonly string[],
  sources: ReadonlyMap<string, FileSource>,
  { at, isListed }: { readonly at: string; readonly isListed: boolean },
): ServedSkill {
  const segments = parents.flatMap(each => each.split('/')).filter(each => each !== '');
  const unwritable = [...segments, ...sources.keys()].find(each => /\p{Surrogate}/u.test(each));
  if (unwritable !== undefined)
    throw new TenonError('skill/definition', `${at}: invalid path "${unwritable}"`, {
      expected: 'a path that a URI can contain: without half of a surrogate pair',
    });
  const path = [...segments, fields.name].map(encodeURIComponent).join('/');
  const folder = `skill://${path}/`;
  const uri = folder + SKILL_FILE;
  const isGenerated = [...sources.values()].some(source => typeof source === 'function');
  const files = [...sources].map(([name, source]) =>
    createFile(folder + name.split('/').map(encodeURIComponent).join('/'), source),
  );
  const total = files.reduce((sum, { size = 0 }) => sum + size, 0);
  if (files.length > MAX_FILES || total > MAX_SIZE)
    throw new TenonError('skill/definition', `${at}: the skill is too large`, {
      expected: `at most ${MAX_FILES} files and ${MAX_SIZE / 1024 ** 2} MiB`,
      received: `${files.length} files and ${total} bytes`,
    });
  let resources: 'dynamic' | readonly object[] | undefined = isGenerated ? 'dynamic' : undefined;
  return {
    ...fields,
    uri,
    isListed,
    files,
    get entry() {
      resources ??= files.map(file => ({ uri: file.uri, digest: file.digest?.(), size: file.size }));
      return { uri, frontmatter: fields.frontmatter, resources };
    },
  };
}

function createFile(uri: string, source: FileSource): ServedFile & { readonly digest?: () => string } {
  const extension = /\.([a-z\d]+)$/i.exec(uri)?.[1]?.toLowerCase();
  if (typeof source === 'function') {
    const mimeType = MIME_TYPES[extension ?? ''] ?? 'text/plain';
    const read = async () => {
      const content = await source();
      requireResult(`the result of the function for ${uri}`, content, checkContent, 'skill/definition');
      return toContents(uri, mimeType, content);
    };
    return { uri, mimeType, size: undefined, read };
  }
  const bytes = typeof source === 'string' ? new TextEncoder().encode(source) : source;
  const isText = typeof source === 'string' || decodeUtf8(source) !== undefined;
  const mimeType = MIME_TYPES[extension ?? ''] ?? (isText ? 'text/plain' : 'application/octet-stream');
  return {
    uri,
    mimeType,
    size: bytes.length,
    digest: () => computeDigest(bytes),
    read: async () => toContents(uri, mimeType, source),
  };
}

function toContents(uri: string, mimeType: string, content: string | Uint8Array): ResourceContents {
  const text = typeof content === 'string' ? content : decodeUtf8(content);
  return text === undefined ? { uri, mimeType, blob: encodeBase64(content as Uint8Array) } : { uri, mimeType, text };
}
