import { checkFunction, checkObject, checkString, isObject, type JsonObject, requireArgument } from '@tenon/base';

/** Value in a token store, as JSON. It contains tokens or client secrets. */
export type StoredSecret = JsonObject;

/**
 * Key of a stored value: `['tokens', server, issuer, resource, client]`, `['client', issuer]`, `['redirect', uri]`,
 * `['server', url, client]`. Keys of one user of `scopeTokenStore` begin with `'user'` and that user.
 */
export type TokenStoreKey = readonly string[];

/**
 * Store for tokens. Implementations are `memoryTokenStore`, and `fileTokenStore` of `tenon/auth/node`. Implement these
 * two methods to use another store, for example the keychain of the system.
 */
export interface TokenStore {
  /** Returns the value of a key. Resolves with `undefined` if there is none. */
  get(key: TokenStoreKey): Promise<StoredSecret | undefined>;
  /**
   * Changes the value of a key. While `change` runs, no other caller in any process may change the same key. It may run
   * for minutes.
   *
   * Rejects when `change` rejects, and the value stays.
   */
  update<T>(
    key: TokenStoreKey,
    change: (previous: StoredSecret | undefined) => Promise<TokenStoreUpdate<T>>,
  ): Promise<T>;
  /** Returns the keys of all entries. Only for stores that can list them, such as those in a file. */
  readonly listKeys?: (() => Promise<readonly TokenStoreKey[]>) | undefined;
}

/** Result of `change` in `TokenStore.update`. */
export interface TokenStoreUpdate<T> {
  /** New value. `null` deletes the key. If absent, the value stays. */
  readonly next?: StoredSecret | null | undefined;
  /** Value that `update` resolves with. */
  readonly result: T;
}

/** Creates a token store in memory. Its content is lost when the process ends. */
export function memoryTokenStore(): TokenStore {
  const entries = new Map<string, string>();
  const queues = new Map<string, Promise<unknown>>();
  const read = (name: string): StoredSecret | undefined => {
    const text = entries.get(name);
    return text === undefined ? undefined : (JSON.parse(text) as StoredSecret);
  };
  return {
    get: async key => read(JSON.stringify(key)),
    listKeys: async () => [...entries.keys()].map(parseTokenStoreKey),
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

/** Parses the JSON of a key. */
export const parseTokenStoreKey = (name: string): TokenStoreKey => JSON.parse(name) as string[];

/** Tokens for one resource, issued by one authorization server. */
export interface Tokens {
  readonly access: string;
  readonly type: 'bearer' | 'dpop';
  /** Expiry of the access token, in milliseconds since the epoch. Absent if the server did not send it. */
  readonly expires?: number;
  /**
   * Time from which the client renews the tokens, in milliseconds since the epoch. It is before the expiry, because
   * clocks differ and requests take time.
   */
  readonly renew?: number;
  readonly refresh?: string;
  /** True if the authorization server refused the refresh token for good. It is not sent again. */
  readonly unusable?: boolean;
  /**
   * Dynamically registered client that received the tokens. A refresh token works only for this client, although later
   * sign-ins may register another one. Absent for a configured client.
   */
  readonly client?: TokenClient;
  /** Requested scopes, including those of earlier step-ups. If none were requested, the granted scopes. */
  readonly asked: readonly string[];
}

/** Credentials of a dynamically registered client. */
export interface TokenClient {
  readonly id: string;
  readonly secret?: string;
  readonly method?: string;
}

/** Parses stored credentials of a client. Returns `undefined` for a malformed value. */
export function parseTokenClient(value: unknown): TokenClient | undefined {
  if (!isObject(value) || typeof value.id !== 'string') return undefined;
  const { id, secret, method } = value;
  return {
    id,
    ...(typeof secret === 'string' && secret !== '' ? { secret } : {}),
    ...(typeof method === 'string' ? { method } : {}),
  };
}

/** Parses the tokens of a stored value. Treats a malformed value as absent. */
export function parseTokens(secret: StoredSecret | undefined): Tokens | undefined {
  if (!secret || typeof secret.access !== 'string' || secret.access === '') return undefined;
  const { access, type, expires, renew, refresh, asked, unusable } = secret;
  const client = parseTokenClient(secret.client);
  return {
    access,
    type: type === 'dpop' ? 'dpop' : 'bearer',
    ...(typeof expires === 'number' ? { expires } : {}),
    ...(typeof renew === 'number' ? { renew } : {}),
    ...(typeof refresh === 'string' && refresh !== '' ? { refresh } : {}),
    ...(unusable === true ? { unusable } : {}),
    ...(client ? { client } : {}),
    asked: Array.isArray(asked) ? asked.filter(scope => typeof scope === 'string') : [],
  };
}

export function toStoredSecret(value: object): StoredSecret {
  return value as StoredSecret;
}

/** Issuer and resource of a server's tokens. They are stored, so that the next process need not discover them. */
export interface TokenOrigin {
  readonly issuer: string;
  readonly resource: string;
  /** True if the server has no metadata. Its origin is then its authorization server. */
  readonly undescribed: boolean;
  /** Identifier whose well-known URL has the metadata of the issuer. Absent if it is the issuer itself. */
  readonly location?: string;
}

export function parseTokenOrigin(secret: StoredSecret | undefined): TokenOrigin | undefined {
  if (!isObject(secret) || typeof secret.issuer !== 'string' || typeof secret.resource !== 'string') return undefined;
  const { issuer, resource, undescribed, location } = secret;
  return {
    issuer,
    resource,
    undescribed: undescribed === true,
    ...(typeof location === 'string' ? { location } : {}),
  };
}

/**
 * Returns the storage key of tokens. It contains the server, because a server could otherwise claim the resource of
 * another server on the same origin and receive its tokens.
 */
export const getTokensKey = (server: string, { issuer, resource }: TokenOrigin, client: string): TokenStoreKey => [
  'tokens',
  server,
  issuer,
  resource,
  client,
];

export const getOriginKey = (server: string, client: string): TokenStoreKey => ['server', server, client];

/** Creates a view of a token store that contains only the entries of one user. */
export function scopeTokenStore(tokenStore: TokenStore, user: string): TokenStore {
  requireArgument(
    '`tokenStore` of scopeTokenStore',
    tokenStore,
    checkObject({ get: checkFunction, update: checkFunction }),
  );
  requireArgument('`user` of scopeTokenStore', user, checkString);
  const toUserKey = (key: TokenStoreKey): TokenStoreKey => ['user', user, ...key];
  const listUserKeys = async (): Promise<TokenStoreKey[]> => {
    const keys = (await tokenStore.listKeys?.()) ?? [];
    return keys.flatMap(([kind, owner, ...key]) => (kind === 'user' && owner === user ? [key] : []));
  };
  return {
    get: key => tokenStore.get(toUserKey(key)),
    update: (key, change) => tokenStore.update(toUserKey(key), change),
    ...(tokenStore.listKeys ? { listKeys: listUserKeys } : {}),
  };
}

/**
 * Creates a token store whose entries about this client are in `shared`, and all others in `own`: tokens belong to a
 * user, and registrations and redirect URIs to the program.
 */
export function mergeTokenStores(shared: TokenStore, own: TokenStore): TokenStore {
  const getStore = ([kind]: TokenStoreKey) => (kind === 'client' || kind === 'redirect' ? shared : own);
  return {
    get: key => getStore(key).get(key),
    update: (key, change) => getStore(key).update(key, change),
  };
}
