import { computeSha256 } from '@tenon/base';

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/**
 * Returns the beginning of the SHA-256 of a text, in lower-case base 32.
 *
 * @param characters Length of the result: 5 bits each, at most 51.
 */
export function digestShort(text: string, characters: number): string {
  let bits = 0n;
  for (const byte of computeSha256(encodeUtf16(text))) bits = (bits << 8n) | BigInt(byte);
  let digest = '';
  for (let at = 0; at < characters; at++) digest += BASE32[Number((bits >> BigInt(251 - 5 * at)) & 31n)];
  return digest;
}

/** Encodes each UTF-16 unit as two bytes, because UTF-8 encodes all lone surrogates alike. */
function encodeUtf16(text: string): Uint8Array {
  const view = new DataView(new ArrayBuffer(text.length * 2));
  for (let at = 0; at < text.length; at++) view.setUint16(at * 2, text.charCodeAt(at));
  return new Uint8Array(view.buffer);
}
