import type { Service } from '../../conversation/service.js';
import type { AuthInfo, Channel, Receiver } from '../../jsonrpc/channel.js';
import { type Clock, systemClock } from '../../jsonrpc/clock.js';
import { TenonError } from '../../jsonrpc/error.js';
import type { ByteSink, ByteSource } from './bytes.js';
import { createLineReader, type LineLimits } from './lines.js';
import { createLineWriter } from './writer.js';

export interface ServeLinesOptions extends LineLimits {
  /** How errors name the client. Default `stdio: the client`. */
  readonly peer?: string | undefined;
  /**
   * Milliseconds for which open calls may go on once the client has closed its end or the end was asked for. Then they are
   * cancelled. Their answers have as long again to be read. Default 1,500: with `cancelTimeout` less than the 2 s after
   * which clients send SIGTERM.
   */
  readonly drainMs?: number | undefined;
  /** Milliseconds that cancelled calls have to clean up, by `ctx.signal`, before the server ends without them. Default 300. */
  readonly cancelTimeout?: number | undefined;
  /** How much may wait for a client that does not read, in characters. Default 64 Mi. */
  readonly maxQueued?: number | undefined;
  /**
   * For whom this process runs, and with which scopes: whoever started it. There is no authorization on stdio: without
   * this no caller has a scope.
   */
  readonly auth?: AuthInfo | undefined;
  readonly clock?: Clock | undefined;
}

/** A server that is being served. */
export interface Serving {
  /** Waits for open calls up to `drainMs`, cancels the others, waits for them up to `cancelTimeout`, and ends. Safe to call twice. */
  close(): Promise<void>;
  /** Resolves when it has ended, whoever ended it. Never rejects. */
  readonly closed: Promise<void>;
}

export const DRAIN_MS = 1500;
const CANCEL_TIMEOUT = 300;
const LOOK_MS = 10;
/** Milliseconds after which a client has read a notification that was sent before. */
const PROGRESS_GAP = 50;

/**
 * Serves one client over a pair of byte streams, until the client closes its end, stops reading, or `close` is called.
 * While a client does not read its answers, its requests are not read either.
 */
export async function serveLines(
  service: Pick<Service, 'connect'>,
  source: ByteSource,
  sink: ByteSink,
  options: ServeLinesOptions = {},
): Promise<Serving> {
  const { clock = systemClock, drainMs = DRAIN_MS, cancelTimeout = CANCEL_TIMEOUT } = options;
  const ends = createEnds();
  const channel = serverChannel(source, sink, options, ends);
  const { auth } = options;
  const conversation = await service.connect(channel, auth === undefined ? undefined : { auth });
  void ends.leaving.then(async () => {
    let isRead = true;
    void ends.gone.then(() => {
      isRead = false;
    });
    // What came with the last bytes has its turn first.
    await new Promise<void>(resolve => sink.soon(resolve));
    await waitWhile(() => isRead && conversation.inFlight > 0, clock, drainMs);
    conversation.end();
    await waitWhile(() => (conversation.activeHandlers ?? 0) > 0, clock, cancelTimeout);
    await channel.close();
  });
  const close = () => {
    ends.leave();
    return ends.closed;
  };
  return { close, closed: ends.closed };
}

/** The three moments of an end: no more is to be expected, there is nobody to answer, it is over. */
interface Ends {
  readonly leaving: Promise<void>;
  readonly gone: Promise<void>;
  readonly closed: Promise<void>;
  leave(): void;
  vanish(): void;
  finish(): void;
}

function createEnds(): Ends {
  const ends = {} as { -readonly [name in keyof Ends]: Ends[name] };
  ends.leaving = new Promise(resolve => {
    ends.leave = resolve;
  });
  ends.gone = new Promise(resolve => {
    ends.vanish = resolve;
  });
  ends.closed = new Promise(resolve => {
    ends.finish = resolve;
  });
  return ends;
}

function serverChannel(source: ByteSource, sink: ByteSink, options: ServeLinesOptions, ends: Ends): Channel {
  const { peer = 'stdio: the client', maxQueued, clock = systemClock } = options;
  let receiver: Receiver | undefined;
  let failure: TenonError | undefined;
  let closing: Promise<void> | undefined;
  const leave = (error?: TenonError) => {
    failure ??= error;
    ends.leave();
  };
  const writer = createLineWriter(sink, {
    peer,
    maxQueued,
    pressure: high => (high ? source.pause() : source.resume()),
    failed: error => {
      ends.vanish();
      leave(error);
    },
  });

  async function end(): Promise<void> {
    ends.leave();
    await Promise.race([writer.flushed(), after(clock, options.drainMs ?? DRAIN_MS)]);
    source.pause();
    const told = receiver;
    receiver = undefined;
    told?.closed(failure);
    ends.finish();
  }

  return {
    peer,
    progressGap: PROGRESS_GAP,
    open(opened) {
      receiver = opened;
      const reader = createLineReader(
        peer,
        {
          value: value => receiver?.message(value),
          unreadable: error => receiver?.unreadable(error),
          lost: (id, error) => receiver?.lost(id, error),
        },
        options,
      );
      source.read({
        chunk: bytes => reader.chunk(bytes),
        end(cause) {
          reader.end();
          leave(cause === undefined ? undefined : unreadableSource(peer, cause));
        },
      });
    },
    send: message => writer.send(message),
    close() {
      closing ??= end();
      return closing;
    },
  };
}

async function waitWhile(condition: () => boolean, clock: Clock, timeout: number): Promise<void> {
  const deadline = clock.now() + timeout;
  while (condition() && clock.now() < deadline) await after(clock, LOOK_MS);
}

function after(clock: Clock, ms: number): Promise<void> {
  return new Promise(resolve => clock.after(ms, resolve));
}

function unreadableSource(peer: string, cause: unknown): TenonError {
  return new TenonError('stdio/read-failed', 'can no longer be read', { peer, cause });
}
