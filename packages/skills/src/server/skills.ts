import {
  checkBoolean,
  checkCacheHints,
  checkEither,
  checkFunction,
  checkObject,
  checkOptional,
  checkRecord,
  checkString,
  checkWhole,
  decodeBase64Url,
  describeMismatch,
  encodeBase64Url,
  findJsonLoss,
  INVALID_PARAMS,
  isObject,
  JSON_VALUES,
  type JsonObject,
  type OptionChecks,
  requireArgument,
  requireOptions,
  requirePresentOptions,
  requireResult,
  rpcError,
} from '@tenon/base';
import { resource, type ServerExtension, TenonError } from 'tenon';
import { stringify } from 'yaml';
import { SKILL_FILE, SKILLS_EXTENSION } from '../format/skills-protocol.js';
import { readSkillFields } from './define-skill.js';
import { listDirectories } from './directories.js';
import { readFolder } from './read-folder.js';
import { checkContent, createSkill, type FileSource, findSkills, type ServedSkill } from './served-skill.js';

/** A skill as a value. */
export interface SkillDefinition {
  /** Name: 1 to 64 of a-z, 0-9, and single hyphens inside. */
  readonly name: string;
  /** Tells the model when to use the skill. At most 1,024 characters. */
  readonly description: string;
  /** Further fields of `SKILL.md`, such as `license`. */
  readonly frontmatter?: JsonObject | undefined;
  /** Markdown text of `SKILL.md`, or a function that creates it for each read. */
  readonly instructions: string | (() => string | Promise<string>);
  /** Further files by path. A function creates the content for each read, and clients cannot verify the skill then. */
  readonly files?: { readonly [path: string]: FileSource } | undefined;
  /**
   * Lists the skill. Otherwise clients reach it only by its URI.
   * @default `true`
   */
  readonly listed?: boolean | undefined;
}

/**
 * Skills: path of a folder, files by path (such as a bundler creates them), or values. In a folder, each subfolder with a
 * `SKILL.md` is a skill.
 */
export type SkillSource = string | { readonly [path: string]: string | Uint8Array } | readonly SkillDefinition[];

/** Options of `skills`. */
export interface SkillsOptions {
  /**
   * First segments of the URIs, such as `acme/billing`.
   * @default none
   */
  readonly prefix?: string | undefined;
  /**
   * Lets clients list the folders of skills.
   * @default `true`
   */
  readonly directoryRead?: boolean | undefined;
  /**
   * Cache hints of lists and entries: lifetime in milliseconds, and scope.
   * @default 0 ms, private
   */
  readonly cache?:
    | { readonly ttlMs?: number | undefined; readonly cacheScope?: 'public' | 'private' | undefined }
    | undefined;
  /**
   * Number of entries per page of a list, from 1 to 10,000.
   * @default 100
   */
  readonly pageSize?: number | undefined;
}

const optionChecks: OptionChecks<SkillsOptions> = {
  prefix: checkOptional(prefix =>
    // The path of a URI has no such segments: parsers remove them, with the segment before them.
    typeof prefix === 'string' && !prefix.split('/').some(segment => /^\.{1,2}$/.test(segment))
      ? undefined
      : describeMismatch(
          'a text such as acme/billing',
          prefix,
          typeof prefix === 'string' ? 'a relative path' : undefined,
        ),
  ),
  directoryRead: checkOptional(checkBoolean),
  cache: checkOptional(checkCacheHints),
  pageSize: checkOptional(checkWhole('a whole number from 1 to 10,000', 1, 10_000)),
};

/**
 * Serves skills: instructions with files that a host loads when it needs them. The files are read once, when the server
 * is created. A server without skills does not declare the extension.
 *
 * @throws TenonError `skill/definition` with the file and the line, if a skill is not valid. `options/invalid` for invalid
 * options.
 * @see https://github.com/modelcontextprotocol/ext-skills
 */
