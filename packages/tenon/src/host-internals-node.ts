/**
 * Parts of the library on Node that `@tenon/host` uses and that have no public name yet.
 */
export { checkProgram } from './runtimes/node/processes/check-program.js';
export { nodeTransports } from './runtimes/node/transports.js';
