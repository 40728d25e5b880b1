/**
 * Serve skills with their files.
 *
 * @module @tenon/skills
 */
export { type SkillDefinition, type SkillSource, type SkillsOptions, skills } from './server/skills.js';
