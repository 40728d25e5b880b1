import { createRandomText, type Seal } from '@tenon/base';
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
}

type StoredTokens = UpstreamAccess & {
  readonly refresh?: string;
};

/** Time before the expiry at which a token is renewed, in milliseconds. */
const RENEWAL_MARGIN = 30_000;
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
  const put = async (key: string, stored: StoredTokens, version: number) => {
    const sealed = await (await getSeal()).seal(stored, key);
    return values.put(key, { sealed }, { version, ttl: refreshTokenTtl });
  };
  const open = async ({ key, value: { sealed } }: StoredValue): Promise<StoredTokens | undefined> => {
    const decrypted = typeof sealed === 'string' ? await (await getSeal()).open(sealed, key) : undefined;
    if (decrypted === undefined) report(createUnreadableError());
    return decrypted as StoredTokens | undefined;
  };

  const renewTokens = async (key: string, refresh: string, version: number): Promise<UpstreamAccess | undefined> => {
    const tokens = await provider.renewTokens(refresh);
    if (tokens !== undefined) {
      const stored = toStoredTokens(tokens);
      if (await put(key, stored, version)) return stored;
    } else {
      await values.delete(key, version);
    }
    // Another process may have renewed the tokens first. Its tokens are then valid.
    const stored = await values.get(key);
    return stored && open(stored);
  };

  return {
    async add(tokens) {
      const sid = createRandomText();
      await put(getSessionKey(sid), toStoredTokens(tokens), 0);
      return sid;
    },
    async read(sid) {
      const key = getSessionKey(sid);
      const entry = await values.get(key);
      if (entry === undefined) return undefined;
      const stored = await open(entry);
      if (stored === undefined) return undefined;
      const remaining = (stored.until ?? Number.POSITIVE_INFINITY) - clock.now();
      if (remaining > RENEWAL_MARGIN) return stored;
      if (stored.refresh === undefined) return remaining > 0 ? stored : undefined;
      const running =
        renewals.get(key) ?? renewTokens(key, stored.refresh, entry.version).finally(() => renewals.delete(key));
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
