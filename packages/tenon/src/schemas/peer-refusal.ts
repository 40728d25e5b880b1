import type { Issue } from '@tenon/base';
import type { PeerCheckResult } from './peer-schema.js';

/** Limits of a check. A value beyond one of them is refused, because the peer chose it so that it is not checked. */
const LIMITS: ReadonlySet<string> = new Set(['schema/work-limit', 'schema/too-large']);

/** The reason why a value of a peer is not used. */
export interface Refusal {
  /** Code of the limit, or `undefined` for a value that does not match its schema. */
  readonly limit: string | undefined;
  readonly issues: readonly Issue[];
}

/**
 * Returns why a value is refused: it does not match the schema, or the check reached a limit. Returns `undefined` for a
 * valid value, and for a schema that cannot be used.
 */
export function findRefusal(checked: PeerCheckResult): Refusal | undefined {
  if (checked.ok === false) return { limit: undefined, issues: checked.issues };
  if (checked.ok === true || !LIMITS.has(checked.code)) return undefined;
  return { limit: checked.code, issues: [{ path: [], message: `could not be checked: ${checked.reason}` }] };
}
