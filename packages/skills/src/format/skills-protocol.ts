/**
 * Names and limits of the extension.
 * @see https://github.com/modelcontextprotocol/ext-skills
 */
export const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills';
export const SKILL_FILE = 'SKILL.md';
export const DIRECTORY_TYPE = 'inode/directory';
/** Limits of a skill that each host supports. */
export const MAX_FILES = 512;
export const MAX_SIZE = 16 * 1024 ** 2;
export const SKILL_NAME = /^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/;
