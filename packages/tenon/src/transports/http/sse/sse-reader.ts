import { joinBytes } from '@tenon/base';
/**
 * Event of a stream of server-sent events.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */

export interface SseEvent {
  /**
   * Type of the event.
   * @default `message`
   */
  readonly type: string;
  readonly data: string;
}

export interface SseReader {
  /** Reads the next chunk. Chunks may begin and end anywhere, also inside a character. */
  feed(chunk: Uint8Array): void;
  /**
   * ID of the last complete event with an ID, from which a stream resumes. The ID of an event without data counts too.
   */
  readonly lastEventId: string | undefined;
  /** Delay before a reconnect that the server requests, in milliseconds. */
  readonly retry: number | undefined;
}

export interface SseListener {
  onEvent(event: SseEvent): void;
  /** Called when an event is longer than the limit. The event is skipped, and the stream continues. */
  onEventTooLong(): void;
  /** Called for a line that is a comment. */
  onComment?(): void;
}

const LF = 10;
/** Maximum reconnect delay that is accepted from a server, in milliseconds: one day. */
const MAX_RETRY = 86_400_000;

/**
 * Creates a reader that buffers at most `limit` characters of one event. An incomplete event at the end of the stream
 * is dropped together with its ID. A resumed stream starts with the last ID of the previous one.
 */
export function createSseReader(listener: SseListener, limit: number, resumedAfter?: string): SseReader {
  const decode = createUtf8Decoder();
  const lines = createLineSplitter(limit);
  // Plain members, because V8 gives each object literal with an accessor a hidden class of its own.
  const resumption: { lastEventId: string | undefined; retry: number | undefined } = {
    lastEventId: resumedAfter,
    retry: undefined,
  };
  let id: string | undefined;
  let type = '';
  let data: string | undefined;
  let skipping = false;

  const skip = () => {
    skipping = true;
    data = undefined;
  };

  const dispatch = () => {
    if (skipping) listener.onEventTooLong();
    else if (data !== undefined) listener.onEvent({ type: type || 'message', data });
    // Afterwards, so that a listener can still read the ID of the event before.
    if (id !== undefined) resumption.lastEventId = id || undefined;
    id = data = undefined;
    type = '';
    skipping = false;
  };

  const append = (value: string) => {
    if (skipping) return;
    const joined = data === undefined ? value : `${data}\n${value}`;
    if (joined.length > limit) skip();
    else data = joined;
  };

  const parseField = (readLine: string) => {
    const colon = readLine.indexOf(':');
    if (colon === 0) return listener.onComment?.();
    const name = colon < 0 ? readLine : readLine.slice(0, colon);
    const value = colon < 0 ? '' : readLine.slice(readLine[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'data') append(value);
    else if (name === 'event') type = value;
    else if (name === 'id' && !value.includes('\0')) id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) resumption.retry = Math.min(Number(value), MAX_RETRY);
  };

  const readLine = (text: string | undefined) => {
    if (text === undefined) skip();
    else if (text === '') dispatch();
    else parseField(text);
  };

  return Object.assign(resumption, { feed: (chunk: Uint8Array) => lines.cut(decode(chunk), readLine) });
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Creates a function that decodes UTF-8 chunks. All streams share one decoder, because creating one costs more than
 * reading most streams. Each stream keeps the bytes of an incomplete character.
 */
function createUtf8Decoder(): (chunk: Uint8Array) => string {
  let rest: Uint8Array | undefined;
  let hasStarted = false;
  return chunk => {
    const bytes = rest === undefined ? chunk : joinBytes(rest, chunk);
    const completeLength = bytes.length - countUnfinishedBytes(bytes);
    rest = completeLength < bytes.length ? bytes.slice(completeLength) : undefined;
    if (completeLength === 0) return '';
    const text = decoder.decode(bytes.subarray(0, completeLength));
    const hasBom = !hasStarted && text.charCodeAt(0) === 0xfeff;
    hasStarted = true;
    return hasBom ? text.slice(1) : text;
  };
}

/** Counts the bytes of an incomplete character at the end. */
function countUnfinishedBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0;
  }
  return 0;
}

/**
 * Creates a function that splits text into lines, which end with CR, LF or both. A line beyond `limit` becomes
 * `undefined`. The pieces of an incomplete line are kept separately, so that one long line in many small chunks stays
 * cheap.
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
