import type { JsonObject } from 'tenon';
import { TenonError } from 'tenon';
import { toJsonObject } from '../json-object.js';

/** Skill of a server, as `skills/list` and `skills/get` describe it. */
export interface SkillEntry {
  /** URI of its `SKILL.md`. */
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  /** Fields at the beginning of `SKILL.md`. */
  readonly frontmatter: JsonObject;
  /** Files of the skill. `undefined` if its content is generated, and cannot be verified. */
  readonly files: readonly SkillFile[] | undefined;
}

/** File of a skill, with the values that a read is verified with. */
export interface SkillFile {
  readonly uri: string;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  /** Size, in bytes. */
  readonly size: number;
}

/** Limits of a skill that a host must support. Larger ones are refused. */
const MAX_FILES = 512;
const MAX_SIZE = 16 * 1024 ** 2;
const NAME = /^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** Parses an entry. Throws `skill/invalid` with the first problem. */
export function parseSkillEntry(value: unknown): SkillEntry {
  const { uri, frontmatter, resources } = toJsonObject(value);
  const { name, description } = toJsonObject(frontmatter);
  if (typeof uri !== 'string') throw createSkillError('an entry', 'it has no uri');
  if (typeof name !== 'string' || !NAME.test(name)) throw createSkillError(uri, 'its name is not valid');
  if (typeof description !== 'string') throw createSkillError(uri, 'it has no description');
  if (!uri.endsWith(`/${name}/SKILL.md`)) throw createSkillError(uri, `the URI does not end in /${name}/SKILL.md`);
  const files = resources === 'dynamic' ? undefined : parseFiles(uri, resources);
  return { uri, name, description, frontmatter: toJsonObject(frontmatter), files };
}

function parseFiles(uri: string, resources: unknown): SkillFile[] {
  if (!Array.isArray(resources)) throw createSkillError(uri, 'its resources are neither a list nor "dynamic"');
  if (resources.length > MAX_FILES) throw createSkillError(uri, `it has more than ${MAX_FILES} files`);
  const files = resources.map(each => parseFile(uri, each));
  if (new Set(files.map(file => file.uri)).size < files.length) throw createSkillError(uri, 'it lists a file twice');
  if (!files.some(file => file.uri === uri)) throw createSkillError(uri, 'it does not list its SKILL.md');
  if (files.reduce((sum, { size }) => sum + size, 0) > MAX_SIZE)
    throw createSkillError(uri, `it is larger than ${MAX_SIZE / 1024 ** 2} MiB`);
  return files;
}

function parseFile(skill: string, value: unknown): SkillFile {
  const { uri, digest, size } = toJsonObject(value);
  const folder = skill.slice(0, -'SKILL.md'.length);
  const isInside =
    typeof uri === 'string' && uri.startsWith(folder) && !/(?:^|\/)\.{1,2}(?:\/|$)/.test(uri.slice(folder.length));
  if (!isInside) throw createSkillError(skill, 'a file is outside of its folder');
  if (typeof digest !== 'string' || !DIGEST.test(digest)) throw createSkillError(uri, 'its digest is not valid');
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0)
    throw createSkillError(uri, 'its size is not valid');
  return { uri, digest, size };
}

/** Creates the error for a skill that is not used. */
export function createSkillError(subject: string, problem: string): TenonError {
  return new TenonError('skill/invalid', `${subject}: ${problem}`, {
    hint: 'report it to the author of the server. The skill is not used',
  });
}
