import { decodeBase64Url, type SealKey, type Stores } from '@tenon/base';
import { createWorkerChannel, type WorkerChannel } from './messages.js';
import { createWorkerStores } from './worker-stores.js';

/** Environment variable with the key that the workers of one program share. Its presence marks a worker. */
export const WORKER_KEY = 'TENON_WORKER_KEY';

const STATE = Symbol.for('tenon.worker');

/** A worker that `serveHttp` started. */
export interface CurrentWorker {
  readonly channel: WorkerChannel;
  readonly sealKey: SealKey;
}

/**
 * Returns this process as a worker of `serveHttp`, if it is one. The variable with the key is removed, so that processes
 * which this one starts do not inherit it.
 */
export function getCurrentWorker(): CurrentWorker | undefined {
  const shared = globalThis as { [STATE]?: CurrentWorker };
  const key = process.env[WORKER_KEY];
  if (key !== undefined && process.send !== undefined) {
    delete process.env[WORKER_KEY];
    shared[STATE] = {
      channel: createWorkerChannel(process as Parameters<typeof createWorkerChannel>[0]),
      sealKey: { id: 'workers', key: decodeBase64Url(key) },
    };
  }
  return shared[STATE];
}

/** Members of a server's definition that workers share. */
interface SharedDefinition {
  readonly stores?: Stores | undefined;
  readonly inputRequests?: { readonly keys?: readonly SealKey[] | undefined } | undefined;
}

/** Adds to the definition of a server in a worker the stores and keys of all workers, where it has none of its own. */
export function withWorkerStores<T extends SharedDefinition>(definition: T): T {
  const worker = getCurrentWorker();
  if (worker === undefined) return definition;
  const { stores = createWorkerStores(worker.channel), inputRequests } = definition;
  // The key of the workers is new after each start, but remote stores keep sealed data for longer.
  if (stores.remote) return definition;
  return { ...definition, stores, inputRequests: { keys: [worker.sealKey], ...inputRequests } };
}
