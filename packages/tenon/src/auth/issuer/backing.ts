import type { JsonObject } from '../../jsonrpc/message.js';
import type { Settings } from './options.js';
import { hashed, randomText } from './secrets.js';
import type { Exchanged, Provider } from './upstream.js';

/** A token of the identity provider that stands behind tokens of ours. */
export interface Standing {
  readonly access: string;
  /** Milliseconds since the epoch at which it ends, where the provider says so. */
  readonly until?: number;
}

/** What the identity provider has given, for as long as it stands: no token of ours is good for longer. */
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

export function createBacking({ values, clock, refreshLife }: Settings, provider: Provider): Backing {
  const renewals = new Map<string, Promise<Standing | undefined>>();

  const keptOf = ({ accessToken, lasts, refreshToken }: Exchanged): Kept => ({
    access: accessToken,
    ...(lasts === undefined ? {} : { until: clock.now() + lasts }),
    ...(refreshToken === undefined ? {} : { refresh: refreshToken }),
  });
  const put = (key: string, kept: Kept, version: number) =>
    values.put(key, kept as unknown as JsonObject, { version, ttl: refreshLife });

  const renewed = async (key: string, refresh: string, version: number): Promise<Standing | undefined> => {
    const tokens = await provider.renew(refresh);
    if (tokens !== undefined) {
      const kept = keptOf(tokens);
      if (await put(key, kept, version)) return kept;
    } else {
      await values.delete(key, version);
    }
    // Another process may have been faster: what it was given is what stands.
    return (await values.get(key))?.value as unknown as Kept | undefined;
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
      const kept = found.value as unknown as Kept;
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
