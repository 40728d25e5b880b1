/** Reads server-sent events. https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream */

export interface SseEvent {
  /** `message` by default. */
  readonly type: string;
  readonly data: string;
}

export interface SseReader {
  /** Reads on. Chunks may be cut anywhere, inside a character too. */
  feed(chunk: Uint8Array): void;
  /** The id of the last whole event that had one: what to resume after. The id of an event without data counts. */
  readonly lastEventId: string | undefined;
  /** Delay before a reconnect that the server requests, in milliseconds. */
  readonly retry: number | undefined;
}

export interface SseListener {
  onEvent(event: SseEvent): void;
  /** An event was longer than the limit. It is skipped, and the stream goes on. */
  onEventTooLong(): void;
  /** A line came that is only a comment. */
  onComment?(): void;
}

const LF = 10;
/** No retry is believed to be longer than a day. */
const MAX_RETRY = 86_400_000;

/**
 * Makes a reader that holds `limit` characters of one event at the most. An event that the stream cuts off is dropped,
 * and its id with it. A stream that goes on from an earlier one begins with the id of that one.
 */
export function createSseReader(listener: SseListener, limit: number, resumedAfter?: string): SseReader {
  const decode = createUtf8Decoder();
  const lines = createLineSplitter(limit);
  let lastEventId = resumedAfter;
  let retry: number | undefined;
  let id: string | undefined;
  let type = '';
  let data: string | undefined;
  let skipping = false;

  const skip = () => {
    skipping = true;
    data = undefined;
  };

  const dispatch = () => {
    if (id !== undefined) lastEventId = id === '' ? undefined : id;
    const event = data === undefined || skipping ? undefined : { type: type || 'message', data };
    const isTooLong = skipping;
    id = data = undefined;
    type = '';
    skipping = false;
    if (isTooLong) listener.onEventTooLong();
    else if (event) listener.onEvent(event);
  };

  const append = (value: string) => {
    const length = data === undefined ? value.length : data.length + 1 + value.length;
    if (skipping) return;
    if (length > limit) skip();
    else data = data === undefined ? value : `${data}\n${value}`;
  };

  const parseField = (readLine: string) => {
    const colon = readLine.indexOf(':');
    if (colon === 0) return listener.onComment?.();
    const name = colon < 0 ? readLine : readLine.slice(0, colon);
    const value = colon < 0 ? '' : readLine.slice(readLine[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'data') append(value);
    else if (name === 'event') type = value;
    else if (name === 'id' && !value.includes('\0')) id = value;
    else if (name === 'retry' && /^[0-9]+$/.test(value)) retry = Math.min(Number(value), MAX_RETRY);
  };

  const readLine = (text: string | undefined) => {
    if (text === undefined) skip();
    else if (text === '') dispatch();
    else parseField(text);
  };

  return {
    feed: chunk => lines.cut(decode(chunk), readLine),
    get lastEventId() {
      return lastEventId;
    },
    get retry() {
      return retry;
    },
  };
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Decodes bytes that are cut anywhere. One decoder serves all streams, since making one costs more than most streams
 * take to read: each stream keeps the bytes of a character that is not whole yet.
 */
function createUtf8Decoder(): (chunk: Uint8Array) => string {
  let rest: Uint8Array | undefined;
  let hasStarted = false;
  return chunk => {
    const bytes = rest === undefined ? chunk : concatBytes(rest, chunk);
    const completeLength = bytes.length - countUnfinishedBytes(bytes);
    rest = completeLength < bytes.length ? bytes.slice(completeLength) : undefined;
    if (completeLength === 0) return '';
    const text = decoder.decode(completeLength < bytes.length ? bytes.subarray(0, completeLength) : bytes);
    const hasBom = !hasStarted && text.charCodeAt(0) === 0xfeff;
    hasStarted = true;
    return hasBom ? text.slice(1) : text;
  };
}

function concatBytes(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** Counts the bytes at the end that begin a character without finishing it. */
function countUnfinishedBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0;
  }
  return 0;
}

/**
 * Cuts text into lines that end with CR, LF or both. A line beyond `limit` comes as `undefined`. What has no end yet is
 * kept in pieces, so that one long line in many small chunks costs no more than its length.
 */
function createLineSplitter(limit: number) {
  let pieces: string[] = [];
  let heldLength = 0;
  let overflowed = false;
  let afterCr = false;

  const keep = (text: string) => {
    heldLength += text.length;
    if (heldLength <= limit && !overflowed) pieces.push(text);
    else {
      overflowed = true;
      pieces = [];
    }
  };

  const takeLine = (text: string): string | undefined => {
    if (heldLength === 0 && text.length <= limit) return text;
    keep(text);
    const completeLine = overflowed ? undefined : pieces.join('');
    pieces = [];
    heldLength = 0;
    overflowed = false;
    return completeLine;
  };

  const cut = (text: string, line: (text: string | undefined) => void) => {
    if (text === '') return;
    let from = afterCr && text.charCodeAt(0) === LF ? 1 : 0;
    afterCr = false;
    let lf = text.indexOf('\n', from);
    let cr = text.indexOf('\r', from);
    while (lf >= 0 || cr >= 0) {
      const end = cr < 0 || (lf >= 0 && lf < cr) ? lf : cr;
      line(takeLine(text.slice(from, end)));
      from = end + 1;
      if (end === cr && lf === from) from += 1;
      else if (end === cr && from === text.length) afterCr = true;
      if (lf >= 0 && lf < from) lf = text.indexOf('\n', from);
      if (cr >= 0 && cr < from) cr = text.indexOf('\r', from);
    }
    if (from < text.length) keep(text.slice(from));
  };

  return { cut };
}
