import { TenonError } from '@tenon/base';
import { createLocalJWKSet, errors, type JWTVerifyGetKey, type LocalJWKSet } from 'jose';
import {
  createUnreachableError,
  fetchIssuerDocument,
  fetchJsonObject,
  type IssuerConnection,
  stripError,
} from './issuer-requests.js';

/** Connection to an issuer, and the URL of its keys. */
export interface IssuerKeySource extends IssuerConnection {
  /**
   * URL of its JWK Set.
   * @default `jwks_uri` of its metadata
   */
  readonly jwksUri?: string | undefined;
  /** Called for each failed request. */
  readonly onError: (error: TenonError) => void;
}

/**
 * Time for which cached keys are used without a new request, in milliseconds. While the issuer fails, `STALE_TIME`
 * applies.
 */
const FRESH_TIME = 10 * 60_000;
const STALE_TIME = 60 * 60_000;
/**
 * Minimum time between two requests to the issuer, in milliseconds. It doubles with each request that fails, or that
 * does not find the key of a token. Without it, callers could cause one request each.
 */
const MIN_FETCH_DELAY = 1_000;
const MAX_FETCH_DELAY = 30_000;

/**
 * Creates the function that finds the key of a token. It fetches the issuer's keys on first use and caches them. It
 * fetches them again when they are stale, or a token names an unknown key.
 *
 * @throws TenonError `auth/issuer` when the keys cannot be fetched. For an unknown key, the error of `jose`.
 */
export function createIssuerKeys(source: IssuerKeySource): JWTVerifyGetKey {
  const { clock, issuer, onError } = source;
  let keys: LocalJWKSet | undefined;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let requestedAt = Number.NEGATIVE_INFINITY;
  let delay = 0;
  let failure: TenonError | undefined;
  let fetching: Promise<void> | undefined;

  const getKeysWithin = (age: number): LocalJWKSet | undefined => (clock.now() - fetchedAt < age ? keys : undefined);

  const updateKeys = async (): Promise<void> => {
    requestedAt = clock.elapsed();
    delay = Math.min(Math.max(delay * 2, MIN_FETCH_DELAY), MAX_FETCH_DELAY);
    const startedAt = clock.now();
    try {
      const url = source.jwksUri ?? (await fetchIssuerDocument(source)).jwks_uri;
      if (typeof url !== 'string') {
        throw new TenonError('auth/issuer', 'the issuer metadata has no `jwks_uri`', {
          peer: issuer,
          expected: '`jwks_uri` in its metadata',
          hint: 'set `jwksUri` next to `issuer`',
        });
      }
      const fetched = createLocalJWKSet((await fetchJsonObject(source, url)) as never);
      if (!getKeysWithin(FRESH_TIME)) delay = 0;
      keys = fetched;
      fetchedAt = startedAt;
      failure = undefined;
    } catch (error) {
      failure = createUnreachableError(issuer, 'cannot fetch the keys of the issuer', stripError(error));
      onError(failure);
    }
  };
  const refresh = (): Promise<void> => {
    if (fetching || clock.elapsed() - requestedAt < delay) return fetching ?? Promise.resolve();
    fetching = updateKeys().finally(() => {
      fetching = undefined;
    });
    return fetching;
  };

  return async (header, token) => {
    if (!getKeysWithin(FRESH_TIME)) await refresh();
    const current = getKeysWithin(STALE_TIME);
    if (current === undefined)
      throw failure ?? createUnreachableError(issuer, 'the issuer returned no keys', undefined);
    try {
      return await current(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await refresh();
      if (failure) throw failure;
      const key = await (getKeysWithin(STALE_TIME) ?? current)(header, token);
      delay = 0;
      return key;
    }
  };
}
