import { createExcerpt, INVALID_REQUEST, PARSE_ERROR, TenonError, tryParseJson } from '@tenon/base';
import { type Id, isId, parseJson } from '../../jsonrpc/message.js';
import type { ByteReader } from './byte-streams.js';
import { LineSplitter } from './line-splitter.js';

export interface LineLimits {
  /**
   * Maximum size of one line, in bytes. A longer line is discarded while it is read.
   * @default 16 MiB
   */
  readonly maxLineBytes?: number | undefined;
  /**
   * Maximum depth of arrays and objects in a message.
   * @default 128
   */
  readonly maxJsonDepth?: number | undefined;
}

export interface LineReaderOptions extends LineLimits {
  /** Removes secret texts from a line that an error shows. */
  readonly redact?: ((text: string) => string) | undefined;
}

export interface LineReceiver {
  value(value: unknown): void;
  /** Called for a refused line, with the ID of its request if that is known. */
  onParseError(error: TenonError, id?: Id): void;
  /** Called when a refused line was the response to this request. */
  onResponseLost(id: Id, error: TenonError): void;
}

const MAX_LINE_BYTES = 16 * 1024 * 1024;
const MAX_JSON_DEPTH = 128;

const EDGE_LENGTH = 512;
/** A line that begins otherwise is not JSON. It is not parsed, because an exception costs more than the rest of the line. */
const JSON_START = /^\s*(?:[-[{"\d]|true|false|null)/;
/** Length of the beginning of a line in which an error looks for secrets. */
const MAX_REDACTED = 8192;

/**
 * Creates a reader of newline-delimited JSON in byte chunks. Each unreadable line is reported once, and reading
 * continues.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 */
export function createLineReader(peer: string, receiver: LineReceiver, options: LineReaderOptions = {}): ByteReader {
  const { maxLineBytes = MAX_LINE_BYTES, maxJsonDepth = MAX_JSON_DEPTH, redact = text => text } = options;
  let tooLongError: TenonError | undefined;

  function parseLine(text: string): void {
    if (exceedsDepth(text, maxJsonDepth)) {
      const error = new TenonError('stdio/too-deep', 'received a message with too many levels', {
        peer,
        rpcCode: INVALID_REQUEST,
        expected: `at most ${maxJsonDepth} levels`,
        received: `more levels in ${formatExcerpt(text, redact, 60)}`,
        hint: 'flatten the value, or raise `maxJsonDepth`, which needs more stack',
      });
      return refuseLine(findMessage(text.slice(0, EDGE_LENGTH), text.slice(-EDGE_LENGTH)), error);
    }
    let value: unknown;
    try {
      if (JSON_START.test(text)) value = parseJson(text);
    } catch {}
    if (value === undefined) {
      // Some pipes send blank lines to stay open. A carriage return before the newline is whitespace in JSON.
      if (text.trim() === '') return;
      const error = new TenonError('stdio/not-json', 'received a line that is not JSON', {
        peer,
        rpcCode: PARSE_ERROR,
        received: formatExcerpt(text, redact),
        hint: 'write logs to stderr, because stdout is for JSON-RPC messages only',
      });
      return receiver.onParseError(error);
    }
    receiver.value(value);
  }

  /** Reports a refused line with the ID of its message, so that nobody waits for a response until the timeout. */
  function refuseLine({ member, id }: MessageEnds, error: TenonError, isReported = false): void {
    if (member === 'method') return receiver.onParseError(error, id);
    if (!isReported) receiver.onParseError(error);
    if (id !== undefined) receiver.onResponseLost(id, error);
  }

  return new LineSplitter(
    {
      text(text) {
        let start = 0;
        for (let newline = text.indexOf('\n'); newline !== -1; newline = text.indexOf('\n', start)) {
          parseLine(text.slice(start, newline));
          start = newline + 1;
        }
        parseLine(start === 0 ? text : text.slice(start));
      },
      onOversizedLine(head) {
        tooLongError = new TenonError('stdio/line-too-long', 'received a line that is too long', {
          peer,
          rpcCode: PARSE_ERROR,
          expected: `at most ${maxLineBytes} bytes`,
          received: `a longer line that begins with ${createQuote(head, redact, 60)}`,
          hint: 'split the data into pages or links, or raise `maxLineBytes`, which needs more memory',
        });
        // The ID of a request may follow at the end of its line, which any other line may never have.
        if (findMessage(head).member !== 'method') receiver.onParseError(tooLongError);
      },
      onOversizedLineEnd(head, tail) {
        if (tooLongError) refuseLine(findMessage(head, tail), tooLongError, true);
      },
    },
    maxLineBytes,
  );
}

/** Quotes the beginning of a line. A secret is removed before the text is cut, because a part of it would remain. */
const createQuote = (text: string, redact: (text: string) => string, length: number): string =>
  `“${createExcerpt(redact(text.slice(0, MAX_REDACTED)), length)}”`;

function formatExcerpt(text: string, redact: (text: string) => string, length = 80): string {
  const excerpt = createQuote(text, redact, length);
  return text.length > length ? `${excerpt} (${text.length} characters)` : excerpt;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Tells if JSON text has more levels of arrays and objects than `limit`. It scans the text before parsing, because
 * parsing sixteen million `[` would create as many arrays. It does not scan a text that is too short to close its
 * brackets, and it skips strings with `indexOf`.
 */
export function exceedsDepth(text: string, limit: number): boolean {
  if (text.length <= 2 * limit) return false;
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      let before: number;
      // Skips the string. A quote after an odd number of backslashes belongs to it.
      do {
        index = text.indexOf('"', index + 1);
        if (index === -1) return false;
        before = index - 1;
        while (text.charCodeAt(before) === BACKSLASH) before--;
      } while ((index - before) % 2 === 0);
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > limit) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}

/** Facts about a message that the ends of its line tell. `member` is `method`, `result` or `error`. */
interface MessageEnds {
  readonly member?: string | undefined;
  readonly id?: Id | undefined;
}

function findMessage(head: string, tail = ''): MessageEnds {
  const [, first, member] = HEAD.exec(head) ?? [];
  const id = member && tryParseJson(first ?? ID_LAST.exec(tail)?.[1] ?? '');
  return { member, id: isId(id) ? id : undefined };
}

// A message, with its members in either of the usual orders. The patterns match at the ends of the line, where no
// nested member can be. They match an "id" before the content, or an "id" followed only by the outermost brace.
const VERSION = '(?:"jsonrpc"\\s*:\\s*"2\\.0"\\s*,\\s*)?';
const ID = '"id"\\s*:\\s*(-?\\d{1,16}|"(?:[^"\\\\]|\\\\.){0,200}")';
// Bundlers keep a template with names, and with it a pattern that a program does not use.
const HEAD = new RegExp('^\\s*\\{\\s*(?:'.concat(VERSION, ID, '\\s*,\\s*)?', VERSION, '"(result|error|method)"\\s*:'));
const ID_LAST = new RegExp(',\\s*'.concat(ID, '\\s*(?:,\\s*"jsonrpc"\\s*:\\s*"2\\.0"\\s*)?\\}\\s*$'));
