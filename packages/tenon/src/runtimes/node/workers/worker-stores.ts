import {
  type Clock,
  checkKey,
  createErrorReporter,
  createStoreClosedError,
  type JsonObject,
  runWithTimeout,
  type StoredValue,
  type Stores,
  serializeValue,
  systemClock,
  TenonError,
} from '@tenon/base';
import { fromSentError, type StoreOperation, type WorkerChannel } from './messages.js';

/** Time that the primary process has for one operation, in milliseconds. */
const TIMEOUT = 10_000;

export interface WorkerStoresOptions {
  readonly clock?: Clock | undefined;
  /**
   * Called for listeners that threw.
   * @default the error is dropped
   */
  readonly onError?: ((error: TenonError) => void) | undefined;
}

interface PendingOperation {
  resolve(result: unknown): void;
  reject(error: TenonError): void;
}

/**
 * Creates stores that are in the memory of the primary process, for one of its workers. Their values outlive the worker,
 * and end with the primary process.
 */
export function createWorkerStores(channel: WorkerChannel, options: WorkerStoresOptions = {}): Stores {
  const { clock = systemClock, onError } = options;
  const pending = new Map<number, PendingOperation>();
  const listeners = new Map<number, (message: JsonObject) => void>();
  const report = createErrorReporter(onError);
  let lastId = 0;
  let closing: Promise<void> | undefined;

  const check = () => {
    if (closing) throw createStoreClosedError();
  };
  const post = (operation: StoreOperation, args: unknown[]): number => {
    lastId += 1;
    channel.send({ tenon: 'request', id: lastId, operation, args });
    return lastId;
  };
  async function request(operation: StoreOperation, ...args: unknown[]): Promise<unknown> {
    check();
    let id = 0;
    const work = () =>
      new Promise<unknown>((resolve, reject) => {
        id = post(operation, args);
        pending.set(id, { resolve, reject });
      });
    const onTimeout = () => {
      throw new TenonError('store/unavailable', 'the primary process of the workers did not respond', {
        expected: `a response within ${TIMEOUT / 1000} s`,
        hint: 'check that the primary process does no long work of its own',
      });
    };
    return runWithTimeout(work, { clock, timeout: TIMEOUT, hold: true, onTimeout }).finally(() => {
      pending.delete(id);
      if (closing && pending.size === 0) stopReading();
    });
  }
  async function notify(listener: (message: JsonObject) => void, message: JsonObject): Promise<void> {
    try {
      await listener(message);
    } catch (error) {
      report(TenonError.from(error, 'listener/threw'));
    }
  }
  const stopReading = channel.onMessage(message => {
    if (message.tenon === 'published') {
      const listener = listeners.get(message.subscription);
      if (listener) void notify(listener, message.message);
    } else if (message.tenon === 'response') {
      const { id, result, error } = message;
      if (error) pending.get(id)?.reject(fromSentError(error));
      else pending.get(id)?.resolve(result);
    }
  });
  /** Completes the operations that have begun. */
  async function end(): Promise<void> {
    for (const id of listeners.keys()) post('unsubscribe', [id]);
    listeners.clear();
    if (pending.size === 0) stopReading();
  }

  return {
    durable: true,
    values: {
      get: async key => (await request('get', key)) as StoredValue | undefined,
      put: async (key, value, putOptions) =>
        (await request('put', key, serializeValue(value, Number.POSITIVE_INFINITY), putOptions)) as number | undefined,
      delete: async (key, version) => (await request('delete', key, version)) as boolean,
      list: async (prefix, listOptions = {}) => (await request('list', prefix, listOptions)) as StoredValue[],
    },
    bus: {
      async publish(topic, message) {
        await request('publish', topic, serializeValue(message, Number.POSITIVE_INFINITY));
      },
      subscribe(topic, listener) {
        check();
        checkKey(topic);
        const id = post('subscribe', [topic]);
        listeners.set(id, listener);
        return () => {
          if (listeners.delete(id)) post('unsubscribe', [id]);
        };
      },
    },
    close() {
      closing ??= end();
      return closing;
    },
  };
}
