import { isObject, type JsonObject } from '../jsonrpc/message.js';

/** What a vault keeps under one key: JSON. Tokens and client secrets are in it. */
export type Secret = JsonObject;

/** What says whose a secret is: `['tokens', server, issuer, resource, client]`, `['client', issuer]`, `['server', url, client]`. */
export type VaultKey = readonly string[];

/**
 * Where tokens are kept. `memoryVault` is one, `fileVault` of `tenon/auth/node` another; one of your own, over the keychain
 * of a system say, has these two methods.
 */
export interface Vault {
  get(key: VaultKey): Promise<Secret | undefined>;
  /**
   * Changes what is under a key. From `change` being called until it is done nobody else, in no process, changes the same
   * key; it may take minutes. `next` is what is kept from then on, `null` for nothing; without it all stays as it was.
   * When `change` rejects, so does this, and all stays as it was.
   */
  update<T>(key: VaultKey, change: (before: Secret | undefined) => Promise<Change<T>>): Promise<T>;
}

export interface Change<T> {
  readonly next?: Secret | null | undefined;
  readonly result: T;
}

/** Keeps secrets for as long as this process runs. */
export function memoryVault(): Vault {
  const kept = new Map<string, string>();
  const busy = new Map<string, Promise<unknown>>();
  const read = (name: string): Secret | undefined => {
    const text = kept.get(name);
    return text === undefined ? undefined : (JSON.parse(text) as Secret);
  };
  return {
    get: async key => read(JSON.stringify(key)),
    update(key, change) {
      const name = JSON.stringify(key);
      const turn = async () => {
        const { next, result } = await change(read(name));
        if (next === null) kept.delete(name);
        else if (next !== undefined) kept.set(name, JSON.stringify(next));
        return result;
      };
      const done = (busy.get(name) ?? Promise.resolve()).then(turn, turn);
      busy.set(name, done);
      const free = () => {
        if (busy.get(name) === done) busy.delete(name);
      };
      done.then(free, free);
      return done;
    },
  };
}

/** Tokens for one resource, by one authorization server. */
export interface Tokens {
  readonly access: string;
  readonly type: 'bearer' | 'dpop';
  /** When the access token expires, in milliseconds of the clock. Absent where the server did not say. */
  readonly expires?: number;
  /** From when on they are to be renewed: somewhat earlier, since clocks differ and a request takes its time. */
  readonly renew?: number;
  readonly refresh?: string;
  /** Scopes that were asked for, over all the steps up; what was granted where none were asked for. */
  readonly asked: readonly string[];
}

/** The tokens in a vault; whatever does not look like some counts as none. */
export function readTokens(secret: Secret | undefined): Tokens | undefined {
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

export function asSecret(value: object): Secret {
  return value as Secret;
}

/** Where the tokens of a server come from: what is remembered so that the next process needs not ask. */
export interface Origin {
  readonly issuer: string;
  readonly resource: string;
  /** The server has no metadata of its own: its origin is its authorization server. */
  readonly undescribed: boolean;
}

export function readOrigin(secret: Secret | undefined): Origin | undefined {
  if (!isObject(secret) || typeof secret.issuer !== 'string' || typeof secret.resource !== 'string') return undefined;
  return { issuer: secret.issuer, resource: secret.resource, undescribed: secret.undescribed === true };
}

/**
 * Tokens belong to one server: another one that names the same resource does not get them. A server could otherwise name
 * the resource of its neighbours on the same origin, and receive their tokens.
 */
export const tokensKey = (server: string, { issuer, resource }: Origin, client: string): VaultKey => [
  'tokens',
  server,
  issuer,
  resource,
  client,
];

export const originKey = (server: string, client: string): VaultKey => ['server', server, client];

/**
 * The part of a vault that belongs to one user: what is kept through it is seen by nobody who has the part of another. For
 * a host that calls servers on behalf of many, each with credentials of their own.
 */
export function vaultOf(vault: Vault, user: string): Vault {
  const own = (key: VaultKey): VaultKey => ['user', user, ...key];
  return {
    get: key => vault.get(own(key)),
    update: (key, change) => vault.update(own(key), change),
  };
}
