/**
 * Read the skills of a server, with verified files.
 *
 * @module @tenon/skills/client
 */
export {
  type ServerSkills,
  type SkillCallOptions,
  type SkillClient,
  type SkillContent,
  type SkillDirectoryEntry,
  type SkillFileReport,
  type SkillList,
  skillsExtension,
  skillsOf,
} from './client/skills-of.js';
export type { SkillEntry, SkillFile } from './format/skill-entry.js';
