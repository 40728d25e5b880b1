import { isObject, type JsonObject } from '../../jsonrpc/message.js';

/** Stored value of one key: JSON. Tokens and client secrets are in it. */
export type StoredSecret = JsonObject;

/**
 * Key of a stored value: `['tokens', server, issuer, resource, client]`, `['client', issuer]`, `['server', url,
 * client]`.
 */
export type TokenStoreKey = readonly string[];

/**
 * Store of tokens. Implementations are `memoryTokenStore`, and `fileTokenStore` of `tenon/auth/node`. Your own, for
 * example over the keychain of a system, needs these two methods.
 */
export interface TokenStore {
  /** Returns the entry of a key, if there is one. */
  get(key: TokenStoreKey): Promise<StoredSecret | undefined>;
  /**
   * Changes the value of a key. While `change` runs, no other caller in any process may change the same key; it may run
   * for minutes. `next` is the new value, `null` deletes it, and without it the value stays. Rejects when `change`
   * rejects, and the value stays.
   */
  update<T>(
    key: TokenStoreKey,
    change: (previous: StoredSecret | undefined) => Promise<TokenStoreUpdate<T>>,
  ): Promise<T>;
}

/** Result of changing an entry of a token store. */
export interface TokenStoreUpdate<T> {
  /** The new entry. `null` deletes it; absent leaves it unchanged. */
  readonly next?: StoredSecret | null | undefined;
  /** Value that `update` resolves with. */
  readonly result: T;
}

/** Creates a token store in this process. */
export function memoryTokenStore(): TokenStore {
  const entries = new Map<string, string>();
  const queues = new Map<string, Promise<unknown>>();
  const read = (name: string): StoredSecret | undefined => {
    const text = entries.get(name);
    return text === undefined ? undefined : (JSON.parse(text) as StoredSecret);
  };
  return {
    get: async key => read(JSON.stringify(key)),
    update(key, change) {
      const name = JSON.stringify(key);
      const applyChange = async () => {
        const { next, result } = await change(read(name));
        if (next === null) entries.delete(name);
        else if (next !== undefined) entries.set(name, JSON.stringify(next));
        return result;
      };
      const done = (queues.get(name) ?? Promise.resolve()).then(applyChange, applyChange);
      queues.set(name, done);
      const removeFromQueue = () => {
        if (queues.get(name) === done) queues.delete(name);
      };
      done.then(removeFromQueue, removeFromQueue);
      return done;
    },
  };
}

/** Tokens for one resource, by one authorization server. */
export interface Tokens {
  readonly access: string;
  readonly type: 'bearer' | 'dpop';
  /** Expiry of the access token, in milliseconds of the clock. Absent if the server did not send it. */
  readonly expires?: number;
  /** From when on they are to be renewed: somewhat earlier, since clocks differ and a request takes its time. */
  readonly renew?: number;
  readonly refresh?: string;
  /** The requested scopes, including those of earlier step-ups. The granted scopes if none were requested. */
  readonly asked: readonly string[];
}

/** Reads the tokens of an entry. A malformed entry is treated as absent. */
export function parseTokens(secret: StoredSecret | undefined): Tokens | undefined {
  if (!secret || typeof secret.access !== 'string' || secret.access === '') return undefined;
  const { access, type, expires, renew, refresh, asked } = secret;
  return {
    access,
    type: type === 'dpop' ? 'dpop' : 'bearer',
    ...(typeof expires === 'number' ? { expires } : {}),
    ...(typeof renew === 'number' ? { renew } : {}),
    ...(typeof refresh === 'string' ? { refresh } : {}),
    asked: Array.isArray(asked) ? asked.filter(scope => typeof scope === 'string') : [],
  };
}

export function toStoredSecret(value: object): StoredSecret {
  return value as StoredSecret;
}

/** Origin of the tokens of a server, stored so that the next process need not discover it. */
export interface TokenOrigin {
  readonly issuer: string;
  readonly resource: string;
  /** The server has no metadata of its own: its origin is its authorization server. */
  readonly undescribed: boolean;
}

export function parseTokenOrigin(secret: StoredSecret | undefined): TokenOrigin | undefined {
  if (!isObject(secret) || typeof secret.issuer !== 'string' || typeof secret.resource !== 'string') return undefined;
  return { issuer: secret.issuer, resource: secret.resource, undescribed: secret.undescribed === true };
}

/**
 * Tokens belong to one server: another one that names the same resource does not get them. A server could otherwise
 * name the resource of its neighbours on the same origin, and receive their tokens.
 */
export const getTokensKey = (server: string, { issuer, resource }: TokenOrigin, client: string): TokenStoreKey => [
  'tokens',
  server,
  issuer,
  resource,
  client,
];

export const getOriginKey = (server: string, client: string): TokenStoreKey => ['server', server, client];

/** Creates the part of a token store that belongs to one user. Users cannot see each other's parts. */
export function scopeTokenStore(tokenStore: TokenStore, user: string): TokenStore {
  const toUserKey = (key: TokenStoreKey): TokenStoreKey => ['user', user, ...key];
  return {
    get: key => tokenStore.get(toUserKey(key)),
    update: (key, change) => tokenStore.update(toUserKey(key), change),
  };
}
