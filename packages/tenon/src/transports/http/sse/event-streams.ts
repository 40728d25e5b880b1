import type { Clock } from '../../../cancellation/clock.js';
import { SharedLimit } from '../../../jsonrpc/shared-limit.js';
import type { Exchange, HeaderFields, ResponseStream } from '../server/exchange.js';
import type { Limits } from '../server/options.js';
import { EVENT_STREAM, KEEP_ALIVE } from './encode-event.js';
import type { UnreadLimit, UnreadOutput } from './unread-output.js';

/** An answer that is a stream of events. */
export interface EventStream {
  readonly open: boolean;
  /** Writes one frame. A promise settles when there is room again. A reader who is too slow is disconnected. */
  write(frame: string): void | Promise<void>;
  end(): void;
  destroy(): void;
}

/** All streams of an endpoint: counted and kept alive. */
export interface EventStreams {
  /**
   * Begins the event stream of a response. `undefined` when the limit, or this caller's share of it, is reached, or
   * when the client has disconnected. `closed` is called once when the stream ends for any reason.
   */
  begin(
    exchange: Exchange,
    caller: string,
    headers?: HeaderFields,
    onClosed?: (stream: EventStream) => void,
  ): EventStream | undefined;
  readonly count: number;
  destroyAll(): void;
}

const STREAM_HEADERS = {
  'content-type': EVENT_STREAM,
  'cache-control': 'no-cache, no-transform',
  // Tells proxies not to buffer events.
  'x-accel-buffering': 'no',
};

interface CountedEventStream extends EventStream, UnreadOutput {
  quiet: boolean;
  stopKeepAlive?: () => void;
}

export function createEventStreams(limits: Limits, clock: Clock, unread: UnreadLimit): EventStreams {
  const entries = new Set<CountedEventStream>();
  const open = new SharedLimit(limits.maxStreams, limits.maxShare);

  // Each stream has a timer of its own: Workers take a request that waits for nothing of its own for one that hangs.
  const scheduleKeepAlive = (entry: CountedEventStream): void => {
    if (limits.keepAliveInterval <= 0) return;
    entry.stopKeepAlive = clock.after(limits.keepAliveInterval, () => {
      if (entry.quiet) entry.write(KEEP_ALIVE);
      entry.quiet = true;
      if (entry.open) scheduleKeepAlive(entry);
    });
  };

  return {
    begin(exchange, caller, headers, onClosed) {
      if (exchange.clientClosed || !open.take(caller)) return undefined;
      const sink = exchange.stream(200, headers === undefined ? STREAM_HEADERS : { ...STREAM_HEADERS, ...headers });
      const count = (stream: CountedEventStream): void => unread.count(stream, caller);
      const entry = createEntry(sink, limits.maxBufferedBytes, count, stream => {
        entries.delete(stream);
        unread.forget(stream);
        open.release(caller);
        stream.stopKeepAlive?.();
        onClosed?.(stream);
      });
      entries.add(entry);
      scheduleKeepAlive(entry);
      exchange.onClientClosed(entry.destroy);
      return entry;
    },
    get count() {
      return entries.size;
    },
    destroyAll() {
      for (const entry of [...entries]) entry.destroy();
    },
  };
}

function createEntry(
  sink: ResponseStream,
  limit: number,
  count: (entry: CountedEventStream) => void,
  onClosed: (entry: CountedEventStream) => void,
): CountedEventStream {
  let open = true;
  const close = (): boolean => {
    if (!open) return false;
    open = false;
    onClosed(entry);
    return true;
  };
  const entry: CountedEventStream = {
    quiet: false,
    get open() {
      return open;
    },
    get bufferedAmount() {
      return open ? sink.bufferedAmount : 0;
    },
    write(frame) {
      if (!open) return undefined;
      entry.quiet = false;
      const drained = sink.write(frame);
      count(entry);
      if (sink.bufferedAmount <= limit) return drained;
      // A client that does not read is disconnected, so that the queue stays bounded. Stored events can be resumed.
      entry.destroy();
      return undefined;
    },
    end() {
      if (close()) sink.end();
    },
    destroy() {
      if (close()) sink.destroy();
    },
  };
  return entry;
}
