import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Client, TenonError } from 'tenon';
import { parse } from 'yaml';
import { toJsonObject } from '../json-object.js';
import { createSkillError, parseSkillEntry, type SkillEntry } from './skill-entry.js';

/** Extension of the protocol for skills. */
export const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills';
/** Maximum size of a file without a listed size, in bytes. */
const MAX_SIZE = 16 * 1024 ** 2;
const MAX_SKILLS = 10_000;

/** Skills of a server, and the entries that are not valid. */
export interface SkillList {
  readonly skills: readonly SkillEntry[];
  readonly problems: readonly string[];
}

/** Throws if the server does not declare the extension, because its methods must not be sent then. */
function checkSkillsSupport({ server }: Client): void {
  if (server.capabilities.extensions?.[SKILLS_EXTENSION] !== undefined) return;
  throw new TenonError('skill/unsupported', `${server.info?.name ?? 'the server'}: the server offers no skills`, {
    expected: `the extension ${SKILLS_EXTENSION}`,
    hint: 'see what the server offers with `tenon list`',
  });
}

/** Lists the skills of a server. Reads no file. */
export async function listSkills(client: Client, signal: AbortSignal): Promise<SkillList> {
  checkSkillsSupport(client);
  const skills: SkillEntry[] = [];
  const problems: string[] = [];
  let cursor: unknown;
  do {
    const page = await client.call('skills/list', typeof cursor === 'string' ? { cursor } : {}, { signal });
    const isRepeated = page.nextCursor !== undefined && page.nextCursor === cursor;
    for (const entry of Array.isArray(page.skills) ? page.skills : []) {
      try {
        skills.push(parseSkillEntry(entry));
      } catch (error) {
        problems.push(TenonError.from(error).summary);
      }
    }
    cursor = isRepeated ? undefined : page.nextCursor;
  } while (cursor !== undefined && skills.length + problems.length < MAX_SKILLS);
  return { skills, problems };
}

/** Gets the entry of a skill by the URI of its `SKILL.md`, also if the server does not list it. */
export async function getSkill(client: Client, uri: string, signal: AbortSignal): Promise<SkillEntry> {
  checkSkillsSupport(client);
  const { skill } = await client.call('skills/get', { uri }, { signal });
  const entry = parseSkillEntry(skill);
  if (entry.uri !== uri) throw createSkillError(uri, 'the server returned another skill');
  return entry;
}

/**
 * Reads a file of a skill, and verifies its size and digest. The fields of `SKILL.md` must be those of the entry.
 *
 * @param path Path of the file in the folder of the skill.
 * @throws `skill/invalid` if the file differs from the entry.
 */
export async function readSkillFile(
  client: Client,
  skill: SkillEntry,
  path: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const uri = skill.uri.slice(0, -'SKILL.md'.length) + path;
  const listed = skill.files?.find(file => file.uri === uri);
  if (skill.files && !listed) throw createSkillError(uri, `the skill does not list this file`);
  const { contents } = await client.call('resources/read', { uri }, { signal });
  const content = contents.find(each => each.uri === uri) ?? contents[0];
  if (content === undefined) throw createSkillError(uri, 'the server returned no content');
  const bytes = 'text' in content ? Buffer.from(content.text, 'utf8') : Buffer.from(content.blob, 'base64');
  if (bytes.length > MAX_SIZE) throw createSkillError(uri, 'the file is too large');
  if (listed) {
    if (bytes.length !== listed.size)
      throw createSkillError(uri, `the size is ${bytes.length}, and the skill lists ${listed.size}`);
    if (`sha256:${createHash('sha256').update(bytes).digest('hex')}` !== listed.digest)
      throw createSkillError(uri, 'the content does not have the listed digest');
  }
  if (path === 'SKILL.md') compareFrontmatter(skill, bytes.toString('utf8'));
  return bytes;
}

function compareFrontmatter({ uri, frontmatter }: SkillEntry, text: string): void {
  const [, header] = /^\ufeff?---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)/.exec(text) ?? [];
  if (header === undefined) throw createSkillError(uri, 'the file does not begin with YAML between lines of ---');
  if (!isDeepStrictEqual(parseHeader(uri, header), frontmatter))
    throw createSkillError(uri, 'the fields of the file differ from those of the entry');
}

function parseHeader(uri: string, header: string): unknown {
  try {
    // The JSON form, because the entry was sent as JSON.
    return toJsonObject(JSON.parse(JSON.stringify(parse(header, { maxAliasCount: 0 }))));
  } catch {
    throw createSkillError(uri, 'the fields of the file are not valid YAML');
  }
}