export function skills(source: SkillSource, options: SkillsOptions = {}): ServerExtension {
  requirePresentOptions('skills', options, optionChecks);
  const { prefix = '', directoryRead = true, pageSize = 100 } = options;
  const cache = { ttlMs: options.cache?.ttlMs ?? 0, cacheScope: options.cache?.cacheScope ?? 'private' };
  const served = createSkills(source, prefix);
  requireUniqueUris(served);
  const byUri = new Map(served.map(skill => [skill.uri, skill]));
  const listed = served.filter(skill => skill.isListed);
  const directories = listDirectories(served);
  const methods = {
    'skills/list': ({ cursor }: JsonObject) => {
      const { page, nextCursor } = takePage(listed, cursor, pageSize);
      return { skills: page.map(({ entry }) => entry), ...nextCursor, ...cache };
    },
    'skills/get': ({ uri }: JsonObject) => {
      const skill = typeof uri === 'string' ? byUri.get(uri) : undefined;
      if (skill === undefined) throw rpcError(INVALID_PARAMS, 'Invalid params: unknown skill', { uri });
      return { skill: skill.entry, ...cache };
    },
    ...(directoryRead
      ? {
          'resources/directory/read': ({ uri, cursor }: JsonObject) => {
            const children = typeof uri === 'string' ? directories.get(uri.replace(/\/$/, '')) : undefined;
            if (children === undefined) throw rpcError(INVALID_PARAMS, 'Invalid params: no folder of skills', { uri });
            const { page, nextCursor } = takePage(children, cursor, pageSize);
            return { resources: page, ...nextCursor, ...cache };
          },
        }
      : {}),
  };
  return {
    id: SKILLS_EXTENSION,
    settings: directoryRead ? { directoryRead } : {},
    // Clients of earlier versions read the files as resources.
    isDeclaredOn: ({ opening }) => opening === 'per-request' && served.length > 0,
    resources: served.length === 0 ? {} : createResources(served),
    methods: Object.fromEntries(Object.entries(methods).map(([name, run]) => [name, { run }])),
  };
}

/** Returns the listed `SKILL.md` files, and a template for all other files, which clients find in the entries. */
function createResources(served: readonly ServedSkill[]): NonNullable<ServerExtension['resources']> {
  const files = new Map(served.flatMap(skill => skill.files.map(file => [file.uri, file] as const)));
  const read = ({ uri }: { readonly uri: string }) => files.get(uri)?.read();
  const listed = served
    .filter(skill => skill.isListed)
    .map(({ uri, name, description }) => {
      const { mimeType, size } = files.get(uri) ?? {};
      return [uri, resource({ name, description, mimeType, size, read })] as const;
    });
  const others = resource({ name: 'files of skills', description: 'Files that the entries of skills list', read });
  return { ...Object.fromEntries(listed), 'skill://{+path}': others };
}

function createSkills(source: SkillSource, prefix: string): ServedSkill[] {
  if (typeof source === 'string') return findSkills(readFolder(source), source.replace(/\/+$/, ''), prefix);
  if (Array.isArray(source))
    return source.map((definition: SkillDefinition) => createFromDefinition(definition, prefix));
  if (!isObject(source) || source instanceof URL || source instanceof Map)
    throw new TenonError('skill/definition', 'skills: invalid source', {
      expected: 'the path of a folder as a text, files by path, or a list of skills',
    });
  requireArgument('`source` of skills', source, checkRecord(checkContent), 'skill/definition');
  const files = Object.entries(source).map(
    ([path, content]) => [path.replace(/^(?:\.{0,2}\/)+/, ''), content] as const,
  );
  const parent = findCommonFolder(files.map(([path]) => path));
  return findSkills(
    new Map(files.map(([path, content]) => [path.slice(parent.length), content as string])),
    parent.slice(0, -1) || '.',
    prefix,
  );
}

