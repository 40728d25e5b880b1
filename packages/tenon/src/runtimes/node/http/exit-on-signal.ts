import { runWithTimeout, systemClock } from '@tenon/base';
import { stopServerProcesses } from '../processes/running-servers.js';
import { getCurrentWorker } from '../workers/current-worker.js';
import type { ExitOnSignalOptions, HttpServer } from './http-server.js';

/** Maximum time for `onClose`, in milliseconds. */
const CLEAN_UP_TIMEOUT = 10_000;

/**
 * Starts a server that closes on SIGTERM and SIGINT, and then exits the process. A second signal ends it at once.
 *
 * @param start Starts the server, and wraps it in a process that serves by itself.
 */
export async function serveUntilSignal(
  start: (wrap: (server: HttpServer) => HttpServer) => Promise<HttpServer>,
  options: ExitOnSignalOptions,
): Promise<HttpServer> {
  const { timeout, delay } = options;
  const wrap = (server: HttpServer) => withCleanUp(server, options);
  if (getCurrentWorker() !== undefined) {
    // The first process closes the server of a worker, so that `onClose` is a part of that.
    const server = await start(wrap);
    // A terminal and some process managers also signal each worker, which must not cut off its requests.
    process.on('SIGTERM', () => void server.close({ timeout, delay }));
    process.on('SIGINT', () => {});
    process.once('disconnect', () => void stopServerProcesses().then(() => process.exit()));
    return server;
  }
  const server = wrap(await start(own => own));
  let isClosing = false;
  const stop = (signal: number) => () => {
    if (isClosing) process.exit(128 + signal);
    isClosing = true;
    void server
      .close({ timeout, delay })
      .finally(stopServerProcesses)
      .finally(() => process.exit());
  };
  process.on('SIGTERM', stop(15));
  process.on('SIGINT', stop(2));
  return server;
}

/** Adds `onClose` to the end of `close`. A failure makes the process exit with 1. */
function withCleanUp(server: HttpServer, { onClose }: ExitOnSignalOptions): HttpServer {
  if (onClose === undefined) return server;
  let closed: Promise<void> | undefined;
  const cleanUp = async (): Promise<void> => {
    try {
      await runWithTimeout(async () => onClose(), {
        clock: systemClock,
        timeout: CLEAN_UP_TIMEOUT,
        hold: true,
        onTimeout: () => {
          throw new Error(`onClose took longer than ${CLEAN_UP_TIMEOUT / 1000} s`);
        },
      });
    } catch (error) {
      process.exitCode = 1;
      process.stderr.write(`tenon: onClose failed: ${error instanceof Error ? error.stack : String(error)}\n`);
    }
  };
  return {
    ...server,
    close(options) {
      closed ??= server.close(options).then(cleanUp);
      return closed;
    },
  };
}
