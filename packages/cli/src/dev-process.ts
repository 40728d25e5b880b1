/** Entry point of the process that runs the server of `tenon dev`. */

import { logError, setServerDefaults } from '@tenon/base';
import { TenonError } from 'tenon';
import { serveParent } from 'tenon/node';
import type { ModuleError, SourceLocation } from './dev/locate-error.js';
import type { FailureMessage } from './dev/module-process.js';
import { loadServer } from './serve/load-server.js';

/** Place of an error of Bun. */
type BunPosition = SourceLocation | null | undefined;

const [reference = '', folder = ''] = process.argv.slice(2);

// Ctrl-C reaches all processes of a terminal. The parent process decides when this one ends.
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit());
process.on('uncaughtException', reportError);

// A caller gets no message of an unexpected error, and the server may log it elsewhere.
setServerDefaults({ onOwnError: logError });

try {
  const server = await loadServer(reference, folder);
  await serveParent(server);
  end();
} catch (error) {
  reportError(error);
}

/** Ends the process as SIGTERM does, so that the module can clean up. */
function end(): void {
  if (process.listenerCount('SIGTERM') === 0) process.exit();
  // On Windows, `process.kill` ends the process without calling the listeners.
  if (process.platform === 'win32') process.emit('SIGTERM', 'SIGTERM');
  else process.kill(process.pid, 'SIGTERM');
}

function reportError(thrown: unknown): void {
  const message: FailureMessage = { dev: 'failed', error: toModuleError(thrown) };
  if (process.connected) process.send?.(message, undefined, undefined, () => process.exit(1));
  else process.exit(1);
}

function toModuleError(thrown: unknown): ModuleError {
  if (!(thrown instanceof Error)) return { name: '', message: `thrown: ${String(thrown)}`, stack: '' };
  // Bun throws one error with the errors of all files.
  const first: Error & { readonly position?: BunPosition } =
    thrown instanceof AggregateError && thrown.errors[0] instanceof Error ? thrown.errors[0] : thrown;
  const { name, message, stack = '', position } = first;
  if (TenonError.is(first) && first.code === 'cli/usage')
    return { name: '', message, stack: '', usage: { summary: first.summary, hint: first.hint ?? '' } };
  if (!position) return { name, message, stack };
  const { file, line, column } = position;
  return { name, message, stack, location: { file, line, column } };
}
