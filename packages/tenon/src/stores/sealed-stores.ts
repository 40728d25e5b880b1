import {
  areSealKeys,
  type Bus,
  catchMaybe,
  checkStores,
  createErrorReporter,
  createSeal,
  createUnknownFormatLog,
  isUnknownFormat,
  type JsonObject,
  listReadable,
  type MaybePromise,
  requireArgument,
  requireKnownOptions,
  type Seal,
  type SealKey,
  type StoredValue,
  type Stores,
  serializeValue,
  skipUnknown,
  TenonError,
  thenMaybe,
  type UnknownFormatLog,
  type Values,
} from '@tenon/base';
import { CallOrder } from './call-order.js';
import { createSealCheck } from './sealing/seal-check.js';

/** Options of `sealStores`. */
export interface SealedStoresOptions {
  /**
   * Keys of 32 bytes each. The first key seals, and all keys open, so that keys can be rotated. Give all replicas the
   * same keys.
   */
  readonly keys: readonly SealKey[];
  /**
   * Called for each value and message that cannot be opened. It is then ignored.
   * @default no reports
   */
  readonly onError?: ((error: TenonError) => void) | undefined;
}

/** Member of a stored value or message with the sealed text. */
const SEALED = 'sealed';
/**
 * Member of the encrypted text with the prefix of its store. 0.1.0 ignores it, so both releases read what the other
 * writes. Text without it was written by 0.1.0, and opens under every prefix until 0.3.0.
 */
const PREFIX = '$tenonPrefix';

/**
 * Wraps stores so that everything in them is encrypted with AES-256-GCM: values and messages. Keys, topics, versions and
 * lifetimes stay readable.
 *
 * A value is bound to its key and to the prefix of the stores, so a copy under another key or prefix does not open.
 * `sealRestoredStores` moves values to another prefix. A value or message that was changed or was
 * written without a key is treated as absent. A value that was sealed with an unknown key throws `store/unknown-key`.
 * @throws TenonError `store/option` for invalid keys.
 */
export function sealStores(stores: Stores, options: SealedStoresOptions): Stores {
  requireKnownOptions('sealStores', options, { keys: true, onError: true });
  requireArgument('`stores` of sealStores', stores, checkStores, 'store/option');
  const { keys, onError } = options;
  if (!areSealKeys(keys)) {
    throw new TenonError('store/option', 'invalid option `keys`', {
      expected: 'at least one key of 32 bytes, with unique ids of letters, digits, "_" and "-"',
    });
  }
  const report = createErrorReporter(onError);
  const seal = createBoundSeal(keys, stores.prefix, createUnknownFormatLog(report));
  return {
    values: sealValues(stores.values, seal, report),
    bus: sealBus(stores.bus, seal, report),
    // Buckets contain only numbers.
    buckets: stores.buckets,
    now: stores.now,
    durable: stores.durable,
    prefix: stores.prefix,
    check: createSealCheck(stores.values, keys),
    getUnknownFormats: () => [...(stores.getUnknownFormats?.() ?? []), ...seal.log.list()],
    close: () => stores.close(),
  };
}

/** Seals the values and messages of one prefix, for their places. */
interface BoundSeal {
  readonly log: UnknownFormatLog;
  seal(value: JsonObject, boundTo: string): MaybePromise<string>;
  /**
   * Opens the sealed text of a value or message. Returns `undefined` if there is none, if it was changed, or if it is
   * bound to another place.
   */
  open(key: string, sealed: JsonObject, boundTo: string): MaybePromise<JsonObject | undefined>;
}

function createBoundSeal(keys: readonly SealKey[], prefix: string | undefined, log: UnknownFormatLog): BoundSeal {
  const seal = createSeal(keys, Number.POSITIVE_INFINITY);
  const ownPrefix = prefix ?? '';
  const prefixMember = `${JSON.stringify(PREFIX)}:${JSON.stringify(ownPrefix)}`;
  return {
    log,
    seal: (value, boundTo) => {
      const members = serializeValue(value, Number.POSITIVE_INFINITY).slice(1, -1);
      return seal.sealText(`{${members}${members === '' ? '' : ','}${prefixMember}}`, boundTo);
    },
    open: (key, sealed, boundTo) =>
      thenMaybe(openSealed(seal, key, sealed, boundTo, log), opened => {
        if (opened === undefined) return undefined;
        const { [PREFIX]: boundPrefix = ownPrefix, ...value } = opened;
        return boundPrefix === ownPrefix ? value : undefined;
      }),
  };
}

/**
 * Seals stores whose values leave the machine, and returns other stores as they are.
 * @throws TenonError `server/state-keys` without keys.
 */
export function sealRemoteStores(
  stores: Stores,
  keys: readonly SealKey[] | undefined,
  onError: (error: TenonError) => void,
): Stores {
  if (stores.remote !== true) return stores;
  if (keys !== undefined) return sealStores(stores, { keys, onError });
  throw new TenonError('server/state-keys', 'missing `inputRequests.keys`', {
    expected: 'at least one key, because `stores` keep sessions, tasks and results on another machine',
    hint: 'pass the same keys of 32 random bytes to all replicas: inputRequests: { keys: [{ id, key }] }',
  });
}

