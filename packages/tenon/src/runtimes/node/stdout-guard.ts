import { fstatSync } from 'node:fs';
import { callSite } from './call-site.js';
import { divertDescriptor } from './stdout-descriptor.js';

/** Something wrote to stdout, which belongs to the protocol. */
export interface StrayWrite {
  /** Where it came from: `file:line:column`, when it is known. */
  readonly from: string | undefined;
  /** Whether it was there before stdout was guarded, and so has reached the client. */
  readonly early: boolean;
}

export interface StdoutGuard {
  /** The way to the real stdout. */
  readonly write: typeof process.stdout.write;
  /** Gives stdout back to everybody. */
  release(): void;
}

type Write = typeof process.stdout.write;
type Taken = { args: Parameters<Write>; from: string | undefined };

const HOLD_MS = 1000;
const HOLD_BYTES = 64 * 1024;
const MOST_SITES = 100;

let real: Write | undefined;
let mode: 'pass' | 'hold' | 'divert' = 'pass';
let stray: ((args: Parameters<Write>, from: string | undefined) => boolean) | undefined;
let held: Taken[] = [];
let heldBytes = 0;

/** Puts itself in the place of `process.stdout.write`, once and for all: others may have wrapped it since. */
function takeStdout(): Write {
  if (real) return real;
  const { stdout } = process;
  const write: Write = stdout.write.bind(stdout);
  real = write;
  const guarded = (...args: Parameters<Write>): boolean => {
    if (mode === 'divert' && stray) return stray(args, callSite(guarded));
    if (mode === 'hold') return hold(args, callSite(guarded));
    return write(...args);
  };
  stdout.write = guarded as Write;
  return write;
}

function hold(args: Parameters<Write>, from: string | undefined): boolean {
  held.push({ args, from });
  heldBytes += args[0].length;
  if (heldBytes > HOLD_BYTES) pass();
  return true;
}

/** Lets what was held go where it was meant to go. */
function pass(): void {
  if (mode !== 'hold') return;
  mode = 'pass';
  for (const { args } of takeHeld()) real?.(...args);
}

function takeHeld(): Taken[] {
  const taken = held;
  held = [];
  heldBytes = 0;
  return taken;
}

/**
 * Holds what is written to stdout for up to a second, until it is known whether this process serves over stdio. Only
 * where it may: with a pipe on stdin and on stdout. Nothing is lost: what is held goes on to stdout otherwise, at once
 * when it is much or the process exits.
 */
export function holdStdout(): void {
  if (mode !== 'pass' || real || !isPipe(0) || !isPipe(1)) return;
  takeStdout();
  mode = 'hold';
  setTimeout(pass, HOLD_MS).unref();
  process.once('exit', pass);
}

/**
 * Keeps stdout for the protocol: what anyone else writes to it goes to stderr, and `report` is told once for each place
 * that it comes from, up to 100. Out of reach: native code, and child processes that inherit this process' stdout.
 */
export function guardStdout(report: (write: StrayWrite) => void): StdoutGuard {
  const before = process.stdout.bytesWritten ?? 0;
  const write = takeStdout();
  const told = new Set<string>();
  const tell = (from: string | undefined) => {
    if (told.size >= MOST_SITES || told.has(from ?? '')) return;
    told.add(from ?? '');
    report({ from, early: false });
  };
  stray = (args, from) => {
    const sent = process.stderr.write(...(args as Parameters<typeof process.stderr.write>));
    tell(from);
    return sent;
  };
  mode = 'divert';
  const giveBack = divertDescriptor(tell);
  if (before > 0) report({ from: undefined, early: true });
  for (const { args, from } of takeHeld()) stray(args, from);
  return {
    write,
    release() {
      mode = 'pass';
      stray = undefined;
      giveBack();
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
