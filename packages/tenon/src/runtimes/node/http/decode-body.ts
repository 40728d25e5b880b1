import type { IncomingMessage } from 'node:http';
import { PassThrough, pipeline, type Readable, type Transform } from 'node:stream';
import { TenonError } from '@tenon/base';
import { ACCEPT_ENCODING } from './accept-encoding.js';

/** Maximum number of codings of one body. Each of them can make a body a thousand times larger. */
const MAX_CODINGS = 3;

/** Matches the first byte of JSON, of an event stream, or of a page. */
const TEXT_START = /[\s{["\w:<\xef]/;

/** The bit by which the two bytes of brackets differ from those of braces. */
const BRACKET_BIT = 0x20;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/**
 * Returns the body of a response without its content codings. A response without `Content-Encoding` is returned as it
 * is. The caller must limit the decoded bytes.
 *
 * A body that cannot have its coding is not decoded, because some runtimes and proxies decode a body and keep the header.
 * The stream fails with `peer/unreadable` if the coding is unknown, or the data is damaged or ends early.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#name-content-encoding
 */
export function decodeBody(message: IncomingMessage): Readable {
  const names = message.headers['content-encoding']?.toLowerCase().match(/[^\s,]+/g) ?? [];
  const codings = names.filter(name => name !== 'identity');
  if (codings.length === 0) return message;
  const isJson = message.headers['content-type']?.includes('json');
  let first: number | undefined = 0;
  let last = 0;
  const output = new PassThrough({
    transform(chunk: Buffer, _, next) {
      first ??= chunk[0];
      last = chunk.findLast(byte => byte > 0x20) ?? last;
      next(null, chunk);
    },
    // The decoders report no early end, because they need no last bytes. Other JSON texts may end anywhere.
    flush(next) {
      const isCut =
        isJson && ((first ?? OPENING_BRACE) | BRACKET_BIT) === OPENING_BRACE && (last | BRACKET_BIT) !== CLOSING_BRACE;
      next(isCut ? createUnreadableError(codings) : null);
    },
  });
  // The response may have ended without a body, or its connection broken, while this module was loaded.
  if (message.destroyed) return message.complete ? output.end() : output.destroy();
  message.once('close', () => {
    if (!message.readableEnded) output.destroy();
  });
  output.once('close', () => message.destroy());
  const endEmpty = () => output.end();
  // The first bytes show the coding, because `deflate` has two forms.
  const begin = () => {
    const chunk: Buffer | null = message.read();
    if (chunk === null) return;
    message.off('readable', begin).off('end', endEmpty);
    message.unshift(chunk);
    try {
      const decoders = createDecoders(codings, chunk);
      first = undefined;
      for (const decoder of decoders) {
        decoder.once('error', error => {
          if (message.readableEnded || !message.destroyed)
            output.destroy(createUnreadableError(codings, `damaged data (${error.message})`));
        });
      }
      pipeline([message, ...decoders, output], () => {});
    } catch (error) {
      output.destroy(TenonError.from(error));
    }
  };
  message.on('readable', begin).once('end', endEmpty);
  return output;
}

/** Creates the decoders of a body in the order of their use. The coding that was applied last is the first. */
function createDecoders(codings: readonly string[], first: Buffer): Transform[] {
  if (codings.length > MAX_CODINGS) throw createUnreadableError(codings, `${codings.length} codings`);
  const decoders: Transform[] = [];
  for (const coding of codings.toReversed()) {
    const start = decoders.length === 0 ? first[0] : undefined;
    const decoder = createDecoder(coding, start);
    if (decoder) decoders.push(decoder);
    else if (start === undefined || !TEXT_START.test(String.fromCharCode(start))) {
      throw createUnreadableError(codings);
    }
  }
  return decoders;
}

/** Creates the decoder of one coding. `undefined` if the coding is unknown, or the body cannot have it. */
function createDecoder(coding: string, start: number | undefined): Transform | undefined {
  // Loaded on first use, because most responses are not compressed.
  const zlib = process.getBuiltinModule('node:zlib');
  const { BROTLI_OPERATION_FLUSH, Z_SYNC_FLUSH } = zlib.constants;
  // An event must arrive before the stream ends, and some servers leave out the last bytes.
  const options = { flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH };
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return start === undefined || start === 0x1f ? zlib.createGunzip(options) : undefined;
    case 'br':
      // No brotli stream begins with "{".
      return start === 0x7b
        ? undefined
        : zlib.createBrotliDecompress({ flush: BROTLI_OPERATION_FLUSH, finishFlush: BROTLI_OPERATION_FLUSH });
    case 'deflate':
      // Some servers send the data without the header of zlib.
      return start === undefined || (start & 0x0f) === 8 ? zlib.createInflate(options) : zlib.createInflateRaw(options);
  }
}

function createUnreadableError(codings: readonly string[], reason = 'damaged or other data'): TenonError {
  return new TenonError('peer/unreadable', 'the body cannot be decoded', {
    expected: `one of the content codings ${ACCEPT_ENCODING}`,
    received: `${codings.join(', ').slice(0, 60)}: ${reason}`,
  });
}
