import type { JsonObject, ListOptions, PutOptions, Stores } from '@tenon/base';
import { type StoreOperation, toSentError, type WorkerChannel } from './messages.js';

/** Serves the stores of the primary process to one worker. Returns a function that ends its subscriptions. */
export function serveStores({ values, bus }: Stores, channel: WorkerChannel): () => void {
  const subscriptions = new Map<number, () => void>();
  const unsubscribe = (id: number) => {
    subscriptions.get(id)?.();
    subscriptions.delete(id);
  };
  const operations: { readonly [O in StoreOperation]: (id: number, ...args: never[]) => unknown } = {
    get: (_, key: string) => values.get(key),
    put: (_, key: string, text: string, options?: PutOptions) => values.put(key, parseObject(text), options),
    delete: (_, key: string, version?: number) => values.delete(key, version),
    list: (_, prefix: string, options?: ListOptions) => values.list(prefix, options),
    publish: (_, topic: string, text: string) => bus.publish(topic, parseObject(text)),
    subscribe(id, topic: string) {
      const forward = (message: JsonObject) => {
        // The publisher gets the response to its call first: no listener is called while `publish` runs.
        setImmediate(() => {
          if (subscriptions.has(id)) channel.send({ tenon: 'published', subscription: id, message });
        });
      };
      subscriptions.set(id, bus.subscribe(topic, forward));
    },
    unsubscribe: (_, id: number) => unsubscribe(id),
  };
  const respond = async (id: number, operation: StoreOperation, args: unknown[]) => {
    try {
      channel.send({ tenon: 'response', id, result: await operations[operation](id, ...(args as never[])) });
    } catch (error) {
      channel.send({ tenon: 'response', id, error: toSentError(error) });
    }
  };
  const stopReading = channel.onMessage(message => {
    if (message.tenon === 'request') void respond(message.id, message.operation, message.args);
  });
  return () => {
    stopReading();
    for (const id of subscriptions.keys()) unsubscribe(id);
  };
}

const parseObject = (text: string) => JSON.parse(text) as JsonObject;
