import type { JsonObject } from '../../jsonrpc/message.js';

/** https://www.rfc-editor.org/rfc/rfc9728#section-3 */
const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource';
/** Not requested and not advertised by a resource. */
const EXCLUDED_SCOPE = 'offline_access';

export interface ResourceMetadataOptions {
  readonly resource: string;
  readonly issuers: readonly string[];
  readonly scopes: readonly string[];
  readonly name: string | undefined;
  /** The algorithms of proofs; none where there are no proofs. */
  readonly proofAlgorithms: readonly string[] | undefined;
  readonly proofRequired: boolean;
  /** Further members, given by the user. */
  readonly additional: JsonObject;
}

/** Creates the metadata of a protected resource. https://www.rfc-editor.org/rfc/rfc9728#section-2 */
export function createResourceMetadata({
  resource,
  issuers,
  scopes,
  name,
  proofAlgorithms,
  proofRequired,
  additional,
}: ResourceMetadataOptions): JsonObject {
  const { scopes_supported = scopes, ...others } = additional;
  const supported = (scopes_supported as string[]).filter(scope => scope !== EXCLUDED_SCOPE);
  return {
    ...(name === undefined ? {} : { resource_name: name }),
    ...others,
    resource,
    authorization_servers: issuers,
    ...(supported.length > 0 ? { scopes_supported: supported } : {}),
    bearer_methods_supported: ['header'],
    ...(proofAlgorithms
      ? { dpop_signing_alg_values_supported: proofAlgorithms, dpop_bound_access_tokens_required: proofRequired }
      : {}),
  };
}

/** Returns the URL of a resource's metadata: its path comes after the well-known one. */
export function getResourceMetadataUrl(resource: string): string {
  const { origin, pathname, search } = new URL(resource);
  return origin + RESOURCE_METADATA_PATH + (pathname === '/' ? '' : pathname) + search;
}

/** The paths at which the document is served: its own, and the root, where some clients look as well. */
export function getResourceMetadataPaths(resource: string): string[] {
  return [new URL(getResourceMetadataUrl(resource)).pathname, RESOURCE_METADATA_PATH];
}
