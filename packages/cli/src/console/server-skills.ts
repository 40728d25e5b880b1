import type { JsonObject } from '@tenon/base';
import type { SkillFileView, SkillsView } from '@tenon/console/api';
import { skillsOf } from '@tenon/skills/client';
import type { Client } from 'tenon';
import { createUsageError } from '../usage-error.js';
import { sliceText } from './json-part.js';

/** Maximum length of the shown text of a file, in characters. */
const MAX_TEXT = 256_000;

/** Lists the skills of a server. No file is read. */
export async function listSkills(client: Client): Promise<SkillsView> {
  const { skills, errors } = await skillsOf(client).list();
  return { skills: skills.map(({ files = null, ...skill }) => ({ ...skill, files })), errors };
}

/** Reads a file of a skill, and compares it with the entry that the server has for the skill now. */
export async function readSkillFile(client: Client, { uri, path }: JsonObject): Promise<SkillFileView> {
  if (typeof uri !== 'string' || (path !== undefined && typeof path !== 'string'))
    throw createUsageError('skill-file: expected the uri of a skill and a path', 'reload the page');
  const source = skillsOf(client);
  const { listed = null, read = null, text, ...report } = await source.examine(await source.get(uri), path);
  return { ...report, listed, read, text: text === undefined ? null : sliceText(text, 0, MAX_TEXT) };
}
