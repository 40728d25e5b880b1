import {
  checkStores,
  checkString,
  createErrorReporter,
  MAX_LISTED,
  requireArgument,
  requireKnownOptions,
  type StoredValue,
  type Stores,
  TenonError,
} from '@tenon/base';
import { type SealedStoresOptions, sealStores } from '../sealed-stores.js';

/** Options of `sealRestoredStores`. */
export interface RestoredStoresOptions extends SealedStoresOptions {
  /** Prefix under which the values were encrypted: the prefix of Redis, or the schema of Postgres. */
  readonly from: string;
}

/** Result of `sealRestoredStores`. */
export interface RestoredStoresResult {
  /** Number of values that were bound to the prefix `from`, or to none, and now belong to these stores. */
  readonly resealed: number;
  /** Number of values that were left as they are, because they belong to these stores already or are not encrypted. */
  readonly unchanged: number;
  /** Number of values that no key opens, or that another process has changed meanwhile. */
  readonly failed: number;
}

/**
 * Binds values that were restored from a backup under another prefix to the prefix of these stores. Versions grow by
 * one, and lifetimes stay. Run it while no server uses the stores, and again if it was interrupted.
 *
 * @param stores The stores without encryption, as `redisStores` and `postgresStores` return them.
 * @throws TenonError `store/option` for invalid keys.
 */
export async function sealRestoredStores(
  stores: Stores,
  options: RestoredStoresOptions,
): Promise<RestoredStoresResult> {
  requireKnownOptions('sealRestoredStores', options, { from: true, keys: true, onError: true });
  requireArgument('`stores` of sealRestoredStores', stores, checkStores, 'store/option');
  requireArgument('`from` of sealRestoredStores', options.from, checkString, 'store/option');
  const { from, keys } = options;
  const report = createErrorReporter(options.onError);
  const { values, bus, durable } = stores;
  const source = sealStores({ values, bus, durable, prefix: from, close: () => stores.close() }, { keys }).values;
  const target = sealStores(stores, { keys }).values;
  const counts = { resealed: 0, unchanged: 0, failed: 0 };

  async function sealOne({ key, version, value }: StoredValue): Promise<keyof RestoredStoresResult> {
    if (typeof value.sealed !== 'string') return 'unchanged';
    const opened = await source.get(key);
    if (opened === undefined) return (await target.get(key)) === undefined ? 'failed' : 'unchanged';
    const written = await target.put(key, opened.value, { version, keepTtl: true });
    return written === undefined ? 'failed' : 'resealed';
  }

  for (let after: string | undefined; ; ) {
    const page = await stores.values.list('', { after });
    for (const stored of page) {
      const outcome = await sealOne(stored).catch((error: unknown): keyof RestoredStoresResult => {
        report(TenonError.from(error));
        return 'failed';
      });
      counts[outcome] += 1;
    }
    after = page.at(-1)?.key;
    if (page.length < MAX_LISTED) return counts;
  }
}
