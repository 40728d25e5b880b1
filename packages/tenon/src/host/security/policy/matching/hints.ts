import type { ActionRequest } from '../action-request.js';

/** Effects of a tool, as far as its annotations are trusted. */
export interface Hints {
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  readonly openWorld: boolean;
}

/**
 * The annotations of a tool whose server is trusted; of any other, and where one is missing, what the specification takes
 * it for. What only reads destroys nothing and may be done again, whatever else it says of itself.
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
