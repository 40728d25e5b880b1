import type { JsonObject } from '../../jsonrpc/message.js';
import type { Values } from '../../stores/stores.js';
import { type Answer, redirect } from './exchange.js';
import type { Settings } from './options.js';
import { answerUri, type Wish } from './request.js';
import { hashed, randomText } from './secrets.js';

/** What a user has allowed a client. */
export interface Grant {
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
interface Code {
  readonly wish: Wish;
  readonly subject: string;
  readonly sid?: string;
  /** Set when the code was redeemed: the family of its tokens, and the time in ms since the epoch. */
  readonly spent?: { readonly family: string; readonly at: number };
}

/** How long a code is good for, in milliseconds. */
const CODE_LIFE = 60_000;
/**
 * For how long a repeated request of the same client counts as a duplicate of the one that redeemed the code, in
 * milliseconds. It covers a retry after a lost response, a page that was reloaded, and two requests that race.
 */
const REPEAT_WINDOW = 10_000;
const codeKey = async (code: string) => `issuer/code/${await hashed(code)}`;

/** Sends the user back to the client with a code. */
export async function answerWithCode(
  wish: Wish,
  who: { readonly subject: string; readonly sid?: string },
  { values, issuer, registrations }: Settings,
): Promise<Answer> {
  await registrations.markUsed(wish.client);
  const code = randomText();
  const kept = { ...who, wish } satisfies Code;
  await values.put(await codeKey(code), kept as unknown as JsonObject, { version: 0, ttl: CODE_LIFE });
  return redirect(answerUri(wish, issuer, { code }));
}

/** A code that was presented at the token endpoint. */
export interface PresentedCode {
  readonly wish: Wish;
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
export async function findCode(code: string, { values, clock }: Settings): Promise<PresentedCode | undefined> {
  const key = await codeKey(code);
  const found = await values.get(key);
  if (found === undefined) return undefined;
  const { spent, ...kept } = found.value as unknown as Code;
  const refuseRepeat = async ({ family, at }: NonNullable<Code['spent']>): Promise<false> => {
    if (Math.abs(clock.now() - at) > REPEAT_WINDOW) await endFamily(family, values);
    return false;
  };
  return {
    ...kept,
    async redeem(family) {
      if (spent !== undefined) return refuseRepeat(spent);
      const redeemed = { ...kept, spent: { family, at: clock.now() } } satisfies Code;
      // It is remembered for longer than it is good, so that a late second request is recognised.
      const options = { version: found.version, ttl: 10 * CODE_LIFE };
      return (await values.put(key, redeemed as unknown as JsonObject, options)) !== undefined;
    },
    async rejectForeign() {
      if (spent !== undefined) await endFamily(spent.family, values);
    },
  };
}

/** The refresh tokens that follow from one grant: only the last is good. */
interface Family extends Grant {
  /** The hash of the last. */
  readonly current: string;
}

const familyKey = async (family: string) => `issuer/family/${await hashed(family)}`;

async function endFamily(family: string, values: Values): Promise<void> {
  const key = await familyKey(family);
  // That it has ended is kept, so that one that is begun at this moment does not come after its end.
  await values.put(key, { ended: true }, { ttl: 24 * 3600 * 1_000 });
}

/** Begins a family. Gives its first token; `undefined` when it has been ended already. */
export async function beginFamily(
  family: string,
  grant: Grant,
  { values, refreshLife }: Settings,
): Promise<string | undefined> {
  const word = randomText();
  const kept = { ...grant, current: await hashed(word) } as unknown as JsonObject;
  const version = await values.put(await familyKey(family), kept, { version: 0, ttl: refreshLife });
  return version === undefined ? undefined : `${family}.${word}`;
}

export interface Refreshed {
  readonly grant: Grant;
  /** Makes the next token in place of this one. `undefined` when another has been quicker. */
  rotate(): Promise<string | undefined>;
}

/**
 * Finds the grant of a refresh token. One that was used before ends its family: it is in two hands, and which of them is the
 * thief's is not known. https://www.rfc-editor.org/rfc/rfc9700#section-4.14
 */
export async function findRefresh(token: string, { values, refreshLife }: Settings): Promise<Refreshed | undefined> {
  const [family = '', word = '', ...more] = token.split('.');
  if (more.length > 0) return undefined;
  const found = await values.get(await familyKey(family));
  if (found === undefined || found.value.ended === true) return undefined;
  const { current, ...grant } = found.value as unknown as Family;
  if ((await hashed(word)) !== current) {
    await endFamily(family, values);
    return undefined;
  }
  return {
    grant,
    async rotate() {
      const next = randomText();
      const kept = { ...grant, current: await hashed(next) } as unknown as JsonObject;
      if (await values.put(found.key, kept, { version: found.version, ttl: refreshLife })) return `${family}.${next}`;
      await endFamily(family, values);
      return undefined;
    },
  };
}

/** Ends what a token is of. */
export async function revokeRefresh(token: string, client: string, values: Values): Promise<boolean> {
  const [family = ''] = token.split('.');
  const found = await values.get(await familyKey(family));
  if (found === undefined || found.value.client !== client) return false;
  await endFamily(family, values);
  return true;
}
