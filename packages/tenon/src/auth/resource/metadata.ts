import type { JsonObject } from '../../jsonrpc/message.js';

/** https://www.rfc-editor.org/rfc/rfc9728#section-3 */
const WELL_KNOWN = '/.well-known/oauth-protected-resource';
/** A resource neither asks for it nor says that it has any use for it. */
const NOT_OF_A_RESOURCE = 'offline_access';

export interface MetadataFacts {
  readonly resource: string;
  readonly issuers: readonly string[];
  readonly scopes: readonly string[];
  readonly name: string | undefined;
  /** The algorithms of proofs; none where there are no proofs. */
  readonly proofs: readonly string[] | undefined;
  readonly proofRequired: boolean;
  /** What the author adds. */
  readonly more: JsonObject;
}

/** What a protected resource says of itself. https://www.rfc-editor.org/rfc/rfc9728#section-2 */
export function metadataOf({
  resource,
  issuers,
  scopes,
  name,
  proofs,
  proofRequired,
  more,
}: MetadataFacts): JsonObject {
  const { scopes_supported = scopes, ...others } = more;
  const supported = (scopes_supported as string[]).filter(scope => scope !== NOT_OF_A_RESOURCE);
  return {
    ...(name === undefined ? {} : { resource_name: name }),
    ...others,
    resource,
    authorization_servers: issuers,
    ...(supported.length > 0 ? { scopes_supported: supported } : {}),
    bearer_methods_supported: ['header'],
    ...(proofs ? { dpop_signing_alg_values_supported: proofs, dpop_bound_access_tokens_required: proofRequired } : {}),
  };
}

/** Where the document of a resource is: its path comes after the well-known one. */
export function metadataUrl(resource: string): string {
  const { origin, pathname, search } = new URL(resource);
  return origin + WELL_KNOWN + (pathname === '/' ? '' : pathname) + search;
}

/** The paths at which the document is served: its own, and the root, where some clients look as well. */
export function metadataPaths(resource: string): string[] {
  return [new URL(metadataUrl(resource)).pathname, WELL_KNOWN];
}
