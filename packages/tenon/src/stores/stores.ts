import type { JsonObject } from '../jsonrpc/message.js';

/**
 * Stores of values that outlive a process, or that several processes share: tasks, sessions, remembered steps.
 * `memoryStores` and, from
 * `tenon/sqlite`, `sqliteStores` are two; `storeCases` of `tenon/testing` is what one of your own must do.
 */
export interface Stores {
  /** JSON values by key. */
  readonly values: Values;
  /** Messages between processes. */
  readonly bus: Bus;
  /** True if other processes see the values, and this one after a restart. */
  readonly durable: boolean;
  /** Frees what is held open. What comes after is refused with `store/closed`. May be called again. */
  close(): Promise<void>;
}

/** A value as it stands in a store. It is a copy: changing it changes nothing there. */
export interface StoredValue<T extends object = JsonObject> {
  /** Key of the value. */
  readonly key: string;
  /** The value. */
  readonly value: T;
  /**
   * 1 for the first write of a key, and one more with each. A key that was deleted, or whose time was up, begins anew.
   */
  readonly version: number;
}

/** Options of writing a value. */
export interface PutOptions {
  /** Writes only when this is the version that is there. 0: only when nothing is there. Absent: in any case. */
  readonly version?: number | undefined;
  /** Time for which the value is kept, in milliseconds from now; then it is deleted. Absent: for ever. */
  readonly ttl?: number | undefined;
  /**
   * The user or address whose share of the store's room the value takes; kept from write to write. `memoryStores`
   * leaves room for others when one owner writes much. A store may ignore it.
   */
  readonly owner?: string | undefined;
}

/** Options of listing values. */
export interface ListOptions {
  /** Lists what comes after this key, which need not be there. */
  readonly after?: string | undefined;
  /** Maximum number of entries. Default and most: 1000. */
  readonly limit?: number | undefined;
}

/**
 * JSON objects by their keys. A key is 1 to 512 printable ASCII characters (`store/key`); a value must be an object
 * that JSON can write (`store/value`), within the store's bound (`store/value-too-large`). Each call is atomic, also
 * against other processes, and the calls of one process take effect in the order in which they are made.
 */
export interface Values<T extends object = JsonObject> {
  /** Returns the value of a key. `undefined` when there is nothing, or its time is up. */
  get(key: string): Promise<StoredValue<T> | undefined>;
  /**
   * Writes a value and returns its new version, or `undefined` when the current version differs from `version`. When
   * the promise resolves, the value is stored: in a durable store it survives the end of the process and a power
   * failure.
   */
  put(key: string, value: T, options?: PutOptions): Promise<number | undefined>;
  /** Deletes a value. Returns true if there was one. With `version`, only that one is. */
  delete(key: string, version?: number): Promise<boolean>;
  /** Lists the values whose keys begin with `prefix`, in the order of the keys' character codes. */
  list(prefix: string, options?: ListOptions): Promise<StoredValue<T>[]>;
}

/**
 * Messages for the current listeners in every process that shares the store, including this one. Each listener gets a
 * message at most once, never while `publish` is still running, and the messages of one publisher in their order.
 * Topics have the limits of keys, messages those of values.
 */
export interface Bus {
  /** Sends a message to all subscribers of a topic, in all processes. */
  publish(topic: string, message: JsonObject): Promise<void>;
  /**
   * Calls the listener for each later message, with its own copy. Returns a function that removes the listener. A store over a
   * network may miss messages of other processes until a later call of this store has ended: subscribe first, then read.
   */
  subscribe(topic: string, listener: (message: JsonObject) => void): () => void;
}
