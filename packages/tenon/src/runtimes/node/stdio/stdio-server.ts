import type { Readable, Writable } from 'node:stream';
import {
  checkAnything,
  checkBoolean,
  checkClock,
  checkFunction,
  checkObject,
  checkOptional,
  checkRange,
  checkString,
  type OptionChecks,
  requireOptions,
  runWithTimeout,
  systemClock,
  TenonError,
} from '@tenon/base';
import { requireRequestHandler } from '../../../protocol/check-request-handler.js';
import type { RequestHandler } from '../../../protocol/request-handler.js';
import {
  DRAIN_TIMEOUT,
  type ServeLinesOptions,
  type StdioServer,
  serveLines,
} from '../../../transports/stdio/server.js';
import { stopServerProcesses } from '../processes/running-servers.js';
import { createByteSink, createByteSource } from './byte-streams.js';
import { guardStdout, type StdoutWriteEvent } from './stdout-guard.js';

/** Options of `serveStdio`. */
export interface ServeStdioOptions extends ServeLinesOptions {
  /**
   * Exits the process when the client disconnects, and on SIGTERM and SIGINT. With `false`, the application handles
   * signals and the exit.
   * @default `true`
   */
  readonly exit?: boolean | undefined;
  /**
   * Called after the last response and before the process exits. It may take up to `drainTimeout`.
   * @default nothing is called
   */
  readonly onClose?: (() => void | Promise<void>) | undefined;
  /**
   * Called when other code writes to standard output.
   * @default reports the write with its location on standard error
   */
  readonly onStdoutWrite?: ((write: StdoutWriteEvent) => void) | undefined;
  /** Stream to read instead of standard input. */
  readonly input?: Readable | undefined;
  /** Stream to write instead of standard output. Standard output is then not reserved for the protocol. */
  readonly output?: Writable | undefined;
}

const amount = checkOptional(checkRange('a number of at least 0', 0));

const optionChecks: OptionChecks<ServeStdioOptions> = {
  peer: checkOptional(checkString),
  drainTimeout: amount,
  cancelTimeout: amount,
  maxBufferedSize: amount,
  maxLineBytes: amount,
  maxJsonDepth: amount,
  auth: checkOptional(checkObject()),
  clock: checkOptional(checkClock),
  exit: checkOptional(checkBoolean),
  onClose: checkOptional(checkFunction),
  onStdoutWrite: checkOptional(checkFunction),
  input: checkAnything,
  output: checkAnything,
};

let stdoutInUse = false;

/**
 * Serves on standard input and output, and resolves when the server is ready. The process exits when the client closes
 * the input or exits, and on SIGTERM and SIGINT. Open calls get `drainTimeout` to finish, then `cancelTimeout` to clean
 * up: less than 5 s together by default.
 *
 * Other output to standard output is redirected to standard error.
 * @throws TenonError `stdio/in-use` when this process already serves on its standard output; `serve/service` or
 * `stdio/options` for an invalid argument.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 */
export async function serveStdio(
  service: Pick<RequestHandler, 'connect'>,
  options: ServeStdioOptions = {},
): Promise<StdioServer> {
  requireRequestHandler(service);
  requireOptions('serveStdio', options, optionChecks, 'stdio/options');
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

/** Ends the process with its server. Returns the function that ends it. */
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
  // Running handlers may wait for something that does not keep the process alive.
  const keepAliveTimer = setInterval(() => {}, 60_000);
  return () => {
    // Code that awaits `closed` runs first.
    setImmediate(() => {
      void stopServerProcesses().then(() => {
        clearInterval(keepAliveTimer);
        process.exit(code);
      });
    });
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
