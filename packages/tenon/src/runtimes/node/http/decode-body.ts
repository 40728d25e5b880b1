import type { IncomingMessage } from 'node:http';
import { PassThrough, pipeline, type Readable, type Transform } from 'node:stream';
import { TenonError } from '@tenon/base';
import { ACCEPT_ENCODING } from './accept-encoding.js';

/** Maximum number of codings of one body. Each of them can make a body a thousand times larger. */
const MAX_CODINGS = 3;

/** Matches the first byte of JSON, of an event stream, or of a page. */
const TEXT_START = /[\s{["\w:<\xef]/;

/** The first byte of a JSON object, and of a batch. The byte that closes them is greater by 2. */
const OPENING_BYTES: readonly number[] = [0x7b, 0x5b];

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
  const names = message.headers['content-encoding']?.split(',').map(name => name.trim().toLowerCase()) ?? [];
  const codings = names.filter(name => name !== '' && name !== 'identity');
  if (codings.length === 0) return message;
  const isJson = /^application\/json\b/i.test(message.headers['content-type'] ?? '');
  let isDecoded = false;
  let start = 0;
  let last = 0;
  const output = new PassThrough({
    transform(chunk: Buffer, _, next) {
      start ||= chunk.find(byte => byte > 0x20) ?? 0;
      last = chunk.findLast(byte => byte > 0x20) ?? last;
      next(null, chunk);
    },
    // The decoders report no early end, because they need no last bytes.
    flush(next) {
      const isCut = start === 0 || (OPENING_BYTES.includes(start) && last !== start + 2);
      next(isJson && isDecoded && isCut ? createUnreadableError(codings, 'damaged data (unexpected end)') : null);
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
    const first: Buffer | null = message.read();
    if (first === null) return;
    message.off('readable', begin).off('end', endEmpty);
    message.unshift(first);
    try {
      const decoders = createDecoders(codings, first);
      isDecoded = decoders.length > 0;
      for (const decoder of decoders) {
        decoder.once('error', error => {
          const isDamaged = message.readableEnded || !message.destroyed;
          if (isDamaged) output.destroy(createUnreadableError(codings, `damaged data (${error.message})`));
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
    if (decoder !== undefined) decoders.push(decoder);
    else if (start === undefined || !TEXT_START.test(String.fromCharCode(start))) {
      throw createUnreadableError(codings, coding.slice(0, 60));
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
  const known: Record<string, () => Transform | undefined> = {
    gzip: () => (start === undefined || start === 0x1f ? zlib.createGunzip(options) : undefined),
    // No brotli stream begins with "{".
    br: () =>
      start === 0x7b
        ? undefined
        : zlib.createBrotliDecompress({ flush: BROTLI_OPERATION_FLUSH, finishFlush: BROTLI_OPERATION_FLUSH }),
    // Some servers send the data without the header of zlib.
    deflate: () =>
      start === undefined || (start & 0x0f) === 8 ? zlib.createInflate(options) : zlib.createInflateRaw(options),
  };
  const name = coding === 'x-gzip' ? 'gzip' : coding;
  return Object.hasOwn(known, name) ? known[name]?.() : undefined;
}

function createUnreadableError(codings: readonly string[], received: string): TenonError {
  return new TenonError('peer/unreadable', 'the body cannot be decoded', {
    expected: `one of the content codings ${ACCEPT_ENCODING}`,
    received: codings.includes(received) ? received : `${codings.join(', ').slice(0, 60)}: ${received}`,
  });
}
