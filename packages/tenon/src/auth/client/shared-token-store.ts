import {
  type Clock,
  checkStores,
  hashSha256,
  requireArgument,
  requireKnownOptions,
  runPeriodically,
  type SealKey,
  type StoredValue,
  type Stores,
  sleep,
  systemClock,
  TenonError,
  type Values,
} from '@tenon/base';
import { retryStoreFaults } from '../../stores/fault-retry.js';
import { type CallRunner, putOnce } from '../../stores/put-once.js';
import { toRecordStores } from '../../stores/records/record-stores.js';
import { sealStores } from '../../stores/sealed-stores.js';
import type { StoredSecret, TokenStore, TokenStoreUpdate } from './token-store.js';

declare const crypto: { randomUUID(): string };

/** Options of `sharedTokenStore`. */
export interface SharedTokenStoreOptions {
  /**
   * Keys of 32 bytes each, which encrypt the tokens. The first key seals, and all keys open. Give all replicas the same
   * keys. Required, unless the stores are sealed already (`sealStores`) or stay on this machine.
   * @default none
   */
  readonly keys?: readonly SealKey[] | undefined;
  /**
   * Lifetime of tokens after their last change, in milliseconds.
   * @default 7,776,000,000 (90 days)
   */
  readonly ttl?: number | undefined;
  /**
   * Called for tokens that cannot be decrypted. They are treated as absent.
   * @default no reports
   */
  readonly onError?: ((error: TenonError) => void) | undefined;
  /**
   * Clock for the waits between two attempts. Leases expire by the clock of the store.
   * @default the clock of the system
   */
  readonly clock?: Clock | undefined;
}

/** Time after which a process that does not renew its lease counts as stopped, in milliseconds. */
const LEASE = 15_000;
/** Maximum time between two attempts to get the lease, in milliseconds. */
const MAX_PAUSE = 200;
const DEFAULT_TTL = 90 * 24 * 3_600_000;

/**
 * Creates a token store that all replicas share. One of them at a time changes the value of a key, so tokens are
 * refreshed once, and the others get the new tokens. New tokens are in the store before they are used.
 *
 * A replica that stops during a change loses its lease after 15 seconds. A replica that was suspended meanwhile cannot
 * overwrite newer tokens.
 * @throws TenonError `auth/token-keys` for stores on another machine without keys.
 */
export function sharedTokenStore(stores: Stores, options: SharedTokenStoreOptions = {}): TokenStore {
  requireKnownOptions('sharedTokenStore', options, { keys: true, ttl: true, onError: true, clock: true });
  requireArgument('`stores` of sharedTokenStore', stores, checkStores, 'store/option');
  const { keys, ttl = DEFAULT_TTL, onError, clock = systemClock } = options;
  if (stores.remote && keys === undefined) {
    throw new TenonError('auth/token-keys', 'missing `keys` of the token store', {
      expected: 'at least one key of 32 bytes, because `stores` keep the tokens on another machine',
      hint: 'pass the same keys to all replicas: sharedTokenStore(stores, { keys: [{ id, key }] })',
    });
  }
  const { values } = toRecordStores(keys === undefined ? stores : sealStores(stores, { keys, onError }), onError);
  const queues = new Map<string, Promise<unknown>>();
  const run = <R>(attempt: () => Promise<R>) => retryStoreFaults(attempt, { clock });
  const read = (key: string) => run(() => values.get(`token/${key}`));

  /** Writes the value if it has not changed since it was read. */
  async function write(
    key: string,
    stored: StoredValue | undefined,
    next: StoredSecret | null | undefined,
  ): Promise<boolean> {
    if (next === undefined) return true;
    if (next === null) return stored === undefined || run(() => values.delete(key, stored.version));
    const version = stored?.version ?? 0;
    return (await putOnce(values, key, { secret: next }, { version, ttl }, run)) !== undefined;
  }

  async function change<T>(
    key: string,
    compute: (previous: StoredSecret | undefined) => Promise<TokenStoreUpdate<T>>,
  ): Promise<T> {
    const release = await acquireLease(values, `token-lease/${key}`, clock, run);
    try {
      // The lease may have passed to another process meanwhile. The change is then computed again from its tokens.
      for (;;) {
        const stored = await read(key);
        const { next, result } = await compute(readSecret(stored));
        if (await write(`token/${key}`, stored, next)) return result;
      }
    } finally {
      await release();
    }
  }

  return {
    get: async key => readSecret(await read(toStoredKey(key))),
    update(tokenKey, compute) {
      const key = toStoredKey(tokenKey);
      const apply = () => change(key, compute);
      const done = (queues.get(key) ?? Promise.resolve()).then(apply, apply);
      queues.set(key, done);
      const remove = () => {
        if (queues.get(key) === done) queues.delete(key);
      };
      done.then(remove, remove);
      return done;
    },
  };
}

/** Waits for the lease of a key, and renews it until it is released. */
async function acquireLease(values: Values, key: string, clock: Clock, run: CallRunner): Promise<() => Promise<void>> {
  const lease = { holder: crypto.randomUUID() };
  let version: number | undefined;
  for (;;) {
    version = await putOnce(values, key, lease, { version: 0, ttl: LEASE }, run);
    if (version !== undefined) break;
    // A random time keeps the other processes from trying together.
    await sleep(clock, MAX_PAUSE * (0.5 + Math.random() / 2));
  }
  // A renewal that failed is repeated. If the lease is lost, the write of the tokens is refused.
  const renewal = runPeriodically({ clock, interval: LEASE / 3, onError: () => {} }, async () => {
    if (version !== undefined) version = await values.put(key, lease, { version, ttl: LEASE });
  });
  return async () => {
    await renewal.stop();
    if (version !== undefined) await values.delete(key, version).catch(() => {});
  };
}

function readSecret(stored: StoredValue | undefined): StoredSecret | undefined {
  // Only this token store writes under its keys.
  return stored?.value.secret as StoredSecret | undefined;
}

/** Users and servers are not readable in the store. */
const toStoredKey = (key: readonly string[]) => hashSha256(JSON.stringify(key));
