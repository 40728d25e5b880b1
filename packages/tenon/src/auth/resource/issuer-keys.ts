import { createLocalJWKSet, errors, type JWTVerifyGetKey, type LocalJWKSet } from 'jose';
import { TenonError } from '../../jsonrpc/error.js';
import { type Asking, bare, issuerMetadata, readDocument, unreachable } from './asking-issuers.js';

/** Where the keys of an issuer are. */
export interface KeySource extends Asking {
  /** The URL of its JWK Set. Without it its metadata says. */
  readonly jwksUri?: string | undefined;
  /** Hears of each attempt that failed. */
  readonly problem: (error: TenonError) => void;
}

/** How long keys are good for without asking again, and how long when the issuer does not answer, in milliseconds. */
const FRESH = 10 * 60_000;
const STALE = 60 * 60_000;
/** How long the issuer is left in peace after it was asked: nobody can make it be asked for each request. */
const COOL_DOWN = 30_000;

/**
 * The keys of an issuer: fetched when they are first needed, kept, and fetched again when they are stale or a token names
 * one that is not there. Throws `auth/issuer` when that can not be known, and jose's error when there is no such key.
 */
export function createIssuerKeys(source: KeySource): JWTVerifyGetKey {
  const { clock, issuer, problem } = source;
  let keys: LocalJWKSet | undefined;
  let fetched = Number.NEGATIVE_INFINITY;
  let asked = Number.NEGATIVE_INFINITY;
  let failure: TenonError | undefined;
  let fetching: Promise<void> | undefined;

  const fetch = async (): Promise<void> => {
    asked = clock.now();
    try {
      keys = await fetchKeys(source);
      fetched = asked;
      failure = undefined;
    } catch (error) {
      failure = unreachable(issuer, 'its keys could not be fetched', bare(error));
      problem(failure);
    }
  };
  const refresh = (): Promise<void> => {
    if (clock.now() - asked < COOL_DOWN) return fetching ?? Promise.resolve();
    fetching = fetch().finally(() => {
      fetching = undefined;
    });
    return fetching;
  };
  const within = (age: number): LocalJWKSet | undefined => (clock.now() - fetched < age ? keys : undefined);

  return async (header, token) => {
    if (!within(FRESH)) await refresh();
    const held = within(STALE);
    if (held === undefined) throw failure ?? unreachable(issuer, 'its keys are not there', undefined);
    try {
      return await held(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await refresh();
      if (failure) throw failure;
      return (within(STALE) ?? held)(header, token);
    }
  };
}

async function fetchKeys(source: KeySource): Promise<LocalJWKSet> {
  const { issuer } = source;
  const url = source.jwksUri ?? (await issuerMetadata(source)).jwks_uri;
  if (typeof url !== 'string') {
    throw new TenonError('auth/issuer', 'the issuer does not say where its keys are', {
      peer: issuer,
      expected: '`jwks_uri` in its metadata',
      next: 'give `jwksUri` beside `issuer`',
    });
  }
  return createLocalJWKSet((await readDocument(source, url)) as never);
}
