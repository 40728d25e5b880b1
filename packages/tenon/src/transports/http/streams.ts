import type { Clock } from '../../jsonrpc/clock.js';
import { SharedLimit } from '../../jsonrpc/shared-limit.js';
import type { Exchange, HeaderFields, Sink } from './exchange.js';
import type { Bounds } from './options.js';
import { EVENT_STREAM, KEEP_ALIVE } from './sse-frame.js';
import type { UnreadLimit, UnreadOutput } from './unread-output.js';

/** An answer that is a stream of events. */
export interface EventStream {
  readonly open: boolean;
  /** Writes one frame. A promise settles when the road has room again. A reader who is too slow is cut off. */
  write(frame: string): void | Promise<void>;
  end(): void;
  cut(): void;
}

/** All streams of an endpoint: counted and kept alive. */
export interface Streams {
  /**
   * Begins the stream that answers an exchange; `undefined` when all, or this caller, have too many, or when the client is gone.
   * `closed` is called once when it ends, whoever ends it.
   */
  begin(
    exchange: Exchange,
    caller: string,
    headers?: HeaderFields,
    closed?: (stream: EventStream) => void,
  ): EventStream | undefined;
  readonly count: number;
  cutAll(): void;
}

const STREAM_HEADERS = {
  'content-type': EVENT_STREAM,
  'cache-control': 'no-cache, no-transform',
  // Tells proxies in front not to hold events back.
  'x-accel-buffering': 'no',
};

interface Entry extends EventStream, UnreadOutput {
  quiet: boolean;
  stopKeeping?: () => void;
}

export function createStreams(bounds: Bounds, clock: Clock, unread: UnreadLimit): Streams {
  const entries = new Set<Entry>();
  const open = new SharedLimit(bounds.streams, bounds.maxShare);

  // Each stream has a timer of its own: Workers take a request that waits for nothing of its own for one that hangs.
  const keep = (entry: Entry): void => {
    if (bounds.keepAlive <= 0) return;
    entry.stopKeeping = clock.after(bounds.keepAlive, () => {
      if (entry.quiet) entry.write(KEEP_ALIVE);
      entry.quiet = true;
      if (entry.open) keep(entry);
    });
  };

  return {
    begin(exchange, caller, headers, closed) {
      if (exchange.gone || !open.take(caller)) return undefined;
      const sink = exchange.stream(200, headers === undefined ? STREAM_HEADERS : { ...STREAM_HEADERS, ...headers });
      const count = (stream: Entry): void => unread.count(stream, caller);
      const entry = entryOf(sink, bounds.waitingBytes, count, stream => {
        entries.delete(stream);
        unread.forget(stream);
        open.release(caller);
        stream.stopKeeping?.();
        closed?.(stream);
      });
      entries.add(entry);
      keep(entry);
      exchange.whenGone(entry.cut);
      return entry;
    },
    get count() {
      return entries.size;
    },
    cutAll() {
      for (const entry of [...entries]) entry.cut();
    },
  };
}

function entryOf(sink: Sink, limit: number, count: (entry: Entry) => void, closed: (entry: Entry) => void): Entry {
  let open = true;
  const close = (): boolean => {
    if (!open) return false;
    open = false;
    closed(entry);
    return true;
  };
  const entry: Entry = {
    quiet: false,
    get open() {
      return open;
    },
    get waiting() {
      return open ? sink.waiting : 0;
    },
    write(frame) {
      if (!open) return undefined;
      entry.quiet = false;
      const room = sink.write(frame);
      count(entry);
      if (sink.waiting <= limit) return room;
      // Whoever does not read is told by a cut, not by a queue without end. What is logged can be resumed.
      entry.cut();
      return undefined;
    },
    end() {
      if (close()) sink.end();
    },
    cut() {
      if (close()) sink.cut();
    },
  };
  return entry;
}
