import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** One block of TypeScript on a page. */
export interface Block {
  /** Its file: what `file=` says behind the fence, `server.ts` for one that exports a server, else a number. */
  readonly file: string;
  readonly code: string;
  readonly line: number;
  /** True if the tests run it. `no-run` behind the fence excludes it, and only its types are checked. */
  readonly runs: boolean;
  /** Output that the page shows for it: the `text` block that comes next. */
  readonly prints: string | undefined;
}

/** A page for readers. */
export interface Page {
  /** Its path from the root of the repository. */
  readonly path: string;
  readonly name: string;
  readonly text: string;
  readonly blocks: readonly Block[];
  /** Other files that the page tells its reader to save, such as documents in YAML. */
  readonly data: readonly { readonly file: string; readonly code: string }[];
}

/** Folders in `docs` that are installed or generated. */
const NO_PAGES: ReadonlySet<string> = new Set(['docs/node_modules', 'docs/.vitepress', 'docs/reference/api']);

/** Every page whose code must work. */
export function pages(): Page[] {
  const readmes = readdirSync(join(root, 'packages')).map(name => `packages/${name}/README.md`);
  const paths = ['README.md', ...findPages('docs'), 'examples/README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...readmes];
  // The library has the README of the project.
  return paths.filter(path => existsSync(join(root, path))).map(read);
}

function findPages(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(entry => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return NO_PAGES.has(path) ? [] : findPages(path);
      return path.endsWith('.md') ? [path] : [];
    });
}

function read(path: string): Page {
  const text = readFileSync(join(root, path), 'utf8');
  return {
    path,
    name: path.replace(/\.md$/, '').replaceAll('/', '-'),
    text,
    blocks: blocksOf(text),
    data: dataOf(text),
  };
}

interface Fence {
  readonly language: string;
  readonly says: string;
  readonly code: string;
  readonly line: number;
}

function fencesOf(text: string): Fence[] {
  return [...text.matchAll(/^```(\w*)(.*)\n([\s\S]*?)^```$/gm)].map(match => {
    const [, language = '', says = '', code = ''] = match;
    return { language, says: says.trim(), code, line: text.slice(0, match.index).split('\n').length };
  });
}

function blocksOf(text: string): Block[] {
  const fences = fencesOf(text);
  return fences.flatMap(({ language, says, code, line }, index) => {
    if (language !== 'ts') return [];
    const next = fences[index + 1];
    const prints = next?.language === 'text' ? next.code : undefined;
    return [{ file: fileOf(says, code, index), code, line, runs: !says.split(' ').includes('no-run'), prints }];
  });
}

function dataOf(text: string): Page['data'] {
  return fencesOf(text).flatMap(({ language, says, code }) => {
    const file = /\bfile=(\S+)/.exec(says)?.[1];
    return language === 'ts' || file === undefined ? [] : [{ file, code }];
  });
}

function fileOf(says: string, code: string, index: number): string {
  const named = /\bfile=(\S+)/.exec(says)?.[1];
  return named ?? (/^export const server\b/m.test(code) ? 'server.ts' : `block-${index + 1}.ts`);
}

/** The text without its blocks of code. */
export function prose(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, '');
}

/** Where each heading can be linked to. */
export function anchorsOf(text: string): Set<string> {
  const headings = [...prose(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map(heading =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replace(/\s/g, '-'),
    ),
  );
}
