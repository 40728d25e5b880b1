/**
 * Methods of newer runtimes and of Node. Both are many times faster than `btoa`, which first needs the bytes as text.
 */
interface FastBytes extends Uint8Array {
  toBase64?(options?: { readonly alphabet?: 'base64' | 'base64url'; readonly omitPadding?: boolean }): string;
}

interface NodeBuffer {
  from(buffer: ArrayBufferLike, offset: number, length: number): { toString(encoding: 'base64'): string };
}

/**
 * Number of bytes in one piece. It is a multiple of three, so that pieces join without padding, and small enough for
 * the arguments of one call.
 */
const PIECE = 3 * 8192;

/** Encodes bytes as base64 with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  const fast: FastBytes = bytes;
  if (typeof fast.toBase64 === 'function') return fast.toBase64();
  const { Buffer } = globalThis as { readonly Buffer?: NodeBuffer };
  if (Buffer !== undefined) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  return encodeInPieces(bytes);
}

/** Encodes bytes as base64 in runtimes that have only `btoa`. */
export function encodeInPieces(bytes: Uint8Array): string {
  let text = '';
  for (let start = 0; start < bytes.length; start += PIECE)
    text += btoa(String.fromCharCode(...bytes.subarray(start, start + PIECE)));
  return text;
}

/** Decodes base64. Throws when the text is invalid. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

/** Encodes bytes as base64url without padding. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/**
 * Decodes base64url without padding. Throws for a text with unused bits that are not zero, so that every change of a
 * text is detected.
 */
export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const bytes = decodeBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
  // Only the last character can have unused bits.
  const rest = bytes.length % 3;
  const isCanonical = /^[\w-]*$/.test(text) && (rest === 0 || text.endsWith(encodeBase64Url(bytes.subarray(-rest))));
  if (!isCanonical) throw new Error('not canonical base64url');
  return bytes;
}
