import type { JsonObject } from '@tenon/base';
import { OFFLINE_ACCESS } from '@tenon/base/oauth';
import { RESOURCE_METADATA_PATH } from '../oauth/well-known-paths.js';

export interface ResourceMetadataOptions {
  readonly resource: string;
  readonly issuers: readonly string[];
  readonly scopes: readonly string[];
  readonly name: string | undefined;
  /** Accepted signature algorithms of DPoP proofs. `undefined` if DPoP is off. */
  readonly proofAlgorithms: readonly string[] | undefined;
  readonly proofRequired: boolean;
  /** Further members from the option `metadata`. */
  readonly additional: JsonObject;
}

/**
 * Creates the metadata of a protected resource.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9728#section-2
 */
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
  const supported = (scopes_supported as string[]).filter(scope => scope !== OFFLINE_ACCESS);
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

/** Returns the URL of a resource's metadata: the well-known path followed by the path of the resource. */
export function getResourceMetadataUrl(resource: string): string {
  const { origin, pathname, search } = new URL(resource);
  return origin + RESOURCE_METADATA_PATH + (pathname === '/' ? '' : pathname) + search;
}
