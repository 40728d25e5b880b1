import { type AuthInfo, type Clock, runWithTimeout, sleep, systemClock, TenonError } from '@tenon/base';
import type { MessageReceiver, Transport } from '../../jsonrpc/transport.js';
import { requireServerSession } from '../../protocol/check-request-handler.js';
import type { RequestHandler } from '../../protocol/request-handler.js';
import { createProgressGap } from '../progress-gap.js';
import type { ByteSink, ByteSource } from './byte-streams.js';
import { createLineReader, type LineLimits } from './line-reader.js';
import { createLineWriter } from './line-writer.js';

export interface ServeLinesOptions extends LineLimits {
  /**
   * Name of the client in errors.
   * @default `stdio: the client`
   */
  readonly peer?: string | undefined;
  /**
   * Maximum time for open calls after the client has closed its side or `close` was called, in milliseconds. After it
   * the calls are cancelled. The client has the same time to read the responses.
   * @default 1,500, because clients send SIGTERM after 2 s
   */
  readonly drainTimeout?: number | undefined;
  /**
   * Maximum time for cancelled calls to clean up, in milliseconds. After it the server ends without them.
   * @default 300
   */
  readonly cancelTimeout?: number | undefined;
  /**
   * Maximum number of characters that wait for a client that does not read.
   * @default 64 Mi
   */
  readonly maxBufferedSize?: number | undefined;
  /**
   * Principal and scopes of this process, for the user who started it. There is no authorization on stdio, so without
   * this option no caller has a scope.
   */
  readonly auth?: AuthInfo | undefined;
  readonly clock?: Clock | undefined;
}

/** A server on standard streams. */
export interface StdioServer {
  /**
   * Waits for open calls up to `drainTimeout`, cancels the others, waits for them up to `cancelTimeout`, and closes.
   * You may call it twice.
   */
  close(): Promise<void>;
  /** Resolves when the connection has ended for any reason. Never rejects. */
  readonly closed: Promise<void>;
}

export const DRAIN_TIMEOUT = 1500;
const CANCEL_TIMEOUT = 300;
const POLL_INTERVAL = 10;

/**
 * Serves one client over a pair of byte streams, until the client closes its end, stops reading, or `close` is called.
 * While a client does not read its responses, its requests are not read either.
 */
export async function serveLines(
  service: Pick<RequestHandler, 'connect'>,
  source: ByteSource,
  sink: ByteSink,
  options: ServeLinesOptions = {},
): Promise<StdioServer> {
  const { clock = systemClock, drainTimeout = DRAIN_TIMEOUT, cancelTimeout = CANCEL_TIMEOUT } = options;
  const phases = createShutdownPhases();
  const transport = createServerTransport(source, sink, options, phases);
  const { auth } = options;
  const session = requireServerSession(await service.connect(transport, auth === undefined ? undefined : { auth }));
  void phases.closing.then(async () => {
    let isClientOpen = true;
    void phases.clientClosed.then(() => {
      isClientOpen = false;
    });
    // Messages in the last bytes are handled first.
    await new Promise<void>(resolve => sink.schedule(resolve));
    session.endListening?.();
    await waitWhile(() => isClientOpen && (session.inFlight > 0 || session.isListening === true), clock, drainTimeout);
    session.end();
    await waitWhile(() => (session.activeHandlers ?? 0) > 0, clock, cancelTimeout);
    await transport.close();
  });
  const close = () => {
    phases.startClosing();
    return phases.closed;
  };
  return { close, closed: phases.closed };
}

/**
 * The three phases of a shutdown: no more requests arrive, responses can no longer be delivered, everything is closed.
 */
interface ShutdownPhases {
  readonly closing: Promise<void>;
  readonly clientClosed: Promise<void>;
  readonly closed: Promise<void>;
  startClosing(): void;
  markClientClosed(): void;
  finish(): void;
}

function createShutdownPhases(): ShutdownPhases {
  const phases = {} as { -readonly [name in keyof ShutdownPhases]: ShutdownPhases[name] };
  phases.closing = new Promise(resolve => {
    phases.startClosing = resolve;
  });
  phases.clientClosed = new Promise(resolve => {
    phases.markClientClosed = resolve;
  });
  phases.closed = new Promise(resolve => {
    phases.finish = resolve;
  });
  return phases;
}

function createServerTransport(
  source: ByteSource,
  sink: ByteSink,
  options: ServeLinesOptions,
  phases: ShutdownPhases,
): Transport {
  const { peer = 'stdio: the client', maxBufferedSize, clock = systemClock } = options;
  let receiver: MessageReceiver | undefined;
  let failure: TenonError | undefined;
  let closing: Promise<void> | undefined;
  const startClosing = (error?: TenonError) => {
    failure ??= error;
    phases.startClosing();
  };
  const writer = createLineWriter(sink, {
    peer,
    maxBufferedSize,
    onPressure: high => (high ? source.pause() : source.resume()),
    onFailure: error => {
      phases.markClientClosed();
      startClosing(error);
    },
  });
  const messages = createProgressGap(writer.send, clock);

  async function end(): Promise<void> {
    phases.startClosing();
    const { drainTimeout: timeout = DRAIN_TIMEOUT } = options;
    const flush = () => messages.settle().then(writer.flush);
    await runWithTimeout(flush, { clock, timeout, onTimeout: () => undefined });
    source.pause();
    const activeReceiver = receiver;
    receiver = undefined;
    activeReceiver?.onClose(failure);
    phases.finish();
  }

  return {
    peer,
    network: 'pipe',
    open(givenReceiver) {
      receiver = givenReceiver;
      const reader = createLineReader(
        peer,
        {
          value: value => receiver?.onMessage(value),
          onParseError: (error, id) => receiver?.onParseError(error, id),
          onResponseLost: (id, error) => receiver?.onResponseLost(id, error),
        },
        options,
      );
      source.read({
        push: bytes => reader.push(bytes),
        end(cause) {
          reader.end();
          if (cause === undefined) return startClosing();
          const hint = 'check that the process of the peer still runs';
          startClosing(
            new TenonError('stdio/read-failed', 'cannot read from the pipe of the peer', { peer, hint, cause }),
          );
        },
      });
    },
    send: (message, options) => messages.send(message, options),
    close() {
      closing ??= end();
      return closing;
    },
  };
}

async function waitWhile(condition: () => boolean, clock: Clock, timeout: number): Promise<void> {
  const deadline = clock.elapsed() + timeout;
  while (condition() && clock.elapsed() < deadline) await sleep(clock, POLL_INTERVAL);
}
