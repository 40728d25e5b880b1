import type { JsonObject } from '../../../jsonrpc/message.js';
import type { Values } from '../../../stores/stores.js';
import { type AuthorizationRequest, createResponseUri } from '../authorize/authorization-request.js';
import { createRedirect, type IssuerHttpResponse } from '../http-exchange.js';
import type { IssuerSettings } from '../options.js';
import { createRandomText, hashSecret } from '../secrets.js';

/** What a user has allowed a client. */
export interface IssuedGrant {
  readonly client: string;
  readonly subject: string;
  readonly scopes: readonly string[];
  readonly resource: string;
  /** The key that the tokens are bound to. */
  readonly jkt?: string;
  /** What an identity provider has given for it is kept under this name. */
  readonly sid?: string;
}

/** A code as it is kept. */
interface StoredCode {
  readonly wish: AuthorizationRequest;
  readonly subject: string;
  readonly sid?: string;
  /** Set when the code was redeemed: the family of its tokens, and the time in ms since the epoch. */
  readonly spent?: { readonly family: string; readonly at: number };
}

/** How long a code is good for, in milliseconds. */
const CODE_TTL = 60_000;
/**
 * For how long a repeated request of the same client counts as a duplicate of the one that redeemed the code, in
 * milliseconds. It covers a retry after a lost response, a page that was reloaded, and two requests that race.
 */
const REPEAT_WINDOW = 10_000;
const getCodeKey = async (code: string) => `issuer/code/${await hashSecret(code)}`;

/** Sends the user back to the client with a code. */
export async function redirectWithCode(
  wish: AuthorizationRequest,
  user: { readonly subject: string; readonly sid?: string },
  { values, issuer, registrations }: IssuerSettings,
): Promise<IssuerHttpResponse> {
  await registrations.markUsed(wish.client);
  const code = createRandomText();
  const entry = { ...user, wish } satisfies StoredCode;
  await values.put(await getCodeKey(code), entry as unknown as JsonObject, { version: 0, ttl: CODE_TTL });
  return createRedirect(createResponseUri(wish, issuer, { code }));
}

/** A code that was presented at the token endpoint. */
export interface FoundCode {
  readonly wish: AuthorizationRequest;
  readonly subject: string;
  readonly sid?: string;
  /** Redeems the code for the family `family`. Returns false for every request but the first. */
  redeem(family: string): Promise<boolean>;
  /**
   * Reports a request that is not from the client that the code was issued to. When the code was redeemed before, its
   * tokens end. A code that was not redeemed stays good: only its own client has the verifier.
   */
  rejectForeign(): Promise<void>;
}

/**
 * Finds a code. The first good request redeems it. A second one never gets tokens, as RFC 6749, section 4.1.2, demands. The
 * tokens of the first end with it, unless it is a duplicate: from the same client, with the same verifier, within
 * `REPEAT_WINDOW`. https://www.rfc-editor.org/rfc/rfc9700#section-2.1.1
 */
export async function findCode(code: string, { values, clock }: IssuerSettings): Promise<FoundCode | undefined> {
  const key = await getCodeKey(code);
  const stored = await values.get(key);
  if (stored === undefined) return undefined;
  const { spent, ...entry } = stored.value as unknown as StoredCode;
  const rejectRepeat = async ({ family, at }: NonNullable<StoredCode['spent']>): Promise<false> => {
    if (Math.abs(clock.now() - at) > REPEAT_WINDOW) await endFamily(family, values);
    return false;
  };
  return {
    ...entry,
    async redeem(family) {
      if (spent !== undefined) return rejectRepeat(spent);
      const redeemed = { ...entry, spent: { family, at: clock.now() } } satisfies StoredCode;
      // It is remembered for longer than it is good, so that a late second request is recognised.
      const options = { version: stored.version, ttl: 10 * CODE_TTL };
      return (await values.put(key, redeemed as unknown as JsonObject, options)) !== undefined;
    },
    async rejectForeign() {
      if (spent !== undefined) await endFamily(spent.family, values);
    },
  };
}

/** The refresh tokens that follow from one grant: only the last is good. */
interface TokenFamily extends IssuedGrant {
  /** The hash of the last. */
  readonly current: string;
}

const getFamilyKey = async (family: string) => `issuer/family/${await hashSecret(family)}`;

async function endFamily(family: string, values: Values): Promise<void> {
  const key = await getFamilyKey(family);
  // That it has ended is kept, so that one that is begun at this moment does not come after its end.
  await values.put(key, { ended: true }, { ttl: 24 * 3600 * 1_000 });
}

/** Begins a family. Gives its first token; `undefined` when it has been ended already. */
export async function beginFamily(
  family: string,
  grant: IssuedGrant,
  { values, refreshTokenTtl }: IssuerSettings,
): Promise<string | undefined> {
  const tokenSecret = createRandomText();
  const entry = { ...grant, current: await hashSecret(tokenSecret) } as unknown as JsonObject;
  const version = await values.put(await getFamilyKey(family), entry, { version: 0, ttl: refreshTokenTtl });
  return version === undefined ? undefined : `${family}.${tokenSecret}`;
}

export interface FoundRefreshToken {
  readonly grant: IssuedGrant;
  /** Makes the next token in place of this one. `undefined` when another has been quicker. */
  rotate(): Promise<string | undefined>;
}

/**
 * Finds the grant of a refresh token. One that was used before ends its family: it is in two hands, and which of them is the
 * thief's is not known. https://www.rfc-editor.org/rfc/rfc9700#section-4.14
 */
export async function findRefreshToken(
  token: string,
  { values, refreshTokenTtl }: IssuerSettings,
): Promise<FoundRefreshToken | undefined> {
  const [family = '', tokenSecret = '', ...rest] = token.split('.');
  if (rest.length > 0) return undefined;
  const stored = await values.get(await getFamilyKey(family));
  if (stored === undefined || stored.value.ended === true) return undefined;
  const { current, ...grant } = stored.value as unknown as TokenFamily;
  if ((await hashSecret(tokenSecret)) !== current) {
    await endFamily(family, values);
    return undefined;
  }
  return {
    grant,
    async rotate() {
      const next = createRandomText();
      const entry = { ...grant, current: await hashSecret(next) } as unknown as JsonObject;
      if (await values.put(stored.key, entry, { version: stored.version, ttl: refreshTokenTtl }))
        return `${family}.${next}`;
      await endFamily(family, values);
      return undefined;
    },
  };
}

/** Ends what a token is of. */
export async function revokeRefreshToken(token: string, client: string, values: Values): Promise<boolean> {
  const [family = ''] = token.split('.');
  const stored = await values.get(await getFamilyKey(family));
  if (stored === undefined || stored.value.client !== client) return false;
  await endFamily(family, values);
  return true;
}
