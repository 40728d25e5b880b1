import { INVALID_REQUEST, PARSE_ERROR } from '../../jsonrpc/codes.js';
import { TenonError } from '../../jsonrpc/error.js';
import type { Id } from '../../jsonrpc/message.js';
import { parseJson } from '../../jsonrpc/parse-json.js';
import type { ByteReader } from './bytes.js';
import { nestsDeeper } from './depth.js';
import { excerpt } from './excerpt.js';
import { answeredId } from './lost-answer.js';
import { LineSplitter } from './splitter.js';

export interface LineLimits {
  /** Bytes of one line. A longer one is thrown away while it flows. Default 16 MiB. */
  readonly maxLineBytes?: number | undefined;
  /** How deep a message may nest arrays and objects. Default 128. */
  readonly maxDepth?: number | undefined;
}

export interface LineReceiver {
  value(value: unknown): void;
  unreadable(error: TenonError): void;
  /** The line that was refused was the answer to this request. */
  lost(id: Id, error: TenonError): void;
}

const MAX_LINE_BYTES = 16 * 1024 * 1024;
const MAX_DEPTH = 128;

const EDGE = 512;

/**
 * Reads newline-delimited JSON from bytes in any chunking. What can not be read is reported, once a line, and survived.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 */
export function createLineReader(peer: string, receiver: LineReceiver, limits: LineLimits = {}): ByteReader {
  const { maxLineBytes = MAX_LINE_BYTES, maxDepth = MAX_DEPTH } = limits;
  let flooding: TenonError | undefined;

  function line(text: string): void {
    if (nestsDeeper(text, maxDepth)) return refuse(text);
    let value: unknown;
    try {
      value = parseJson(text);
    } catch {
      // Blank lines keep some pipes alive. A carriage return before the newline is white space to JSON.
      if (text.trim() !== '') receiver.unreadable(notJson(peer, text));
      return;
    }
    receiver.value(value);
  }

  function refuse(text: string): void {
    const error = tooDeep(peer, text, maxDepth);
    receiver.unreadable(error);
    lost(text.slice(0, EDGE), text.slice(-EDGE), error);
  }

  function lost(head: string, tail: string, error: TenonError): void {
    const id = answeredId(head, tail);
    if (id !== undefined) receiver.lost(id, error);
  }

  return new LineSplitter(
    {
      text(text) {
        let start = 0;
        for (let newline = text.indexOf('\n'); newline !== -1; newline = text.indexOf('\n', start)) {
          line(text.slice(start, newline));
          start = newline + 1;
        }
        line(start === 0 ? text : text.slice(start));
      },
      flood(head) {
        flooding = tooLong(peer, head, maxLineBytes);
        receiver.unreadable(flooding);
      },
      flooded(head, tail) {
        if (flooding) lost(head, tail, flooding);
      },
    },
    maxLineBytes,
  );
}

function notJson(peer: string, text: string): TenonError {
  return new TenonError('stdio/not-json', 'sent a line that is not JSON', {
    peer,
    rpc: PARSE_ERROR,
    got: excerpt(text),
    next: 'a message is one line of JSON, and nothing else goes that way: whatever is logged belongs on stderr',
  });
}

function tooLong(peer: string, head: string, limit: number): TenonError {
  return new TenonError('stdio/line-too-long', 'sent a line that is too long to read', {
    peer,
    rpc: PARSE_ERROR,
    expected: `at most ${limit} bytes`,
    got: `more, beginning ${excerpt(head.slice(0, 60))}`,
    next: 'send less at once (pages, links), or raise maxLineBytes: memory is the price',
  });
}

function tooDeep(peer: string, text: string, limit: number): TenonError {
  return new TenonError('stdio/too-deep', 'sent a message that nests too deep', {
    peer,
    rpc: INVALID_REQUEST,
    expected: `at most ${limit} levels`,
    got: `more, in ${excerpt(text, 60)}`,
    next: 'flatten the value, or raise maxDepth: walking a deep value exhausts the stack',
  });
}