/** Returns the folder above all skills, with its slash. Bundlers name files from the folder of the importing module. */
function findCommonFolder(paths: readonly string[]): string {
  const roots = paths.filter(path => path.endsWith(`/${SKILL_FILE}`)).map(path => path.split('/').slice(0, -2));
  const [first = []] = roots;
  const length = first.findIndex((segment, index) => roots.some(root => root[index] !== segment));
  const common = length === -1 ? first : first.slice(0, length);
  return common.map(segment => `${segment}/`).join('');
}

const definitionChecks: OptionChecks<SkillDefinition> = {
  name: checkString,
  description: checkString,
  frontmatter: checkOptional(checkObject()),
  instructions: checkEither(checkFunction, checkString),
  files: checkOptional(checkRecord(checkEither(checkFunction, checkContent))),
  listed: checkOptional(checkBoolean),
};

function createFromDefinition(definition: SkillDefinition, prefix: string): ServedSkill {
  requireOptions('a skill', definition, definitionChecks, 'skill/definition');
  const { name, description, frontmatter = {}, instructions, files = {}, listed = true } = definition;
  const at = `skill "${name}"`;
  const repeated = ['name', 'description'].find(field => Object.hasOwn(frontmatter, field));
  if (repeated !== undefined)
    throw new TenonError('skill/definition', `${at}: \`frontmatter\` contains the field \`${repeated}\``, {
      hint: `remove it, because the skill has its own \`${repeated}\``,
    });
  const loss = findJsonLoss(frontmatter, true);
  if (loss)
    throw new TenonError('skill/definition', `${at}: \`frontmatter\` cannot be serialized as JSON`, {
      expected: JSON_VALUES,
      received: `${loss.kind} at ${loss.path}`,
    });
  // An alias, which a repeated object would be written as, cannot be read.
  const fields = stringify({ name, description, ...frontmatter }, { aliasDuplicateObjects: false });
  const header = `---\n${fields}---\n\n`;
  const create = async () => {
    const text = typeof instructions === 'function' ? await instructions() : instructions;
    requireResult(`the result of \`instructions\` of ${at}`, text, checkString, 'skill/definition');
    return header + text;
  };
  const source: FileSource = typeof instructions === 'function' ? create : header + instructions;
  for (const path of Object.keys(files))
    if (path === SKILL_FILE || /(?:^|\/)\.{0,2}(?:\/|$)|\\/.test(path))
      throw new TenonError('skill/definition', `${at}: invalid path "${path}"`, {
        expected: 'a path inside the folder of the skill, such as references/forms.md',
      });
  const sources = new Map<string, FileSource>([[SKILL_FILE, source], ...Object.entries(files)]);
  return createSkill(readSkillFields(header, at), [prefix], sources, { at, isListed: listed });
}

function requireUniqueUris(served: readonly ServedSkill[]): void {
  const uris = new Set<string>();
  for (const { uri } of served) {
    if (uris.has(uri))
      throw new TenonError('skill/definition', `skills: two skills have the URI ${uri}`, {
        hint: 'rename one of them',
      });
    uris.add(uri);
  }
}

/** Takes a page of a list. A cursor is the number of the first entry, encoded. */
function takePage<T>(
  all: readonly T[],
  cursor: unknown,
  size: number,
): { readonly page: readonly T[]; readonly nextCursor: { readonly nextCursor?: string } } {
  const start = cursor === undefined ? 0 : parseCursor(cursor);
  if (start === undefined || (start > 0 && start >= all.length))
    throw rpcError(INVALID_PARAMS, 'Invalid params: unknown cursor. List again without a cursor');
  const end = start + size;
  const nextCursor = end < all.length ? { nextCursor: encodeBase64Url(new TextEncoder().encode(`skill ${end}`)) } : {};
  return { page: all.slice(start, end), nextCursor };
}

function parseCursor(cursor: unknown): number | undefined {
  try {
    const [, start] = /^skill (\d+)$/.exec(new TextDecoder().decode(decodeBase64Url(String(cursor)))) ?? [];
    return start === undefined ? undefined : Number(start);
  } catch {
    return undefined;
  }
}
