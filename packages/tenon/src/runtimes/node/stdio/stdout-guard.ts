import { fstatSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** A write of other code to standard output, which is reserved for the protocol. */
export interface StdoutWriteEvent {
  /** Location of the code: `file:line:column`. Undefined if it is not known. */
  readonly from: string | undefined;
  /** True if the write happened before standard output was reserved, so that it has reached the client. */
  readonly early: boolean;
}

export interface StdoutGuard {
  /** Writes to the real standard output. */
  readonly write: typeof process.stdout.write;
  /** Ends the reservation of standard output. */
  release(): void;
}

type StdoutWrite = typeof process.stdout.write;
type HeldWrite = { args: Parameters<StdoutWrite>; from: string | undefined };

const STDOUT = 1;
const STDERR = 2;
const WRITERS = ['write', 'writeSync', 'writev', 'writevSync'] as const;
const STACK_DEPTH = 30;
// Formats: `at name (place)`, `at place` or `at async place`. The place of Node's own code begins with `node:`.
const FRAME_LOCATION = /(?:\(|^at (?:async )?)((?:file:\/\/|\/|[A-Za-z]:[\\/]).*:\d+:\d+)\)?$/;
const HOLD_TIMEOUT = 1000;
const MAX_HELD_BYTES = 64 * 1024;
const MAX_REPORTED_SITES = 100;

let originalWrite: StdoutWrite | undefined;
let mode: 'pass' | 'hold' | 'divert' = 'pass';
let divertWrite: ((args: Parameters<StdoutWrite>, from: string | undefined) => boolean) | undefined;
let heldWrites: HeldWrite[] = [];
let heldBytes = 0;

/** Replaces `process.stdout.write` permanently, because other code may have wrapped it since. */
function replaceStdoutWrite(): StdoutWrite {
  if (originalWrite) return originalWrite;
  const { stdout } = process;
  const write: StdoutWrite = stdout.write.bind(stdout);
  originalWrite = write;
  const guardWrite = (...args: Parameters<StdoutWrite>): boolean => {
    if (mode === 'divert' && divertWrite) return divertWrite(args, findCallSite(guardWrite));
    if (mode !== 'hold') return write(...args);
    heldWrites.push({ args, from: findCallSite(guardWrite) });
    heldBytes += args[0].length;
    if (heldBytes > MAX_HELD_BYTES) releaseHeld();
    return true;
  };
  stdout.write = guardWrite as StdoutWrite;
  // The console of Deno and Bun writes without `process.stdout`.
  if ('Deno' in globalThis || 'Bun' in globalThis)
    Object.assign(console, new (process.getBuiltinModule('node:console').Console)(process));
  return write;
}

/** Writes the held output to standard output. */
function releaseHeld(): void {
  if (mode !== 'hold') return;
  mode = 'pass';
  for (const { args } of takeHeld()) originalWrite?.(...args);
}

function takeHeld(): HeldWrite[] {
  const taken = heldWrites;
  heldWrites = [];
  heldBytes = 0;
  return taken;
}

/**
 * Holds writes to standard output for up to a second, until it is known if this process serves over stdio. Only used if
 * standard input and output are pipes. Otherwise the output is written later: at once if it is large or the process
 * exits.
 */
export function holdStdout(): void {
  if (mode !== 'pass' || originalWrite || !isPipe(0) || !isPipe(1)) return;
  replaceStdoutWrite();
  mode = 'hold';
  setTimeout(releaseHeld, HOLD_TIMEOUT).unref();
  process.once('exit', releaseHeld);
}

/**
 * Reserves standard output for the protocol. Writes of other code are redirected to standard error, and `report` is
 * called once for each code location, up to 100 locations. Native code and child processes that inherit standard output
 * are not covered.
 */
export function guardStdout(report: (write: StdoutWriteEvent) => void): StdoutGuard {
  const before = process.stdout.bytesWritten ?? 0;
  const write = replaceStdoutWrite();
  const reportedSites = new Set<string>();
  const reportOnce = (from: string | undefined) => {
    if (reportedSites.size >= MAX_REPORTED_SITES || reportedSites.has(from ?? '')) return;
    reportedSites.add(from ?? '');
    report({ from, early: false });
  };
  divertWrite = (args, from) => {
    const sent = process.stderr.write(...(args as Parameters<typeof process.stderr.write>));
    reportOnce(from);
    return sent;
  };
  mode = 'divert';
  const restoreDescriptor = divertDescriptor(reportOnce);
  if (before > 0) report({ from: undefined, early: true });
  for (const { args, from } of takeHeld()) divertWrite(args, from);
  return {
    write,
    release() {
      mode = 'pass';
      divertWrite = undefined;
      restoreDescriptor();
    },
  };
}

function isPipe(descriptor: number): boolean {
  try {
    const stat = fstatSync(descriptor);
    return stat.isFIFO() || stat.isSocket();
  } catch {
    return false;
  }
}

/**
 * Redirects writes to the file descriptor of standard output to standard error. Fast loggers (pino) write to the
 * descriptor directly, without `process.stdout`. Returns a function that undoes the redirection.
 */
function divertDescriptor(onWrite: (from: string | undefined) => void): () => void {
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

type Callable = (...args: never[]) => unknown;

/** Returns the code location that called `callee`, without Node's own frames: `file:line:column`. */
export function findCallSite(callee: Callable): string | undefined {
  const { stackTraceLimit } = Error;
  const trace: { stack?: string } = {};
  Error.stackTraceLimit = STACK_DEPTH;
  Error.captureStackTrace(trace, callee);
  const frames = String(trace.stack).split('\n').slice(1);
  Error.stackTraceLimit = stackTraceLimit;
  const locations = frames.map(frame => FRAME_LOCATION.exec(frame.trim())?.[1]);
  const place = locations.find(location => location !== undefined);
  return place?.startsWith('file://') ? decodeURI(place.slice(7)).replace(/^\/([A-Za-z]:)/, '$1') : place;
}
