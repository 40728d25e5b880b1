import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { findCallSite } from './call-site.js';

const STDOUT = 1;
const STDERR = 2;
const WRITERS = ['write', 'writeSync', 'writev', 'writevSync'] as const;

/**
 * Sends what is written to the file descriptor of stdout to stderr. Loggers that are in a hurry (pino) write that way, past
 * `process.stdout`. Returns the function that undoes it.
 */
export function divertDescriptor(onWrite: (from: string | undefined) => void): () => void {
  // The four functions differ in their parameters; only the first one, the descriptor, is looked at.
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
