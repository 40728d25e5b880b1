import { createExcerpt, INVALID_REQUEST, PARSE_ERROR, TenonError } from '@tenon/base';
import { type Id, parseJson } from '../../jsonrpc/message.js';
import type { ByteReader } from './byte-streams.js';
import { exceedsDepth } from './json-depth.js';
import { LineSplitter } from './line-splitter.js';
import { findResponseId } from './response-id.js';

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

export interface LineReceiver {
  value(value: unknown): void;
  onParseError(error: TenonError): void;
  /** Called when a refused line was the response to this request. */
  onResponseLost(id: Id, error: TenonError): void;
}

const MAX_LINE_BYTES = 16 * 1024 * 1024;
const MAX_JSON_DEPTH = 128;

const EDGE_LENGTH = 512;

/**
 * Creates a reader of newline-delimited JSON in byte chunks. Each unreadable line is reported once, and reading
 * continues.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 */
export function createLineReader(peer: string, receiver: LineReceiver, limits: LineLimits = {}): ByteReader {
  const { maxLineBytes = MAX_LINE_BYTES, maxJsonDepth = MAX_JSON_DEPTH } = limits;
  let tooLongError: TenonError | undefined;

  function parseLine(text: string): void {
    if (exceedsDepth(text, maxJsonDepth)) return refuse(text);
    let value: unknown;
    try {
      value = parseJson(text);
    } catch {
      // Some pipes send blank lines to stay open. A carriage return before the newline is whitespace in JSON.
      if (text.trim() !== '') receiver.onParseError(createNotJsonError(peer, text));
      return;
    }
    receiver.value(value);
  }

  function refuse(text: string): void {
    const error = createTooDeepError(peer, text, maxJsonDepth);
    receiver.onParseError(error);
    reportLostResponse(text.slice(0, EDGE_LENGTH), text.slice(-EDGE_LENGTH), error);
  }

  function reportLostResponse(head: string, tail: string, error: TenonError): void {
    const id = findResponseId(head, tail);
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
        tooLongError = createLineTooLongError(peer, head, maxLineBytes);
        receiver.onParseError(tooLongError);
      },
      onOversizedLineEnd(head, tail) {
        if (tooLongError) reportLostResponse(head, tail, tooLongError);
      },
    },
    maxLineBytes,
  );
}

function createNotJsonError(peer: string, text: string): TenonError {
  return new TenonError('stdio/not-json', 'received a line that is not JSON', {
    peer,
    rpcCode: PARSE_ERROR,
    received: formatExcerpt(text),
    hint: 'write logs to stderr, because stdout is for JSON-RPC messages only',
  });
}

function createLineTooLongError(peer: string, head: string, limit: number): TenonError {
  return new TenonError('stdio/line-too-long', 'received a line that is too long', {
    peer,
    rpcCode: PARSE_ERROR,
    expected: `at most ${limit} bytes`,
    received: `a longer line that begins with ${formatExcerpt(head.slice(0, 60))}`,
    hint: 'split the data into pages or links, or raise `maxLineBytes`, which needs more memory',
  });
}

function createTooDeepError(peer: string, text: string, limit: number): TenonError {
  return new TenonError('stdio/too-deep', 'received a message with too many levels', {
    peer,
    rpcCode: INVALID_REQUEST,
    expected: `at most ${limit} levels`,
    received: `more levels in ${formatExcerpt(text, 60)}`,
    hint: 'flatten the value, or raise `maxJsonDepth`, which needs more stack',
  });
}

/** Quotes the beginning of a line. */
function formatExcerpt(text: string, length = 80): string {
  const excerpt = `“${createExcerpt(text, length)}”`;
  return text.length > length ? `${excerpt} (${text.length} characters)` : excerpt;
}
