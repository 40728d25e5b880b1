/**
 * Composition of servers: mount servers in one another.
 *
 * @module tenon/compose
 */

export { mount } from './compose/mount.js';
export type { Mount } from './server/definitions/mount.js';
