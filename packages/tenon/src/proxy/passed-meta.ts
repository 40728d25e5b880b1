import { checkObject, type JsonObject, keepTextsIn, requireArgument } from '@tenon/base';
import { CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, PROTOCOL_VERSION, RELATED_TASK } from '../protocol/meta.js';

/** Keys of `_meta` that apply to one connection only. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'progressToken',
  PROTOCOL_VERSION,
  CLIENT_INFO,
  CLIENT_CAPABILITIES,
  LOG_LEVEL,
  RELATED_TASK,
]);

const checkMeta = checkObject();

/** Tells if `_meta` has a key that does not apply to one connection only. */
export function hasForwardedMeta(meta: JsonObject): boolean {
  for (const key in meta) if (!HOP_BY_HOP.has(key)) return true;
  return false;
}

/** Returns `_meta` without the keys that apply to one connection only, such as the progress token. */
export function selectForwardedMeta(meta: JsonObject): JsonObject {
  requireArgument('`meta` of selectForwardedMeta', meta, checkMeta);
  return keepTextsIn(Object.fromEntries(Object.entries(meta).filter(([key]) => !HOP_BY_HOP.has(key))), meta);
}
