import { createRandomText } from '@tenon/base';
import { type AuthHttpResponse, createRedirect } from '@tenon/base/oauth';
import type { Values } from 'tenon';
import { type AuthorizationRequest, createResponseUri } from '../authorize/authorization-request.js';
import type { IssuerSettings } from '../options.js';
import { hashSecret } from '../secrets.js';

/** Access that a user has granted to a client. */
export type IssuedGrant = {
  readonly client: string;
  readonly subject: string;
  readonly scopes: readonly string[];
  readonly resource: string;
  /** Thumbprint of the key to which the tokens are bound. */
  readonly jkt?: string;
  /** ID of the identity provider's tokens that belong to this grant. */
  readonly sid?: string;
};

/** Stored authorization code. */
type StoredCode = {
  readonly authRequest: AuthorizationRequest;
  readonly subject: string;
  readonly sid?: string;
  /** Set when the code was redeemed: the ID of its token family, and the time in milliseconds since the epoch. */
  readonly redemption?: { readonly family: string; readonly time: number };
};

/** Lifetime of a code, in milliseconds. */
const CODE_TTL = 60_000;
/**
 * Time in which a repeated request of the same client counts as a duplicate, in milliseconds. It covers a retry after a
 * lost response, a reloaded page, and two concurrent requests.
 */
const REPEAT_WINDOW = 10_000;
const getCodeKey = (code: string) => `issuer/code/${hashSecret(code)}`;

/** Redirects the user to the client with a code. */
export async function redirectWithCode(
  authRequest: AuthorizationRequest,
  user: { readonly subject: string; readonly sid?: string },
  { values, issuer, registrations }: IssuerSettings,
): Promise<AuthHttpResponse> {
  await registrations.markUsed(authRequest.client);
  const code = createRandomText();
  const entry = { ...user, authRequest } satisfies StoredCode;
  await values.put(getCodeKey(code), entry, { version: 0, ttl: CODE_TTL });
  return createRedirect(createResponseUri(authRequest, issuer, { code }));
}

/** Authorization code that a token request contains. */
export interface FoundCode {
  readonly authRequest: AuthorizationRequest;
  readonly subject: string;
  readonly sid?: string;
  /** Redeems the code for a token family. Resolves with false for every request but the first. */
  redeem(family: string): Promise<boolean>;
  /**
   * Handles a request of another client than the one that received the code. Revokes the tokens if the code was
   * redeemed before. An unredeemed code stays valid, because only its own client has the verifier.
   */
  rejectForeign(): Promise<void>;
}

/**
 * Finds a code. The first valid request redeems it.
 *
 * A second one never gets tokens, as RFC 6749, section 4.1.2, requires. It also revokes the tokens of the first, unless
 * it is a duplicate: the same client and verifier within `REPEAT_WINDOW`.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9700#section-2.1.1
 */
export async function findCode(code: string, { values, clock }: IssuerSettings): Promise<FoundCode | undefined> {
  const key = getCodeKey(code);
  const stored = await values.get(key);
  if (stored === undefined) return undefined;
  const { redemption, ...entry } = stored.value as StoredCode;
  const rejectRepeat = async ({ family, time }: NonNullable<StoredCode['redemption']>): Promise<false> => {
    if (Math.abs(clock.now() - time) > REPEAT_WINDOW) await endFamily(family, values);
    return false;
  };
  return {
    ...entry,
    async redeem(family) {
      if (redemption !== undefined) return rejectRepeat(redemption);
      const redeemed = { ...entry, redemption: { family, time: clock.now() } } satisfies StoredCode;
      // The entry outlives the code, so that a late second request is recognized.
      const options = { version: stored.version, ttl: 10 * CODE_TTL };
      return (await values.put(key, redeemed, options)) !== undefined;
    },
    async rejectForeign() {
      if (redemption !== undefined) await endFamily(redemption.family, values);
    },
  };
}

/** Refresh tokens of one grant. Only the last one is valid. */
type TokenFamily = IssuedGrant & {
  /** Hash of the last refresh token. */
  readonly current: string;
};

const getFamilyKey = (family: string) => `issuer/family/${hashSecret(family)}`;

async function endFamily(family: string, values: Values): Promise<void> {
  const key = getFamilyKey(family);
  // The entry stays with the mark `ended`, so that a concurrent `beginFamily` does not create it again.
  await values.put(key, { ended: true }, { ttl: 24 * 3600 * 1_000 });
}

/**
 * Creates a token family and returns its first refresh token. Resolves with `undefined` when the family has already
 * ended.
 */
export async function beginFamily(
  family: string,
  grant: IssuedGrant,
  { values, refreshTokenTtl }: IssuerSettings,
): Promise<string | undefined> {
  const tokenSecret = createRandomText();
  const entry = { ...grant, current: hashSecret(tokenSecret) };
  const version = await values.put(getFamilyKey(family), entry, { version: 0, ttl: refreshTokenTtl });
  return version === undefined ? undefined : `${family}.${tokenSecret}`;
}

export interface FoundRefreshToken {
  readonly grant: IssuedGrant;
  /** Replaces this token with the next one. Resolves with `undefined` when another request has replaced it first. */
  rotate(): Promise<string | undefined>;
}

/**
 * Finds the grant of a refresh token. A token that was used before ends its family, because two parties have it and one
 * of them may be a thief.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9700#section-4.14
 */
export async function findRefreshToken(
  token: string,
  { values, refreshTokenTtl }: IssuerSettings,
): Promise<FoundRefreshToken | undefined> {
  const [family = '', tokenSecret = '', ...rest] = token.split('.');
  if (rest.length > 0) return undefined;
  const stored = await values.get(getFamilyKey(family));
  if (stored === undefined || stored.value.ended === true) return undefined;
  const { current, ...grant } = stored.value as TokenFamily;
  if (hashSecret(tokenSecret) !== current) {
    await endFamily(family, values);
    return undefined;
  }
  return {
    grant,
    async rotate() {
      const next = createRandomText();
      const entry = { ...grant, current: hashSecret(next) };
      if (await values.put(stored.key, entry, { version: stored.version, ttl: refreshTokenTtl }))
        return `${family}.${next}`;
      await endFamily(family, values);
      return undefined;
    },
  };
}

/** Revokes a refresh token and its family. Returns its grant, or `undefined` if it is unknown or of another client. */
export async function revokeRefreshToken(
  token: string,
  client: string,
  values: Values,
): Promise<IssuedGrant | undefined> {
  const [family = ''] = token.split('.');
  const stored = await values.get(getFamilyKey(family));
  if (stored === undefined || stored.value.client !== client) return undefined;
  await endFamily(family, values);
  return stored.value as TokenFamily;
}
