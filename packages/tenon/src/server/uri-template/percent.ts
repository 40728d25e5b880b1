/** Percent-encoding and decoding of UTF-8, by RFC 3986 and RFC 6570 §3.1. */

/**
 * Encodes all characters except the unreserved ones. Throws a `URIError` for a lone surrogate, which UTF-8 cannot
 * represent.
 */
export function encodeUnreserved(text: string): string {
  // The unreserved characters of JavaScript that RFC 3986 reserves.
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * Encodes all characters except unreserved and reserved ones. Existing triplets (`%2F`) stay. Throws a `URIError` for a
 * lone surrogate.
 */
export function encodeReserved(text: string): string {
  return encodeURI(text)
    .replace(/%5B/g, '[')
    .replace(/%5D/g, ']')
    .replace(/%25([0-9A-Fa-f]{2})/g, '%$1');
}

/** Decodes percent-encoded text. Returns `undefined` if the text is malformed or not UTF-8. */
export function decodePercent(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * A URI as a sequence of symbols. A code unit below 128 is its own symbol, and 128 + byte represents a triplet. A
 * triplet is one symbol, so it cannot be split, and `%2f` and `%2F` are equal.
 */
export interface UriSymbols {
  readonly codes: Uint16Array;
  /** Returns the original text of the symbols from `start` to `end`. */
  text(start: number, end: number): string;
}

/**
 * Reads the symbols of a text. A character beyond ASCII becomes its UTF-8 triplets, as RFC 3987 §3.1 maps an IRI to a
 * URI. Returns `undefined` for an incomplete triplet or a lone surrogate.
 */
export function toSymbols(raw: string): UriSymbols | undefined {
  let ascii: string;
  try {
    ascii = raw.replace(/[\u0080-\uffff]+/g, encodeURIComponent);
  } catch {
    return undefined;
  }
  const codes = new Uint16Array(ascii.length);
  const starts = new Uint32Array(ascii.length + 1);
  let count = 0;
  for (let offset = 0; offset < ascii.length; offset += ascii[offset] === '%' ? 3 : 1) {
    let code = ascii.charCodeAt(offset);
    if (code === 0x25) {
      const high = readHexDigit(ascii.charCodeAt(offset + 1));
      const low = readHexDigit(ascii.charCodeAt(offset + 2));
      if (high < 0 || low < 0) return undefined;
      code = 128 + high * 16 + low;
    }
    starts[count] = offset;
    codes[count++] = code;
  }
  starts[count] = ascii.length;
  return { codes: codes.subarray(0, count), text: (start, end) => ascii.slice(starts[start], starts[end]) };
}

/** Returns the value of a hexadecimal digit, or -1 for any other code, including `NaN` after the end of the text. */
function readHexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
