import { isObject, type JsonObject } from '@tenon/base';
import { TenonError } from 'tenon';
import { FrontmatterError, parseFrontmatter } from '../format/frontmatter.js';
import { SKILL_FILE, SKILL_NAME } from '../format/skills-protocol.js';

const MAX_DESCRIPTION = 1024;
const MAX_COMPATIBILITY = 500;
const RESERVED_PREFIX = 'io.modelcontextprotocol/';

/** Name, description and all other fields of a skill. */
export interface SkillFields {
  readonly name: string;
  readonly description: string;
  readonly frontmatter: JsonObject;
}

/**
 * Reads the fields of a `SKILL.md` and checks them by the rules of Agent Skills.
 *
 * @param place Path of the file, for errors.
 * @throws TenonError `skill/definition` with the line.
 * @see https://agentskills.io/specification
 */
export function readSkillFields(text: string, place: string): SkillFields {
  try {
    const { fields, lineOf } = parseFrontmatter(text);
    const issue = findFieldIssue(fields);
    if (issue) throw new FrontmatterError(issue.text, lineOf(issue.field));
    return { name: String(fields.name), description: String(fields.description), frontmatter: fields };
  } catch (error) {
    if (!(error instanceof FrontmatterError)) throw error;
    throw new TenonError('skill/definition', `${place}:${error.line}: ${error.message}`, {
      hint: `write the fields name and description at the beginning of ${SKILL_FILE}, in YAML between two lines of ---`,
    });
  }
}

/** Counts characters as a reader does, and as the reference implementation does: an emoji is one. */
const countCharacters = (text: string): number => [...text].length;

/** Returns the first rule that a field breaks. */
function findFieldIssue(fields: JsonObject): { readonly field: string; readonly text: string } | undefined {
  const { name, description, license, compatibility, metadata, 'allowed-tools': allowedTools } = fields;
  const issue = (field: string, text: string) => ({ field, text });
  const describeValue = (field: string, value: unknown) =>
    value === undefined || value === null || value === ''
      ? `the field \`${field}\` is missing`
      : `\`${field}\` is no text. Write it in quotes`;
  if (typeof name !== 'string') return issue('name', describeValue('name', name));
  if (!SKILL_NAME.test(name))
    return issue('name', `the name "${name}" is not valid. Expected 1 to 64 of a-z, 0-9 and single hyphens inside`);
  if (typeof description !== 'string' || description.trim() === '')
    return issue('description', describeValue('description', typeof description === 'string' ? '' : description));
  if (countCharacters(description) > MAX_DESCRIPTION)
    return issue('description', `the description is longer than ${MAX_DESCRIPTION} characters`);
  if (license !== undefined && typeof license !== 'string') return issue('license', '`license` is no text');
  if (
    compatibility !== undefined &&
    (typeof compatibility !== 'string' || countCharacters(compatibility) > MAX_COMPATIBILITY)
  )
    return issue('compatibility', `\`compatibility\` is no text of at most ${MAX_COMPATIBILITY} characters`);
  if (allowedTools !== undefined && typeof allowedTools !== 'string')
    return issue('allowed-tools', '`allowed-tools` is no text. Separate the tools by spaces');
  if (metadata === undefined) return undefined;
  if (!isObject(metadata)) return issue('metadata', '`metadata` is no mapping of names to values');
  const reserved = Object.keys(metadata).find(key => key.startsWith(RESERVED_PREFIX));
  return reserved === undefined
    ? undefined
    : issue('metadata', `the key "${reserved}" of \`metadata\` is reserved by the protocol`);
}
