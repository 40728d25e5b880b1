import { availableParallelism } from 'node:os';
import { createErrorReporter, logError, TenonError } from '@tenon/base';
import type { CloseOptions } from '../../../transports/http/server/endpoint.js';
import { requireCloseOptions } from '../../../transports/http/server/option-checks.js';
import type { HttpServer, ServeHttpOptions } from '../http/http-server.js';
import { type CurrentWorker, getCurrentWorker } from './current-worker.js';
import { toSentError } from './messages.js';
import { WorkerPool } from './worker-pool.js';

const MAX_WORKERS = 1024;

let hasPool = false;

/** Serves in each worker, if this process is one; else starts the workers. */
export function serveWithWorkers(
  serve: () => Promise<HttpServer>,
  { workers = 1, onError = logError }: Pick<ServeHttpOptions, 'workers' | 'onError'>,
): Promise<HttpServer> {
  const worker = getCurrentWorker();
  if (worker) return serveInWorker(worker, serve);
  const count = workers === 'auto' ? availableParallelism() : workers;
  if (!Number.isInteger(count) || count < 1 || count > MAX_WORKERS)
    throw new TenonError('serve/options', 'invalid option `workers` of serveHttp', {
      expected: `'auto' or an integer from 1 to ${MAX_WORKERS}`,
      received: String(workers).slice(0, 40),
    });
  return count === 1 ? serve() : startWorkers(count, createErrorReporter(onError));
}

/** Starts workers that run this program again, and serve in it. */
async function startWorkers(count: number, onError: (error: TenonError) => void): Promise<HttpServer> {
  const { default: cluster } = await import('node:cluster');
  if (!cluster.isPrimary || hasPool) {
    throw new TenonError('serve/options', 'the option `workers` of serveHttp cannot be used here', {
      expected: 'one call with `workers` in a program that is not itself a worker of a cluster',
      received: hasPool ? 'a second call' : 'a worker of another cluster',
      hint: 'leave the option out',
    });
  }
  hasPool = true;
  const pool = new WorkerPool(cluster, count, onError);
  let closed: Promise<void> | undefined;
  try {
    const address = await pool.start();
    return {
      ...address,
      async close(options: CloseOptions = {}) {
        requireCloseOptions(options);
        closed ??= pool.close(options).finally(() => {
          hasPool = false;
        });
        return closed;
      },
    };
  } catch (error) {
    hasPool = false;
    throw error;
  }
}

/** Serves in a worker, and closes when the primary process says so. */
async function serveInWorker({ channel }: CurrentWorker, serve: () => Promise<HttpServer>): Promise<HttpServer> {
  const server = await serve().catch((error: unknown) => {
    channel.send({ tenon: 'failed', error: toSentError(error) });
    throw error;
  });
  const { url, sseUrl, port } = server;
  let closed: Promise<void> | undefined;
  const close = (options?: CloseOptions): Promise<void> => {
    closed ??= server.close(options).then(async () => {
      channel.send({ tenon: 'closed' });
      const { default: cluster } = await import('node:cluster');
      // The channel keeps a worker alive.
      cluster.worker?.disconnect();
    });
    return closed;
  };
  channel.onMessage(message => {
    if (message.tenon === 'close') void close({ timeout: message.timeout, delay: message.delay });
  });
  channel.send({ tenon: 'listening', url, sseUrl, port });
  return { url, sseUrl, port, close };
}
