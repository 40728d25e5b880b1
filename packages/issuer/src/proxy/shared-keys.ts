import type { Seal } from '@tenon/base';
import type { JWK } from 'jose';
import { type JsonObject, type StoredValue, TenonError } from 'tenon';
import type { PrivateJwk } from 'tenon/auth';
import type { IssuerSettings } from '../options.js';
import { createSigningKeys, generatePrivateKey, type SigningKeys } from '../signing-keys.js';

/** Signing key in the store. */
type StoredKey = { readonly jwk: JWK; readonly createdAt: number };

const STORE_KEY = 'issuer/signing-keys';
const HOUR = 3_600_000;
/** Age of the newest key at which a process creates the next one, in milliseconds. */
const ROTATION_INTERVAL = 30 * 24 * HOUR;
/** Time for which a key is published before it signs, in milliseconds. Servers cache the keys for some minutes. */
const PUBLICATION_LEAD = HOUR;
/** Time for which a process uses the keys without reading the store, in milliseconds. */
const CACHE_TTL = 60_000;

/**
 * Returns a function that returns the signing keys of all processes with the same stores. The first process creates
 * them. They are stored encrypted, and rotated without a restart.
 */
export function createSharedKeys(
  { values, clock, accessTokenTtl, report }: IssuerSettings,
  getSeal: () => Promise<Seal>,
): () => Promise<SigningKeys> {
  let cached:
    | { readonly version: number; readonly readAt: number; readonly signer: string; readonly keys: SigningKeys }
    | undefined;

  const open = async (entry: StoredValue | undefined): Promise<readonly StoredKey[]> => {
    if (entry === undefined) return [];
    const { sealed } = entry.value;
    const opened = typeof sealed === 'string' ? await (await getSeal()).open(sealed, STORE_KEY) : undefined;
    if (opened === undefined) report(createUnreadableError());
    return (opened?.keys ?? []) as unknown as readonly StoredKey[];
  };

  /** Adds the next key when it is time, and removes keys of which all tokens have expired. */
  const rotate = async (keys: readonly StoredKey[]): Promise<readonly StoredKey[]> => {
    const isNeeded = (_: StoredKey, index: number) => {
      const next = keys[index + 1];
      return next === undefined || clock.now() < next.createdAt + PUBLICATION_LEAD + accessTokenTtl + HOUR;
    };
    const needed = keys.filter(isNeeded);
    const newest = needed.at(-1);
    if (newest && clock.now() < newest.createdAt + ROTATION_INTERVAL) return needed;
    return [...needed, { jwk: await generatePrivateKey(), createdAt: clock.now() }];
  };

  const load = async (): Promise<{ readonly stored: readonly StoredKey[]; readonly version: number }> => {
    for (;;) {
      const entry = await values.get(STORE_KEY);
      const stored = await open(entry);
      const rotated = await rotate(stored);
      const isSame = rotated.length === stored.length && rotated.at(-1) === stored.at(-1);
      if (entry && isSame) return { stored, version: entry.version };
      const sealed = await (await getSeal()).seal({ keys: rotated } as unknown as JsonObject, STORE_KEY);
      // Without a new version, another process has written its keys first.
      const version = await values.put(STORE_KEY, { sealed }, { version: entry?.version ?? 0 });
      if (version !== undefined) return { stored: rotated, version };
    }
  };

  return async () => {
    if (cached && clock.now() < cached.readAt + CACHE_TTL) return cached.keys;
    const { stored, version } = await load();
    const newestFirst = stored.toReversed();
    const signer =
      newestFirst.find(({ createdAt }) => createdAt + PUBLICATION_LEAD <= clock.now()) ?? (stored[0] as StoredKey);
    const signerId = String(signer.jwk.x);
    const isCurrent = cached?.version === version && cached.signer === signerId;
    const ordered = [signer, ...newestFirst.filter(each => each !== signer)].map(({ jwk }) => jwk);
    const keys = isCurrent && cached ? cached.keys : await createSigningKeys(ordered as readonly PrivateJwk[]);
    cached = { version, signer: signerId, keys, readAt: clock.now() };
    return keys;
  };
}

function createUnreadableError(): TenonError {
  return new TenonError('auth/upstream', 'cannot decrypt the stored signing keys, and replaces them', {
    expected: 'an entry encrypted with a current key',
    hint: 'use the same `encryptionKeys` in all processes, with the former key after the new one',
  });
}
