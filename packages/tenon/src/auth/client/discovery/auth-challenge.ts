import { parseUrl } from '@tenon/base';
import { parseChallenges, splitScopes } from '@tenon/base/oauth';

/** Challenge of a refused request. */
export interface AuthChallenge {
  /** URL of the resource metadata. `undefined` if the challenge has none, or no absolute URL. */
  readonly metadataUrl: string | undefined;
  /** Scopes that the request needs. `undefined` when the challenge has no `scope`. */
  readonly scopes: readonly string[] | undefined;
  readonly error: string | undefined;
  /** Reason for the developer of the client. */
  readonly description: string | undefined;
  /** True if the client must repeat the request with a new DPoP proof and the nonce of the response. */
  readonly requiresNonce: boolean;
}

/** Parses the `WWW-Authenticate` header of a 401 or 403. */
export function parseAuthChallenge(header: string | undefined): AuthChallenge {
  const challenges = parseChallenges(header);
  // A proxy may add a challenge of the same scheme.
  const supported = ['bearer', 'dpop'].flatMap(scheme => challenges.filter(each => each.scheme === scheme));
  const findParam = (name: string) => supported.map(each => each.params[name]).find(value => value !== undefined);
  const scope = findParam('scope');
  const metadataUrl = findParam('resource_metadata');
  return {
    metadataUrl: parseUrl(metadataUrl ?? '') && metadataUrl,
    scopes: scope === undefined ? undefined : splitScopes(scope),
    error: findParam('error'),
    description: findParam('error_description'),
    requiresNonce: supported.some(each => each.params.error === 'use_dpop_nonce'),
  };
}
