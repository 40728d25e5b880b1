import type { Values } from 'tenon';
import { hashSecret } from '../secrets.js';
import { createSingleUseStore } from '../single-use-store.js';
import type { OauthClient } from './client.js';

/** Lifetime of a registration after a user has signed in with it, in milliseconds. */
export const REGISTRATION_TTL = 90 * 24 * 3600 * 1_000;

export interface RegistrationLimits {
  /** Maximum number of registrations with which no user has signed in. */
  readonly maxUnused: number;
  /** Lifetime of a registration with which no user has signed in, in milliseconds. */
  readonly unusedTtl: number;
}

/**
 * Store for clients that register themselves. Registration needs no authorization. A registration with which no user
 * has signed in is therefore short-lived, and newer ones replace it.
 */
export interface RegistrationStore {
  createId(): string;
  add(client: OauthClient): Promise<void>;
  find(id: string): Promise<OauthClient | undefined>;
  /** Keeps a client for `REGISTRATION_TTL`, because a user has signed in with it. Ignores the IDs of other clients. */
  markUsed(id: string): Promise<void>;
}

export function createRegistrationStore(
  values: Values,
  { maxUnused, unusedTtl }: RegistrationLimits,
): RegistrationStore {
  const unused = createSingleUseStore<OauthClient>(values, 'unused', { max: maxUnused, ttl: unusedTtl });
  const getKey = (id: string): string => `issuer/client/${hashSecret(id)}`;
  return {
    createId: unused.createToken,
    add: client => unused.put(client.id, client),
    async find(id) {
      const used = await values.get(getKey(id));
      return used ? (used.value as OauthClient) : unused.read(id);
    },
    async markUsed(id) {
      const client = await unused.read(id);
      if (client === undefined) return;
      // Written before the unused entry is removed, so that the client can be found at any time.
      await values.put(getKey(id), client, { version: 0, ttl: REGISTRATION_TTL });
      await unused.consume(id);
    },
  };
}
