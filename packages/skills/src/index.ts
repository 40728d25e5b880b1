/** Entry for servers: skills with their files. */
export { type SkillDefinition, type SkillSource, type SkillsOptions, skills } from './server/skills.js';
