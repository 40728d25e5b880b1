/**
 * Composition of servers: mount servers in one another, change their tools, and offer resources and prompts as tools.
 *
 * @module tenon/compose
 */

export { promptsAsTools, resourcesAsTools } from './compose/lists-as-tools.js';
export { mount } from './compose/mount.js';
export { type ToolChanges, transformTool } from './compose/transform-tool.js';
export type { Mount } from './server/definitions/mount.js';
