import type { ActionRequest } from '../action-request.js';

/** Effects of a tool, derived from trusted annotations. */
export interface Hints {
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  readonly openWorld: boolean;
}

/**
 * Returns the effects of a tool. Uses the annotations of trusted servers only. Other and missing annotations get the
 * defaults of the specification.
 *
 * A read-only tool is never destructive and always idempotent, whatever its other annotations say.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema#toolannotations
 */
export function getHints({ annotations, trusted }: Pick<ActionRequest, 'annotations' | 'trusted'>): Hints {
  const annotated = trusted ? annotations : undefined;
  const readOnly = annotated?.readOnlyHint === true;
  return {
    readOnly,
    destructive: !readOnly && annotated?.destructiveHint !== false,
    idempotent: readOnly || annotated?.idempotentHint === true,
    openWorld: annotated?.openWorldHint !== false,
  };
}
