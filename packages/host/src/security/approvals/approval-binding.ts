import { getOwnerKey, hashSha256, toCanonicalJson } from '@tenon/base';
import type { ActionRequest, PolicyVerdict } from '../policy/action-request.js';

/** Conditions of an approval in addition to the call itself. */
export interface ApprovalBasis {
  /** Rule that requires the approval. Approvals under another rule do not apply. */
  readonly verdict?: PolicyVerdict | undefined;
  /** Digest of the tool's definition. After the definition changes, earlier approvals do not apply any more. */
  readonly definition?: string | undefined;
}

/** Digests that bind an approval to one call. */
export interface ApprovalBinding {
  /** SHA-256 of the server, kind, name, arguments, user, OAuth client, rule and definition. */
  readonly call: string;
  /** SHA-256 of the canonical arguments. */
  readonly digest: string;
  /** SHA-256 of server, user and OAuth client, whose approvals are stored together. */
  readonly owner: string;
  /** Digest of the rule and the definition. */
  readonly grounds: string;
}

export function createApprovalBinding(request: ActionRequest, { verdict, definition }: ApprovalBasis): ApprovalBinding {
  const { server, kind, name, arguments: args } = request;
  const owner = getOwnerKey(request) ?? null;
  const grounds = toCanonicalJson([verdict?.mark ?? null, definition ?? null]);
  const digest = hashSha256(toCanonicalJson(args));
  return {
    call: hashSha256(toCanonicalJson([server, kind, name, digest, owner, grounds])),
    digest,
    owner: hashSha256(toCanonicalJson([server, owner])),
    grounds,
  };
}
