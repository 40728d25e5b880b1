import type { Readable, Writable } from 'node:stream';
import type { Service } from '../../conversation/service.js';
import { TenonError } from '../../jsonrpc/error.js';
import { requireService } from '../../model/option-check.js';
import { DRAIN_MS, type ServeLinesOptions, type Serving, serveLines } from '../../transports/stdio/server.js';
import { byteSink, byteSource } from './byte-streams.js';
import { guardStdout, type StrayWrite } from './stdout-guard.js';

export interface ServeStdioOptions extends ServeLinesOptions {
  /**
   * Whether this process ends when the client leaves, or on SIGTERM and SIGINT. `false` leaves signals and the process
   * alone: whoever embeds the server ends it. Default `true`.
   */
  readonly exit?: boolean | undefined;
  /** Runs after the last answer and before the process exits, for at most `drainMs`. */
  readonly onClose?: (() => void | Promise<void>) | undefined;
  /** Told when something else writes to stdout. Default: says so on stderr, with the place it came from. */
  readonly onStrayWrite?: ((write: StrayWrite) => void) | undefined;
  /** Another stream than stdin. */
  readonly input?: Readable | undefined;
  /** Another stream than stdout, which is not guarded then. */
  readonly output?: Writable | undefined;
}

let stdoutInUse = false;

/**
 * Serves on stdin and stdout. Resolves once it serves. The process exits by itself when the client closes stdin, dies, or
 * stops reading: open calls have `drainMs` to finish, are cancelled then, and have `cancelTimeout` to clean up. With the
 * defaults that takes less than 5 s. SIGTERM and SIGINT do the same; one that comes while that is under way exits at
 * once. Until then stdout is the protocol's: what others write there goes to stderr.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 *
 * @throws TenonError `stdio/in-use` when this process serves on its stdout already.
 */
export async function serveStdio(service: Pick<Service, 'connect'>, options: ServeStdioOptions = {}): Promise<Serving> {
  requireService(service);
  const { input = process.stdin, exit = true } = options;
  const { sink, free } = ownOutput(options);
  try {
    if (input === process.stdin && process.stdin.isTTY) say('waiting for messages on stdin; a client starts this');
    const serving = await serveLines(service, byteSource(input), sink, options);
    const leave = exit ? untilExit(serving, input) : free;
    const closed = serving.closed.then(() => cleanUp(options)).then(leave);
    const close = () => {
      void serving.close();
      return closed;
    };
    return { close, closed };
  } catch (error) {
    free();
    throw error;
  }
}

function ownOutput({ output, onStrayWrite = sayStray }: ServeStdioOptions) {
  if (output) return { sink: byteSink(output), free: () => {} };
  if (stdoutInUse) {
    throw new TenonError('stdio/in-use', 'this process already serves on its stdout', {
      next: 'call serveStdio once; serve further servers over HTTP, or give each its own input and output',
    });
  }
  stdoutInUse = true;
  // A stderr that nobody reads is no reason to end.
  process.stderr.on('error', () => {});
  const guard = guardStdout(onStrayWrite);
  const free = () => {
    stdoutInUse = false;
    guard.release();
  };
  return { sink: byteSink(process.stdout, guard.write), free };
}

/** Ties the process to what it serves. Returns what ends it. */
function untilExit(serving: Serving, input: Readable): () => void {
  let leaving = false;
  let code: number | undefined;
  const stop = (signal: number) => {
    code = 128 + signal;
    if (leaving) process.exit(code);
    leaving = true;
    void serving.close();
  };
  process.on('SIGTERM', () => stop(15));
  process.on('SIGINT', () => stop(2));
  process.once('disconnect', () => void serving.close());
  input.once('end', () => {
    leaving = true;
  });
  // What is still being worked on may wait for something that keeps no process alive.
  const alive = setInterval(() => {}, 60_000);
  return () => {
    clearInterval(alive);
    // Who awaits `closed` has its turn first.
    setImmediate(() => process.exit(code));
  };
}

async function cleanUp({ onClose, drainMs = DRAIN_MS }: ServeStdioOptions): Promise<void> {
  if (!onClose) return;
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<void>(resolve => {
    timer = setTimeout(resolve, drainMs);
  });
  try {
    await Promise.race([onClose(), timeUp]);
  } catch (error) {
    process.exitCode = 1;
    say(`onClose failed: ${error instanceof Error ? error.stack : String(error)}`);
  } finally {
    clearTimeout(timer);
  }
}

function sayStray({ from, early }: StrayWrite): void {
  if (early) say('the client has got what was written to stdout before it was guarded: import tenon/stdio first');
  else
    say(`stdout carries the protocol: what is written to it goes to stderr, here from ${from ?? 'an unknown place'}`);
}

function say(text: string): void {
  process.stderr.write(`tenon: ${text}\n`);
}
