import type { ActionRequest } from '../action-request.js';

/** Effects of a tool, as far as its annotations are trusted. */
export interface Hints {
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  readonly openWorld: boolean;
}

/**
 * Returns the annotations of a tool of a trusted server. For other servers and for missing annotations, the defaults of
 * the specification apply. A read-only tool is never destructive and always idempotent, whatever its other annotations.
 * https://modelcontextprotocol.io/specification/2026-07-28/schema#toolannotations
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
