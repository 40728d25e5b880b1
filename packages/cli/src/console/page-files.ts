import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TenonError } from 'tenon';

/** The built page: beside the parts of the bundled command, or in the `dist` of the package. */
const FOLDER = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../dist/console/' : '../console/', import.meta.url),
);

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** A file of the page. */
export interface PageFile {
  readonly type: string;
  readonly content: Buffer;
  /** True if the name contains the digest of the content. */
  readonly isImmutable: boolean;
}

/** Reads the files of the page. Only these are served, so no path of a request reaches the file system. */
export async function readPageFiles(folder = FOLDER): Promise<ReadonlyMap<string, PageFile>> {
  if (!existsSync(join(folder, 'index.html')))
    throw new TenonError('console/no-page', `the page of the console is not in ${folder}`, {
      hint: 'install @tenon/cli again, or run `npm run build` in a checkout',
    });
  const names = await readdir(folder, { recursive: true });
  const files = names.map(async name => {
    const type = TYPES[extname(name)];
    if (type === undefined) return [];
    const path = `/${name.replaceAll('\\', '/')}`;
    const content = await readFile(join(folder, name));
    return [[path, { type, content, isImmutable: path.startsWith('/assets/') }] as const];
  });
  return new Map((await Promise.all(files)).flat());
}
