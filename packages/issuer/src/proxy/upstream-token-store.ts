import { createRandomText, type Seal, sleep } from '@tenon/base';
import { type StoredValue, TenonError } from 'tenon';
import type { IssuerSettings } from '../options.js';
import { hashSecret } from '../secrets.js';
import type { ExchangedTokens, UpstreamProvider } from './upstream-provider.js';

/** Access token of the identity provider. */
export type UpstreamAccess = {
  readonly access: string;
  /** Expiry, in milliseconds since the epoch. Absent if the provider does not send it. */
  readonly until?: number;
};

/**
 * Store for the tokens of the identity provider.
 *
 * Each entry is encrypted and bound to its key. A reader of the store can neither read it nor move it to another key.
 * Tokens of the proxy do not outlive those of the provider.
 */
export interface UpstreamTokenStore {
  /** Stores tokens and returns their ID. */
  add(tokens: ExchangedTokens): Promise<string>;
  /**
   * Reads tokens by ID, and renews them shortly before they expire. Resolves with `undefined` when they have expired.
   *
   * @throws TenonError `auth/upstream`
   */
  read(sid: string): Promise<UpstreamAccess | undefined>;
  /** Removes tokens by ID. A renewal that is running does not bring them back. */
  remove(sid: string): Promise<void>;
}

type StoredTokens = UpstreamAccess & {
  readonly refresh?: string;
};

/** Time before the expiry at which a token is renewed, in milliseconds. */
const RENEWAL_MARGIN = 30_000;
/** Time after which another process may renew, because the one with the lease has probably ended, in milliseconds. */
const LEASE_TTL = 60_000;
/** Time between two looks for the tokens that another process renews, in milliseconds. */
const POLL_INTERVAL = 250;
const getSessionKey = (sid: string) => `issuer/upstream/${hashSecret(sid)}`;

export function createUpstreamTokenStore(
  settings: IssuerSettings,
  provider: UpstreamProvider,
  getSeal: () => Promise<Seal>,
): UpstreamTokenStore {
  const { values, clock, refreshTokenTtl, report } = settings;
  const renewals = new Map<string, Promise<UpstreamAccess | undefined>>();

  const toStoredTokens = ({ accessToken, lifetime, refreshToken }: ExchangedTokens): StoredTokens => ({
    access: accessToken,
    ...(lifetime === undefined ? {} : { until: clock.now() + lifetime }),
    ...(refreshToken === undefined ? {} : { refresh: refreshToken }),
  });
  const write = (key: string, sealed: string, version: number, leasedUntil?: number) =>
    values.put(key, leasedUntil === undefined ? { sealed } : { sealed, leasedUntil }, {
      version,
      ttl: refreshTokenTtl,
    });
  const put = async (key: string, stored: StoredTokens, version: number) =>
    write(key, await (await getSeal()).seal(stored, key), version);
  const open = async ({ key, value: { sealed } }: StoredValue): Promise<StoredTokens | undefined> => {
    const decrypted = typeof sealed === 'string' ? await (await getSeal()).open(sealed, key) : undefined;
    if (decrypted === undefined) report(createUnreadableError());
    return decrypted as StoredTokens | undefined;
  };
  const getRemaining = ({ until = Number.POSITIVE_INFINITY }: UpstreamAccess) => until - clock.now();

  /** Requests new tokens as the holder of the lease. */
  const renewAsHolder = async (entry: StoredValue, refresh: string, version: number) => {
    const { key, value } = entry;
    let tokens: ExchangedTokens | undefined;
    try {
      tokens = await provider.renewTokens(refresh);
    } catch (error) {
      await write(key, String(value.sealed), version); // ends the lease, so that the next caller can try again
      throw error;
    }
    if (tokens === undefined) {
      await values.delete(key, version);
      return undefined;
    }
    const stored = toStoredTokens(tokens);
    await put(key, stored, version);
    return stored;
  };

  /**
   * Renews tokens in one process at a time. Many providers accept a refresh token once, and end the sign-in when two
   * processes use the same one.
   */
  const renewTokens = async (key: string): Promise<UpstreamAccess | undefined> => {
    for (;;) {
      const entry = await values.get(key);
      const stored = entry && (await open(entry));
      if (stored === undefined || getRemaining(stored) > RENEWAL_MARGIN) return stored;
      if (stored.refresh === undefined) return getRemaining(stored) > 0 ? stored : undefined;
      const leaseLeft = Number(entry?.value.leasedUntil ?? 0) - clock.now();
      if (entry && leaseLeft <= 0) {
        const leasedUntil = clock.now() + LEASE_TTL;
        const version = await write(key, String(entry.value.sealed), entry.version, leasedUntil);
        if (version !== undefined) return renewAsHolder(entry, stored.refresh, version);
      } else if (getRemaining(stored) > 0) {
        return stored;
      } else {
        await sleep(clock, Math.min(leaseLeft, POLL_INTERVAL));
      }
    }
  };

  return {
    async add(tokens) {
      const sid = createRandomText();
      await put(getSessionKey(sid), toStoredTokens(tokens), 0);
      return sid;
    },
    async remove(sid) {
      await values.delete(getSessionKey(sid));
    },
    async read(sid) {
      const key = getSessionKey(sid);
      const entry = await values.get(key);
      if (entry === undefined) return undefined;
      const stored = await open(entry);
      if (stored === undefined) return undefined;
      if (getRemaining(stored) > RENEWAL_MARGIN) return stored;
      const running = renewals.get(key) ?? renewTokens(key).finally(() => renewals.delete(key));
      renewals.set(key, running);
      return running;
    },
  };
}

function createUnreadableError(): TenonError {
  return new TenonError('auth/upstream', 'cannot decrypt the stored tokens of the identity provider', {
    expected: 'an entry encrypted with a current key',
    hint: 'add the former key to `encryptionKeys` after the new one, or let the users sign in again',
  });
}
