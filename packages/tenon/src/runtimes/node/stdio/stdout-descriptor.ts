import { syncBuiltinESMExports } from 'node:module';
import { findCallSite } from './call-site.js';

const STDOUT = 1;
const STDERR = 2;
const WRITERS = ['write', 'writeSync', 'writev', 'writevSync'] as const;

/**
 * Redirects writes to the file descriptor of standard output to standard error. Fast loggers (pino) write to the
 * descriptor directly, without `process.stdout`. Returns a function that undoes the redirection.
 */
export function divertDescriptor(onWrite: (from: string | undefined) => void): () => void {
  // The object that all users of the module share. An import of it would need helpers of the bundler in CommonJS.
  const fs = process.getBuiltinModule('node:fs');
  // The four functions have different parameters, but only the first one, the descriptor, matters.
  const table = fs as unknown as Record<string, (descriptor: number, ...rest: unknown[]) => unknown>;
  const undoFunctions = WRITERS.map(name => {
    const original = table[name]!;
    const divertWrite = (descriptor: number, ...rest: unknown[]): unknown => {
      if (descriptor !== STDOUT) return original(descriptor, ...rest);
      onWrite(findCallSite(divertWrite));
      return original(STDERR, ...rest);
    };
    table[name] = Object.assign(divertWrite, original);
    return () => {
      if (table[name] === divertWrite) table[name] = original;
    };
  });
  syncBuiltinESMExports();
  return () => {
    for (const each of undoFunctions) each();
    syncBuiltinESMExports();
  };
}
