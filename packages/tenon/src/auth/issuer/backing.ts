import { TenonError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { Seal } from '../../stores/seal.js';
import type { Stored } from '../../stores/stores.js';
import type { Settings } from './options.js';
import { hashed, randomText } from './secrets.js';
import type { Exchanged, Provider } from './upstream.js';

/** A token of the identity provider that stands behind tokens of ours. */
export interface Standing {
  readonly access: string;
  /** Milliseconds since the epoch at which it ends, where the provider says so. */
  readonly until?: number;
}

/**
 * What the identity provider has given, for as long as it stands: no token of ours is good for longer. It is sealed in the
 * store, bound to its key there: who reads the store, or moves entries in it, gets at no token.
 */
export interface Backing {
  /** Gives the name that it is kept under. */
  keep(tokens: Exchanged): Promise<string>;
  /** What is kept under a name, renewed where it is about to end; `undefined` when it has ended. Rejects with `auth/upstream`. */
  read(sid: string): Promise<Standing | undefined>;
}

interface Kept extends Standing {
  readonly refresh?: string;
}

/** How long before its end a token is renewed, in milliseconds. */
const MARGIN = 30_000;
const keyOf = async (sid: string) => `issuer/upstream/${await hashed(sid)}`;

export function createBacking(settings: Settings, provider: Provider, getSeal: () => Promise<Seal>): Backing {
  const { values, clock, refreshLife, report } = settings;
  const renewals = new Map<string, Promise<Standing | undefined>>();

  const keptOf = ({ accessToken, lasts, refreshToken }: Exchanged): Kept => ({
    access: accessToken,
    ...(lasts === undefined ? {} : { until: clock.now() + lasts }),
    ...(refreshToken === undefined ? {} : { refresh: refreshToken }),
  });
  const put = async (key: string, kept: Kept, version: number) => {
    const sealed = await (await getSeal()).seal(kept as unknown as JsonObject, key);
    return values.put(key, { sealed }, { version, ttl: refreshLife });
  };
  const open = async ({ key, value: { sealed } }: Stored): Promise<Kept | undefined> => {
    const opened = typeof sealed === 'string' ? await (await getSeal()).open(sealed, key) : undefined;
    if (opened === undefined) report(unreadable());
    return opened as Kept | undefined;
  };

  const renewed = async (key: string, refresh: string, version: number): Promise<Standing | undefined> => {
    const tokens = await provider.renew(refresh);
    if (tokens !== undefined) {
      const kept = keptOf(tokens);
      if (await put(key, kept, version)) return kept;
    } else {
      await values.delete(key, version);
    }
    // Another process may have been faster: what it was given is what stands.
    const stored = await values.get(key);
    return stored && open(stored);
  };

  return {
    async keep(tokens) {
      const sid = randomText();
      await put(await keyOf(sid), keptOf(tokens), 0);
      return sid;
    },
    async read(sid) {
      const key = await keyOf(sid);
      const found = await values.get(key);
      if (found === undefined) return undefined;
      const kept = await open(found);
      if (kept === undefined) return undefined;
      const left = (kept.until ?? Number.POSITIVE_INFINITY) - clock.now();
      if (left > MARGIN) return kept;
      if (kept.refresh === undefined) return left > 0 ? kept : undefined;
      const running =
        renewals.get(key) ?? renewed(key, kept.refresh, found.version).finally(() => renewals.delete(key));
      renewals.set(key, running);
      return running;
    },
  };
}

function unreadable(): TenonError {
  return new TenonError('auth/upstream', "the provider's tokens in the store cannot be decrypted", {
    expected: 'an entry that was encrypted with one of the current keys',
    next: 'keep the former key in `encryptionKeys`, after the new one; until then these users have to sign in again',
  });
}
