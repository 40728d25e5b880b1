import { sha256 } from '../../auth/resource/digest.js';
import { canonical } from '../../conversation/asking/canonical.js';
import { getOwnerKey } from '../../model/owner.js';
import type { Proposal, Verdict } from './proposal.js';

/** Under what a call is approved, besides the call itself. */
export interface Grounds {
  /** The verdict that asks: what another rule asks about is not approved with it. */
  readonly verdict?: Verdict | undefined;
  /** A digest of what the server says of the tool: when that changes, what was approved before is not approved any more. */
  readonly definition?: string | undefined;
}

/** What an approval is good for, and nothing else. */
export interface Binding {
  /** SHA-256 of all of it: server, kind, name, arguments, user, OAuth client, rule and definition. */
  readonly call: string;
  /** SHA-256 of the canonical arguments. */
  readonly digest: string;
  /** SHA-256 of server, user and OAuth client: whose approvals are remembered together. */
  readonly owner: string;
  /** What tells the rule and the definition from others. */
  readonly grounds: string;
}

export async function bindingOf(proposal: Proposal, { verdict, definition }: Grounds): Promise<Binding> {
  const { server, kind, name, arguments: args } = proposal;
  const owner = getOwnerKey(proposal) ?? null;
  const grounds = canonical([verdict?.mark ?? null, definition ?? null]);
  const digest = await sha256(canonical(args));
  const [call, ownerDigest] = await Promise.all([
    sha256(canonical([server, kind, name, digest, owner, grounds])),
    sha256(canonical([server, owner])),
  ]);
  return { call, digest, owner: ownerDigest, grounds };
}
