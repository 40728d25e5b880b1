import type { JsonObject } from '../json/json-object.js';

/**
 * Stores for values that outlive a process or that several processes share: tasks, sessions, journaled steps. Create
 * them with `memoryStores`, `sqliteStores` of `tenon/sqlite`, or `redisStores` of `tenon/redis`. Test your own
 * implementation with `storeCases` of `@tenon/testing`.
 */
export interface Stores {
  /** JSON values by key. */
  readonly values: Values;
  /** Bus for messages between processes. */
  readonly bus: Bus;
  /** Counters of rate limits and quotas. Absent: each process counts on its own. */
  readonly buckets?: Buckets | undefined;
  /** True if the values survive a restart and other processes can read them. */
  readonly durable: boolean;
  /**
   * True if the values leave this machine. Servers and hosts then require `inputRequests.keys`, and encrypt what they
   * store and publish. Absent: false.
   */
  readonly remote?: boolean | undefined;
  /**
   * Name under which the values are stored, if several deployments may share the storage. Encrypted values are bound to
   * it, so a copy under another prefix does not open. Absent: they are bound to their keys only.
   */
  readonly prefix?: string | undefined;
  /**
   * Returns the time by which values expire, in milliseconds since the epoch. Absent: the time of this process.
   */
  readonly now?: (() => Promise<number>) | undefined;
  /** Rejects if this process cannot use the stores, although they respond. Absent: any process can. */
  readonly check?: (() => Promise<void>) | undefined;
  /** Returns the formats of records that this process found and cannot read. Absent: none. */
  readonly getUnknownFormats?: (() => readonly UnknownFormat[]) | undefined;
  /** Closes the stores and frees their resources. Later calls fail with `store/closed`. You may call it again. */
  close(): Promise<void>;
}

/** Format of records that another release wrote. This release leaves such records alone. */
export interface UnknownFormat {
  /** Kind of the records: the first part of their keys. */
  readonly kind: string;
  /** Format version of the records. */
  readonly format: string;
}

/** A value with its key and version. It is a copy, so changes to it do not change the store. */
export interface StoredValue<T extends object = JsonObject> {
  /** Key under which the value is stored. */
  readonly key: string;
  /** Copy of the stored value. */
  readonly value: T;
  /**
   * Version of the value. The first write of a key gives 1, and each further write adds 1. A deleted or expired key
   * starts again at 1.
   */
  readonly version: number;
}

/** Options of `put`. */
export interface PutOptions {
  /** Writes only if this is the current version. 0 writes only if there is no value. Absent: always writes. */
  readonly version?: number | undefined;
  /** Lifetime of the value, in milliseconds from now. The value is deleted after it. Absent: no expiry. */
  readonly ttl?: number | undefined;
  /**
   * Keeps the current lifetime of the value instead of `ttl`. Needs `version`.
   * @default false
   */
  readonly keepTtl?: boolean | undefined;
  /**
   * The user or address whose share of the store the value uses. Later writes of the key keep it.
   *
   * `memoryStores` limits the share of one owner. A store may ignore this option.
   */
  readonly owner?: string | undefined;
}

/** Options of `list`. */
export interface ListOptions {
  /** Lists the keys after this one. A value with this key need not exist. */
  readonly after?: string | undefined;
  /**
   * Maximum number of values.
   * @default and maximum: 1000
   */
  readonly limit?: number | undefined;
}

/**
 * JSON objects by key. Each call is atomic, also against other processes. The calls of one process take effect in the
 * order in which they are made.
 * @throws TenonError `store/key` unless the key has 1 to 512 printable ASCII characters. `store/value` unless the value
 * is an object that JSON can represent. `store/value-too-large` for a value beyond the limit of the store.
 */
export interface Values<T extends object = JsonObject> {
  /** Returns the value of a key, or `undefined` if the key has no value or the value has expired. */
  get(key: string): Promise<StoredValue<T> | undefined>;
  /**
   * Writes a value and returns its new version. Returns `undefined` if the current version differs from `version`. When
   * the promise resolves, the value is stored: in a durable store it survives a crash of the process and a power
   * failure.
   */
  put(key: string, value: T, options?: PutOptions): Promise<number | undefined>;
  /** Deletes a value and returns true if there was one. With `version`, it deletes only that version. */
  delete(key: string, version?: number): Promise<boolean>;
  /** Lists the values whose keys begin with `prefix`, in the order of the keys' character codes. */
  list(prefix: string, options?: ListOptions): Promise<StoredValue<T>[]>;
}

/**
 * Messages to the current listeners in every process that shares the store, including this one. Each listener gets a
 * message at most once, and never while `publish` is still running.
 *
 * The messages of one publisher arrive in order. Topics have the limits of keys, and messages have the limits of
 * values.
 */
export interface Bus {
  /** Publishes a message to all listeners of a topic, in all processes. */
  publish(topic: string, message: JsonObject): Promise<void>;
  /**
   * Calls the listener for each later message with its own copy. Returns a function that removes the listener.
   *
   * A store over a network may miss messages of other processes until a later call of this store has ended. Therefore
   * subscribe first, then read.
   */
  subscribe(topic: string, listener: (message: JsonObject) => void): () => void;
}

/** Size of a token bucket. */
export interface BucketSize {
  /** Tokens of a full bucket: a number of at least 1. */
  readonly burst: number;
  /** Tokens that are added per second: a number greater than 0. */
  readonly perSecond: number;
}

/**
 * Token buckets by key. Each call is one atomic step, also against other processes, and uses the clock of the store. A
 * full bucket takes no room.
 */
export interface Buckets {
  /**
   * Takes tokens, and returns 0. Takes none if the bucket has too few, and returns the time until it has enough, in
   * milliseconds. A negative `count` returns tokens. Use the same size for all calls with a key.
   * @param count Number of tokens, at most `burst`. Default: 1.
   * @throws TenonError `store/key` unless the key has 1 to 512 printable ASCII characters, and `store/option` for an
   * invalid size or count.
   */
  take(key: string, size: BucketSize, count?: number): Promise<number>;
}
