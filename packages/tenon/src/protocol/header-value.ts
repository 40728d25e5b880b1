import { decodeBase64, encodeBase64 } from '../encoding/base64.js';

/**
 * Encodes a value of the body for an HTTP header: visible ASCII with inner spaces as it is, everything else as base64
 * of its UTF-8 between two exact markers.
 * https://modelcontextprotocol.io/specification/draft/basic/transports/streamable-http
 */

const ENCODED_PREFIX = '=?base64?';
const ENCODED_SUFFIX = '?=';
const PLAIN = /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The header value that stands for `value`. */
export function encodeHeaderValue(value: string): string {
  if (PLAIN.test(value) && !isEncoded(value)) return value;
  return `${ENCODED_PREFIX}${encodeBase64(new TextEncoder().encode(value))}${ENCODED_SUFFIX}`;
}

/**
 * The value that a header stands for, or `undefined` when it stands for none: characters that no sender may use,
 * base64 without its padding, bytes that are not UTF-8. Whitespace around it does not count.
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

/** Without the optional whitespace (space and tab) that HTTP allows around a value. */
export function trimHeaderValue(header: string): string {
  let start = 0;
  let end = header.length;
  while (start < end && isBlank(header.charCodeAt(start))) start++;
  while (end > start && isBlank(header.charCodeAt(end - 1))) end--;
  return start === 0 && end === header.length ? header : header.slice(start, end);
}

/** The two markers must not overlap: `=?base64?=` is a literal. */
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
