import type { Readable, Writable } from 'node:stream';
import { systemClock } from '../../../cancellation/clock.js';
import { runWithTimeout } from '../../../cancellation/run-with-timeout.js';
import { TenonError } from '../../../jsonrpc/error.js';
import { requireRequestHandler } from '../../../protocol/check-options.js';
import type { RequestHandler } from '../../../protocol/request-handler.js';
import {
  DRAIN_TIMEOUT,
  type ServeLinesOptions,
  type StdioServer,
  serveLines,
} from '../../../transports/stdio/server.js';
import { createByteSink, createByteSource } from './byte-streams.js';
import { guardStdout, type StdoutWriteEvent } from './stdout-guard.js';

/** Options of `serveStdio`. */
export interface ServeStdioOptions extends ServeLinesOptions {
  /**
   * Ends this process when the client disconnects, and on SIGTERM and SIGINT. `false` handles no signals and does not
   * end the process: the embedding program does. Default `true`.
   */
  readonly exit?: boolean | undefined;
  /** Runs after the last answer and before the process exits, for at most `drainTimeout`. */
  readonly onClose?: (() => void | Promise<void>) | undefined;
  /** Called when other code writes to stdout. Default: reports it on stderr, with the place of the write. */
  readonly onStdoutWrite?: ((write: StdoutWriteEvent) => void) | undefined;
  /** Another stream than stdin. */
  readonly input?: Readable | undefined;
  /** Another stream than stdout, which is not guarded then. */
  readonly output?: Writable | undefined;
}

let stdoutInUse = false;

/**
 * Serves on stdin and stdout, and resolves when it serves. The process exits when the client closes stdin or dies, and
 * on SIGTERM and SIGINT: open calls get `drainTimeout` to finish, then `cancelTimeout` to clean up, less than 5 s
 * together by default. Other output to stdout goes to stderr meanwhile.
 *
 * @throws TenonError `stdio/in-use` when this process serves on its stdout already.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 */
export async function serveStdio(
  service: Pick<RequestHandler, 'connect'>,
  options: ServeStdioOptions = {},
): Promise<StdioServer> {
  requireRequestHandler(service);
  const { input = process.stdin, exit = true } = options;
  const { sink, free } = takeOutput(options);
  try {
    if (input === process.stdin && process.stdin.isTTY)
      writeToStderr('waiting for messages on stdin; a client starts this');
    const server = await serveLines(service, createByteSource(input), sink, options);
    const exitProcess = exit ? bindProcessExit(server, input) : free;
    const closed = server.closed.then(() => cleanUp(options)).then(exitProcess);
    const close = () => {
      void server.close();
      return closed;
    };
    return { close, closed };
  } catch (error) {
    free();
    throw error;
  }
}

function takeOutput({ output, onStdoutWrite = reportStdoutWrite }: ServeStdioOptions) {
  if (output) return { sink: createByteSink(output), free: () => {} };
  if (stdoutInUse) {
    throw new TenonError('stdio/in-use', 'this process already runs a stdio server', {
      hint: 'call `serveStdio` once, and serve other servers over HTTP or with their own streams',
    });
  }
  stdoutInUse = true;
  // An error of an unread stderr must not end the process.
  process.stderr.on('error', () => {});
  const guard = guardStdout(onStdoutWrite);
  const free = () => {
    stdoutInUse = false;
    guard.release();
  };
  return { sink: createByteSink(process.stdout, guard.write), free };
}

/** Ties the process to what it serves. Returns what ends it. */
function bindProcessExit(server: StdioServer, input: Readable): () => void {
  let leaving = false;
  let code: number | undefined;
  const stop = (signal: number) => {
    code = 128 + signal;
    if (leaving) process.exit(code);
    leaving = true;
    void server.close();
  };
  process.on('SIGTERM', () => stop(15));
  process.on('SIGINT', () => stop(2));
  process.once('disconnect', () => void server.close());
  input.once('end', () => {
    leaving = true;
  });
  // What is still being worked on may wait for something that keeps no process alive.
  const keepAliveTimer = setInterval(() => {}, 60_000);
  return () => {
    clearInterval(keepAliveTimer);
    // Who awaits `closed` has its turn first.
    setImmediate(() => process.exit(code));
  };
}

async function cleanUp({ onClose, drainTimeout = DRAIN_TIMEOUT }: ServeStdioOptions): Promise<void> {
  if (!onClose) return;
  const work = async () => onClose();
  try {
    await runWithTimeout(work, { clock: systemClock, timeout: drainTimeout, hold: true, onTimeout: () => undefined });
  } catch (error) {
    process.exitCode = 1;
    writeToStderr(`onClose failed: ${error instanceof Error ? error.stack : String(error)}`);
  }
}

function reportStdoutWrite({ from, early }: StdoutWriteEvent): void {
  if (early)
    writeToStderr('the client has got what was written to stdout before it was guarded: import tenon/stdio first');
  else
    writeToStderr(
      `stdout carries the protocol: what is written to it goes to stderr, here from ${from ?? 'an unknown place'}`,
    );
}

function writeToStderr(text: string): void {
  process.stderr.write(`tenon: ${text}\n`);
}
