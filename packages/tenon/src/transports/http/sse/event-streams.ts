import { type Clock, SharedLimit } from '@tenon/base';
import type { Exchange, HeaderFields, ResponseStream } from '../server/exchange.js';
import type { Limits } from '../server/options.js';
import { EVENT_STREAM, KEEP_ALIVE } from './encode-event.js';
import type { UnreadLimit, UnreadOutput } from './unread-output.js';

/** A response that is an event stream. */
export interface EventStream {
  readonly open: boolean;
  /**
   * Writes one frame. If the buffer is full, it returns a promise that settles when there is room again. A client that
   * reads too slowly is disconnected.
   */
  write(frame: string): void | Promise<void>;
  end(): void;
  destroy(): void;
}

/** Creates, counts and keeps alive the event streams of an endpoint. */
export interface EventStreams {
  /**
   * Starts the event stream of a response. Returns `undefined` when a limit, or this caller's share of it, is reached,
   * or when the client has disconnected. `onClosed` is called once when the stream ends for any reason. A client can
   * continue a stream with `isResumable` on another connection.
   */
  begin(
    exchange: Exchange,
    caller: string,
    headers?: HeaderFields,
    onClosed?: (stream: EventStream) => void,
    isResumable?: boolean,
  ): EventStream | undefined;
  readonly count: number;
  /**
   * Tells all clients to reopen their resumable streams after the delay `sseRetry` once the streams end. Each client
   * gets another delay, up to twice as long, so that not all reconnect at the same moment.
   */
  announceRetry(): void;
  destroyAll(): void;
}

const STREAM_HEADERS = {
  'content-type': EVENT_STREAM,
  'cache-control': 'no-cache, no-transform',
  // This header tells proxies not to buffer events.
  'x-accel-buffering': 'no',
};

/** State that all streams of an endpoint share. */
interface StreamSet {
  readonly limits: Limits;
  readonly clock: Clock;
  readonly unread: UnreadLimit;
  readonly entries: Set<CountedEventStream>;
  readonly open: SharedLimit;
}

export function createEventStreams(limits: Limits, clock: Clock, unread: UnreadLimit): EventStreams {
  const entries = new Set<CountedEventStream>();
  const open = new SharedLimit(limits.maxStreams, limits.maxShare);
  const streams: StreamSet = { limits, clock, unread, entries, open };
  return {
    begin(exchange, caller, headers, onClosed, isResumable = false) {
      if (exchange.clientClosed || !open.take(caller)) return undefined;
      const sink = exchange.stream(200, headers === undefined ? STREAM_HEADERS : { ...STREAM_HEADERS, ...headers });
      const entry = new CountedEventStream(streams, sink, caller, onClosed, isResumable);
      entries.add(entry);
      entry.scheduleKeepAlive();
      exchange.onClientClosed(() => entry.destroy());
      return entry;
    },
    get count() {
      return entries.size;
    },
    announceRetry() {
      for (const entry of entries)
        if (entry.isResumable) entry.write(`retry: ${Math.round(limits.sseRetry * (1 + Math.random()))}\n\n`);
    },
    destroyAll() {
      for (const entry of [...entries]) entry.destroy();
    },
  };
}

/** An event stream. There may be many idle ones, so it has few fields. */
class CountedEventStream implements EventStream, UnreadOutput {
  readonly isResumable: boolean;
  readonly #streams: StreamSet;
  readonly #caller: string;
  // The set of streams can hold a closed one for some time, so this stream releases what it refers to.
  #sink: ResponseStream | undefined;
  #onClosed: ((stream: EventStream) => void) | undefined;
  #isQuiet = false;
  #stopKeepAlive: (() => void) | undefined;

  constructor(
    streams: StreamSet,
    sink: ResponseStream,
    caller: string,
    onClosed: ((stream: EventStream) => void) | undefined,
    isResumable: boolean,
  ) {
    this.isResumable = isResumable;
    this.#streams = streams;
    this.#sink = sink;
    this.#caller = caller;
    this.#onClosed = onClosed;
  }

  get open(): boolean {
    return this.#sink !== undefined;
  }

  get bufferedAmount(): number {
    return this.#sink?.bufferedAmount ?? 0;
  }

  write(frame: string): void | Promise<void> {
    const sink = this.#sink;
    if (sink === undefined) return undefined;
    this.#isQuiet = false;
    const drained = sink.write(frame);
    this.#streams.unread.count(this, this.#caller);
    if (sink.bufferedAmount <= this.#streams.limits.maxBufferedBytes) return drained;
    // A client that does not read is disconnected, so that the queue stays limited. Stored events can be resumed.
    this.destroy();
    return undefined;
  }

  end(): void {
    this.#close()?.end();
  }

  destroy(): void {
    this.#close()?.destroy();
  }

  /**
   * Schedules the next keep-alive comment. Each stream has its own timer, because Workers end a request without pending
   * work of its own.
   */
  scheduleKeepAlive(): void {
    const { limits, clock } = this.#streams;
    if (limits.keepAliveInterval <= 0) return;
    this.#stopKeepAlive = clock.after(limits.keepAliveInterval, () => {
      if (this.#isQuiet) this.write(KEEP_ALIVE);
      this.#isQuiet = true;
      if (this.open) this.scheduleKeepAlive();
    });
  }

  /** Marks the stream as closed and returns its response. Returns `undefined` if it was closed before. */
  #close(): ResponseStream | undefined {
    const [sink, onClosed] = [this.#sink, this.#onClosed];
    if (sink === undefined) return undefined;
    this.#sink = undefined;
    this.#onClosed = undefined;
    const { entries, unread, open } = this.#streams;
    entries.delete(this);
    unread.forget(this);
    open.release(this.#caller);
    this.#stopKeepAlive?.();
    this.#stopKeepAlive = undefined;
    onClosed?.(this);
    return sink;
  }
}
