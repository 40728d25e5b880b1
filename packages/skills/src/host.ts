/**
 * Read skills of several servers, which the user approves before they are loaded.
 *
 * @module @tenon/skills/host
 */
export {
  createSkillHost,
  type HostedSkill,
  type HostedSkillList,
  type LoadedSkill,
  type SkillApprovalKeys,
  type SkillApprovalRequest,
  type SkillApprovals,
  type SkillHost,
  type SkillHostOptions,
  type SkillReference,
} from './host/skill-host.js';
