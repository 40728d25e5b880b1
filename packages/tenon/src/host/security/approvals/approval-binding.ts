import { toCanonicalJson } from '../../../encoding/canonical-json.js';
import { hashSha256 } from '../../../encoding/sha256.js';
import { getOwnerKey } from '../../../protocol/caller-identity.js';
import type { ActionRequest, PolicyVerdict } from '../policy/action-request.js';

/** Under what a call is approved, besides the call itself. */
export interface ApprovalBasis {
  /** The rule that requires approval. Approvals under another rule do not apply. */
  readonly verdict?: PolicyVerdict | undefined;
  /** A digest of the tool's definition. When the definition changes, earlier approvals no longer apply. */
  readonly definition?: string | undefined;
}

/** Binds an approval to one use. */
export interface ApprovalBinding {
  /** SHA-256 of all of it: server, kind, name, arguments, user, OAuth client, rule and definition. */
  readonly call: string;
  /** SHA-256 of the canonical arguments. */
  readonly digest: string;
  /** SHA-256 of server, user and OAuth client: whose approvals are remembered together. */
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
