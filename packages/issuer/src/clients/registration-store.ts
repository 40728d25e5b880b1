import type { Values } from 'tenon';
import { hashSecret } from '../secrets.js';
import { createSingleUseStore } from '../single-use-store.js';
import type { OauthClient } from './client.js';

/** Lifetime in ms of a registration that a user has signed in to. */
export const REGISTRATION_TTL = 90 * 24 * 3600 * 1_000;

export interface RegistrationLimits {
  /** Maximum number of registrations that no user has signed in to. */
  readonly maxUnused: number;
  /** Lifetime in ms of a registration that no user has signed in to. */
  readonly unusedTtl: number;
}

/**
 * Clients that have registered themselves. Registration needs no authorization, so a registration that no user has signed in
 * to is short-lived and is replaced by newer ones.
 */
export interface RegistrationStore {
  createId(): string;
  add(client: OauthClient): Promise<void>;
  find(id: string): Promise<OauthClient | undefined>;
  /** Keeps a client for `REGISTRATION_TTL`, because a user has signed in to it. Ids of other clients are ignored. */
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
