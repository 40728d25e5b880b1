import { isUtf8 } from 'node:buffer';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

/** A source file of a project. */
export interface ProjectSource {
  /** Path relative to the project, with `/`. */
  readonly file: string;
  readonly text: string;
}

const SOURCE = /(?<!\.d)\.[mc]?[jt]sx?$/;
/** Folders that never contain sources of the project. */
const SKIPPED = new Set(['node_modules', 'bower_components', 'coverage', 'vendor']);
/** Folders of compilers and bundlers. They count only if no other file imports the SDK. */
const OUTPUT = /^(?:dist|build|out|lib|esm|cjs|output)\//;
const MAX_FILES = 20_000;
const MAX_FILE_SIZE = 2_000_000;

const IMPORTS_SDK = /['"]@modelcontextprotocol\/(?:sdk|server|client|core|node|express|hono|fastify)(?:\/[^'"]*)?['"]/;
/** Calls of a server that a file gets from another file. */
const USES_SERVER =
  /\.(?:registerTool|registerPrompt|registerResource|tool|prompt|resource|setRequestHandler|sendToolListChanged|sendResourceListChanged|sendPromptListChanged|sendLoggingMessage|sendNotification|connect)\b|\bZodError\b|\brecord\(|zod-to-json-schema/;

/** The constructor of `McpServer`, which a bundle contains. */
const CONTAINS_SDK = /\b_registeredTools\s*=\s*\{\s*\}/;

/** Files of a project that a migration may change. */
export interface ProjectSources {
  readonly sources: readonly ProjectSource[];
  /** Files that contain the SDK itself. Changes of the SDK have no use. */
  readonly bundles: readonly string[];
  /** Files that use the SDK and are not UTF-8. To write them would change their other characters. */
  readonly undecodable: readonly string[];
  /** Folders of compiled code that import the SDK and were left out, because sources exist. */
  readonly skippedFolders: readonly string[];
}

/** Reads the files that use the SDK. Symbolic links are not followed, so that no file outside the project is changed. */
export async function readProjectSources(project: string): Promise<ProjectSources> {
  const all: ProjectSource[] = [];
  const bundles: string[] = [];
  const undecodable: string[] = [];
  for await (const path of listFiles(project)) {
    if (all.length >= MAX_FILES) break;
    if (!SOURCE.test(path)) continue;
    const { size } = await lstat(path);
    if (size > MAX_FILE_SIZE) continue;
    const bytes = await readFile(path);
    const text = bytes.toString();
    const file = relative(project, path).split(sep).join('/');
    if (CONTAINS_SDK.test(text)) bundles.push(file);
    else if (!IMPORTS_SDK.test(text) && !USES_SERVER.test(text)) continue;
    else if (isUtf8(bytes)) all.push({ file, text });
    else if (IMPORTS_SDK.test(text)) undecodable.push(file);
  }
  const importing = all.filter(({ text }) => IMPORTS_SDK.test(text));
  if (importing.length === 0) return { sources: [], bundles, undecodable, skippedFolders: [] };
  const hasSources = importing.some(({ file }) => !OUTPUT.test(file));
  const sources = all.filter(({ file }) => !hasSources || !OUTPUT.test(file));
  const skipped = importing.filter(each => !sources.includes(each)).map(({ file }) => file.split('/')[0] ?? '');
  return { sources, bundles, undecodable, skippedFolders: [...new Set(skipped)] };
}

async function* listFiles(folder: string): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isFile()) yield path;
    else if (entry.isDirectory() && !SKIPPED.has(entry.name) && !entry.name.startsWith('.')) yield* listFiles(path);
  }
}
