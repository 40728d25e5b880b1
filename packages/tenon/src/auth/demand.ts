import { challengeOf, readChallenges } from './challenge.js';
import { splitScopes } from './scopes.js';

/** What a refusal asks for. */
export interface Demand {
  /** Where the metadata of the resource is. */
  readonly metadata: string | undefined;
  /** Scopes that the request needs; `undefined` when nothing was said of them. */
  readonly scopes: readonly string[] | undefined;
  readonly error: string | undefined;
  /** The proof of possession is to be made once more, with the nonce that came along. */
  readonly wantsNonce: boolean;
}

/** Reads what a 401 or 403 says by `WWW-Authenticate`. */
export function readDemand(header: string | undefined): Demand {
  const challenges = readChallenges(header);
  const mine = [challengeOf(challenges, 'bearer'), challengeOf(challenges, 'dpop')];
  const first = (name: string) => mine.map(each => each?.params[name]).find(value => value !== undefined);
  const scope = first('scope');
  return {
    metadata: first('resource_metadata'),
    scopes: scope === undefined ? undefined : splitScopes(scope),
    error: first('error'),
    wantsNonce: mine.some(each => each?.params.error === 'use_dpop_nonce'),
  };
}
