import { type JsonObject, toJsonObject } from '@tenon/base';
import { TenonError } from 'tenon';
import { MAX_FILES, MAX_SIZE, SKILL_FILE, SKILL_NAME } from './skills-protocol.js';

/** Skill of a server, as `skills/list` and `skills/get` describe it. */
export interface SkillEntry {
  /** URI of its `SKILL.md`. */
  readonly uri: string;
  /** Name of the skill. Several skills may have it. */
  readonly name: string;
  /** Purpose of the skill, for the model and for people. */
  readonly description: string;
  /** Fields at the beginning of `SKILL.md`. Text of the server: it gives the skill no rights. */
  readonly frontmatter: JsonObject;
  /** Files of the skill. `undefined` if its content is generated, and cannot be verified. */
  readonly files: readonly SkillFile[] | undefined;
}

/** File of a skill, with the values that a read is verified with. */
export interface SkillFile {
  /** URI of the file, which begins with the folder of the skill. */
  readonly uri: string;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  /** Size, in bytes. Absent if the server does not list it, although the specification requires it. */
  readonly size?: number | undefined;
}

const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** Returns the URI of the folder of a skill, with its last slash. */
export const getSkillFolder = ({ uri }: Pick<SkillEntry, 'uri'>): string => uri.slice(0, -SKILL_FILE.length);

/** Parses an entry. Throws `skill/invalid` with the first issue. */
export function parseSkillEntry(value: unknown): SkillEntry {
  const { uri, frontmatter, resources } = toJsonObject(value);
  const { name, description } = toJsonObject(frontmatter);
  if (typeof uri !== 'string') throw createSkillError('an entry', 'it has no uri');
  if (typeof name !== 'string' || !SKILL_NAME.test(name)) throw createSkillError(uri, 'its name is not valid');
  if (typeof description !== 'string') throw createSkillError(uri, 'it has no description');
  if (!uri.endsWith(`/${name}/${SKILL_FILE}`))
    throw createSkillError(uri, `the URI does not end in /${name}/${SKILL_FILE}`);
  const files = resources === 'dynamic' ? undefined : parseFiles(uri, resources);
  return { uri, name, description, frontmatter: toJsonObject(frontmatter), files };
}

function parseFiles(uri: string, resources: unknown): SkillFile[] {
  if (!Array.isArray(resources)) throw createSkillError(uri, 'its resources are neither a list nor "dynamic"');
  if (resources.length > MAX_FILES) throw createSkillError(uri, `it has more than ${MAX_FILES} files`);
  const files = resources.map(each => parseFile(uri, each));
  if (new Set(files.map(file => file.uri)).size < files.length) throw createSkillError(uri, 'it lists a file twice');
  if (!files.some(file => file.uri === uri)) throw createSkillError(uri, `it does not list its ${SKILL_FILE}`);
  if (files.reduce((sum, { size = 0 }) => sum + size, 0) > MAX_SIZE)
    throw createSkillError(uri, `it is larger than ${MAX_SIZE / 1024 ** 2} MiB`);
  return files;
}

function parseFile(skill: string, value: unknown): SkillFile {
  const { uri, digest, size } = toJsonObject(value);
  const folder = getSkillFolder({ uri: skill });
  if (typeof uri !== 'string' || !uri.startsWith(folder) || leavesFolder(uri.slice(folder.length)))
    throw createSkillError(skill, 'a file is outside of its folder');
  if (typeof digest !== 'string' || !DIGEST.test(digest)) throw createSkillError(uri, 'its digest is not valid');
  // Servers with mcp-use 2.5 list no size. The digest also verifies it.
  if (size === undefined) return { uri, digest };
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0)
    throw createSkillError(uri, 'its size is not valid');
  return { uri, digest, size };
}

/** Returns a relative path without `./` at its beginning, as texts of skills refer to files. */
export const toFilePath = (path: string): string => path.replace(/^(?:\.\/)+/, '');

/** Tells if a relative path leads out of its folder. `%2e` is a dot, and `%2f` and `\` are separators to some readers. */
export function leavesFolder(path: string): boolean {
  return /(?:^|\/)\.{1,2}(?:\/|$)/.test(path.replace(/%2e/gi, '.').replace(/%2f|%5c|\\/gi, '/'));
}

/** Creates the error for a skill that is not used. */
export function createSkillError(subject: string, summary: string): TenonError {
  return new TenonError('skill/invalid', `${subject}: ${summary}`, {
    hint: 'report it to the author of the server. The skill is not used',
  });
}
