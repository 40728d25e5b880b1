import { decodeBase64, encodeBase64 } from '@tenon/base';

/**
 * Marker before an encoded header value. Visible ASCII with inner spaces is sent unchanged. Any other value is sent as
 * the base64 of its UTF-8 between two markers.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */

const ENCODED_PREFIX = '=?base64?';
const ENCODED_SUFFIX = '?=';
const PLAIN = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Encodes a value for a header. */
export function encodeHeaderValue(value: string): string {
  if (PLAIN.test(value) && !isEncoded(value)) return value;
  return `${ENCODED_PREFIX}${encodeBase64(new TextEncoder().encode(value))}${ENCODED_SUFFIX}`;
}

/**
 * Decodes the value of a header. Whitespace around it is ignored. Returns `undefined` for invalid characters, for
 * base64 without padding, and for bytes that are not UTF-8.
 */
export function decodeHeaderValue(header: string): string | undefined {
  const value = trimHeaderValue(header);
  if (!isEncoded(value)) return isHeaderText(value) ? value : undefined;
  const coded = value.slice(ENCODED_PREFIX.length, -ENCODED_SUFFIX.length);
  if (!BASE64.test(coded)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(decodeBase64(coded));
  } catch {
    return undefined;
  }
}

/** Removes the optional whitespace (space and tab) around a header value. */
export function trimHeaderValue(header: string): string {
  let start = 0;
  let end = header.length;
  while (start < end && isBlank(header.charCodeAt(start))) start++;
  while (end > start && isBlank(header.charCodeAt(end - 1))) end--;
  return start === 0 && end === header.length ? header : header.slice(start, end);
}

/** Tells if a value has both markers. They must not overlap: `=?base64?=` is a literal. */
function isEncoded(value: string): boolean {
  return (
    value.length >= ENCODED_PREFIX.length + ENCODED_SUFFIX.length &&
    value.startsWith(ENCODED_PREFIX) &&
    value.endsWith(ENCODED_SUFFIX)
  );
}

function isHeaderText(value: string): boolean {
  for (let index = 0; index < value.length; index++) {
    const code = value.charCodeAt(index);
    if ((code < 0x20 && code !== 0x09) || code > 0x7e) return false;
  }
  return true;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
