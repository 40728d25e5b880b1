import type { JsonObject } from '@tenon/base';

/**
 * Key in `_meta` of a tool result. The value `denied` tells that a policy, a lock or a missing approval denied the call.
 * Errors of other methods have `data.policy` with this value.
 */
export const POLICY_DECISION = 'dev.tenon/policy';

/** Creates the result of a denied tool call. It contains the reason, so that the model sees it. */
export function createDeniedToolResult(reason: string): JsonObject {
  return { content: [{ type: 'text', text: reason }], isError: true, _meta: { [POLICY_DECISION]: 'denied' } };
}
