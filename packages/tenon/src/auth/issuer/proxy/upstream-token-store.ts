import { TenonError } from '../../../jsonrpc/error.js';
import type { JsonObject } from '../../../jsonrpc/message.js';
import type { Seal } from '../../../stores/seal.js';
import type { StoredValue } from '../../../stores/stores.js';
import type { IssuerSettings } from '../options.js';
import { createRandomText, hashSecret } from '../secrets.js';
import type { ExchangedTokens, UpstreamProvider } from './upstream-provider.js';

/** A token of the identity provider that stands behind tokens of ours. */
export interface UpstreamAccess {
  readonly access: string;
  /** Milliseconds since the epoch at which it ends, where the provider says so. */
  readonly until?: number;
}

/**
 * What the identity provider has given, for as long as it stands: no token of ours is good for longer. It is sealed in the
 * store, bound to its key there: who reads the store, or moves entries in it, gets at no token.
 */
export interface UpstreamTokenStore {
  /** Gives the name that it is kept under. */
  add(tokens: ExchangedTokens): Promise<string>;
  /** What is kept under a name, renewed where it is about to end; `undefined` when it has ended. Rejects with `auth/upstream`. */
  read(sid: string): Promise<UpstreamAccess | undefined>;
}

interface StoredTokens extends UpstreamAccess {
  readonly refresh?: string;
}

/** How long before its end a token is renewed, in milliseconds. */
const RENEWAL_MARGIN = 30_000;
const getSessionKey = async (sid: string) => `issuer/upstream/${await hashSecret(sid)}`;

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
    const sealed = await (await getSeal()).seal(stored as unknown as JsonObject, key);
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
    // Another process may have been faster: what it was given is what stands.
    const stored = await values.get(key);
    return stored && open(stored);
  };

  return {
    async add(tokens) {
      const sid = createRandomText();
      await put(await getSessionKey(sid), toStoredTokens(tokens), 0);
      return sid;
    },
    async read(sid) {
      const key = await getSessionKey(sid);
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
  return new TenonError('auth/upstream', "the provider's tokens in the store cannot be decrypted", {
    expected: 'an entry that was encrypted with one of the current keys',
    hint: 'keep the former key in `encryptionKeys`, after the new one; until then these users have to sign in again',
  });
}