/**
 * Throws `store/not-encrypted` for stores whose values leave the machine, because secrets would be readable there.
 * `user` is the part of the library that stores them.
 */
export function requireSealed({ remote }: Pick<Stores, 'remote'>, user: string): void {
  if (remote !== true) return;
  throw new TenonError('store/not-encrypted', `${user}: the stores are on another machine and not encrypted`, {
    expected: 'stores that were wrapped by `sealStores`',
    hint: 'pass sealStores(stores, { keys: [{ id, key }] }), with the same keys at all replicas',
  });
}

function sealValues(values: Values, seal: BoundSeal, report: (error: TenonError) => void): Values {
  const order = new CallOrder();
  const open = (stored: StoredValue): MaybePromise<StoredValue | undefined> => {
    const { key, version, value } = stored;
    return thenMaybe(seal.open(key, value, bindToKey(key)), opened => {
      if (opened !== undefined) return { key, version, value: opened };
      report(createNotSealedError('value', key));
      return undefined;
    });
  };

  /**
   * Throws if a value that cannot be opened prevented the creation of a value. A caller that reads it finds none, and
   * would try again forever.
   */
  async function checkConflict(key: string): Promise<void> {
    const stored = await values.get(key);
    if (stored && (await seal.open(key, stored.value, bindToKey(key))) === undefined)
      throw createNotSealedError('value', key);
  }

  return {
    async get(key) {
      const stored = await order.run(undefined, () => values.get(key));
      return stored && open(stored);
    },
    async put(key, value, options = {}) {
      const sealed = seal.seal(value, bindToKey(key));
      const version = await order.run(sealed, text => values.put(key, { [SEALED]: text }, options));
      if (version === undefined && options.version === 0) await checkConflict(key);
      return version;
    },
    delete: async (key, version) => order.run(undefined, () => values.delete(key, version)),
    list: (prefix, options) =>
      listReadable(
        { ...values, list: (...page) => Promise.resolve(order.run(undefined, () => values.list(...page))) },
        prefix,
        options,
        stored => skipUnknown(stored, open),
      ),
  };
}

function sealBus(bus: Bus, seal: BoundSeal, report: (error: TenonError) => void): Bus {
  const publishing = new CallOrder();
  /** Opens a message. A message that cannot be opened is reported. */
  const open = (topic: string, message: JsonObject): MaybePromise<JsonObject | undefined> =>
    catchMaybe<JsonObject | undefined>(
      () =>
        thenMaybe(seal.open(topic, message, bindToTopic(topic)), opened => {
          if (opened === undefined) throw createNotSealedError('message', topic);
          return opened;
        }),
      error => {
        // The log has reported the format.
        if (!isUnknownFormat(error)) report(TenonError.from(error));
        return undefined;
      },
    );
  return {
    async publish(topic, message) {
      const sealed = seal.seal(message, bindToTopic(topic));
      await publishing.run(sealed, text => bus.publish(topic, { [SEALED]: text }));
    },
    subscribe(topic, listener) {
      const receiving = new CallOrder();
      let isEnded = false;
      // The inner bus reports what the listener throws.
      const unsubscribe = bus.subscribe(topic, message =>
        receiving.run(open(topic, message), opened => (opened === undefined || isEnded ? undefined : listener(opened))),
      );
      return () => {
        isEnded = true;
        unsubscribe();
      };
    },
  };
}

function openSealed(
  seal: Seal,
  key: string,
  { [SEALED]: text }: JsonObject,
  boundTo: string,
  log: UnknownFormatLog,
): MaybePromise<JsonObject | undefined> {
  if (typeof text !== 'string') return undefined;
  const format = seal.findUnknownFormat(text);
  if (format !== undefined) throw log.note(key, `${format} of sealed text`);
  const id = seal.findUnknownKey(text);
  if (id === undefined) return seal.open(text, boundTo);
  throw new TenonError('store/unknown-key', `the store has data that was sealed with the key "${id}"`, {
    expected: 'one of the keys of this process',
    hint: 'pass the same keys to all replicas, and keep an old key until everything that it sealed has expired',
  });
}

// Request states are bound to JSON texts, so that no client can place its request state in a store.
const bindToKey = (key: string) => `value ${key}`;
const bindToTopic = (topic: string) => `message ${topic}`;

/** Creates the error for data that another program wrote or changed. It does not contain the key, only its kind. */
function createNotSealedError(kind: 'value' | 'message', key: string): TenonError {
  return new TenonError('store/not-sealed', `cannot open a ${kind} in the store`, {
    expected: `a ${kind} that was sealed with one of the keys of this process, for its place`,
    received: `another one under "${key.split('/', 1)[0]}/"`,
    hint: 'check who can write to the store. After a restore under another prefix, run `tenon store reseal`. The data is ignored',
  });
}
