import type { Signer } from '@tenon/base';
import type { AuditHead } from './audit-event.js';
import type { AuditLine } from './audit-line.js';

export interface VerificationState {
  readonly signer: Signer | undefined;
  readonly through: AuditHead | undefined;
  readonly start: number;
  readonly passed: boolean;
}

/** Lists the properties that a verification cannot prove, in plain text. */
export function listUnproven(
  last: AuditLine | undefined,
  { signer, through, start, passed }: VerificationState,
): string[] {
  const keyed = last?.mac !== undefined;
  const rewritten = 'replacement of the whole record';
  return [
    ...(signer || passed ? [] : [keyed ? `${rewritten} (give its key)` : `${rewritten} (it has no key)`]),
    ...(passed
      ? [`lines cut off after number ${through?.seq}`]
      : ['lines cut off at the end (store the head of the log elsewhere, and verify through it)']),
    ...(start > 0 ? [`changes in the ${start} lines before its beginning, which were dropped`] : []),
    ...(through && through.seq < start ? [`changes before line number ${through.seq}, which was dropped`] : []),
  ];
}
