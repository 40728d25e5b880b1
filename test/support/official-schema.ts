/** The judge of all tests: every message that crosses must be valid against the official schema of its protocol version. */
export { type Context, type Judge, type JudgeOptions, judge } from './judge.js';
export {
  isProtocolVersion,
  type ProtocolVersion,
  protocolVersions,
  schemaFolder,
  schemasPresent,
} from './schema-file.js';
export { createTap, type Tap } from './tap.js';
export type { Side } from './vocabulary.js';
