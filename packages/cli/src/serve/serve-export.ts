/**
 * Loaded before a server file. Serves the server that the file exports on stdio, if the file itself does not read standard
 * input.
 */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { findServer } from './load-server.js';

/** Time for a file to begin to read standard input after it is loaded, in milliseconds. */
const OWN_START = 500;

const [, path] = process.argv;
// The file is loaded after this module. It reports its own errors.
if (path !== undefined) setImmediate(() => serveExport(path).catch(() => {}));

async function serveExport(file: string): Promise<void> {
  // A CommonJS module has run by now. To import it could run it again.
  const required: unknown = createRequire(file).cache[file]?.exports;
  const exports: unknown = required ?? (await import(pathToFileURL(file).href));
  const server = findServer(Object(exports));
  if (server === undefined) return;
  await waitForOwnStart();
  const { readableFlowing } = process.stdin;
  if (readableFlowing !== null || process.stdin.listenerCount('readable') > 0) return;
  // Loaded only now, because it delays the output of files that serve themselves.
  const { serveStdio } = await import('tenon/stdio');
  await serveStdio(server);
}

/** Waits until the process would end, which it does at once if the file only exports a server. */
function waitForOwnStart(): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, OWN_START);
    timer.unref();
    process.once('beforeExit', () => resolve());
  });
}
