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

/** A code as it is kept. One that was spent knows what it was spent for. */
interface Code {
  readonly wish: Wish;
  readonly subject: string;
  readonly sid?: string;
  readonly spent?: string;
}

/** How long a code is good for, in milliseconds. */
const CODE_LIFE = 60_000;
const codeKey = async (code: string) => `issuer/code/${await hashed(code)}`;

/** Sends the user back to the client with a code. */
export async function answerWithCode(
  wish: Wish,
  who: { readonly subject: string; readonly sid?: string },
  { values, issuer }: Settings,
): Promise<Answer> {
  const code = randomText();
  const kept = { ...who, wish } satisfies Code;
  await values.put(await codeKey(code), kept as unknown as JsonObject, { version: 0, ttl: CODE_LIFE });
  return redirect(answerUri(wish, issuer, { code }));
}

/**
 * Takes a code; a second time there is none, and what came of the first time is at an end: somebody else has it.
 * `family` is the name of what will come of it.
 */
export async function takeCode(code: string, family: string, values: Values): Promise<Code | undefined> {
  const found = await values.get(await codeKey(code));
  if (found === undefined) return undefined;
  const kept = found.value as unknown as Code;
  if (kept.spent === undefined) {
    const spent = { ...kept, spent: family } as unknown as JsonObject;
    // It is remembered for as long again: the other one may come soon after.
    if (await values.put(found.key, spent, { version: found.version, ttl: 10 * CODE_LIFE })) return kept;
  }
  const winner = (await values.get(found.key))?.value as Code | undefined;
  if (winner?.spent !== undefined) await endFamily(winner.spent, values);
  return undefined;
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
