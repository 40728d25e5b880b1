/**
 * Methods of newer runtimes and of Node. Both are many times faster than `btoa`, which first needs the bytes as text.
 */
interface FastBytes extends Uint8Array {
  toBase64?(options?: { readonly alphabet?: 'base64' | 'base64url'; readonly omitPadding?: boolean }): string;
}

interface NodeBuffer {
  from(text: string, encoding: 'base64url'): Uint8Array;
  from(buffer: ArrayBufferLike, offset: number, length: number): { toString(encoding: 'base64' | 'base64url'): string };
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const PADDING = '='.charCodeAt(0);

/** Encodes bytes as base64 with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  return encodeNatively(bytes, 'base64') ?? encodeBase64Portably(bytes);
}

/** Encodes bytes by a method of the runtime, if it has one. */
function encodeNatively(bytes: FastBytes, alphabet: 'base64' | 'base64url'): string | undefined {
  if (typeof bytes.toBase64 === 'function') return bytes.toBase64({ alphabet, omitPadding: alphabet === 'base64url' });
  const { Buffer } = globalThis as { readonly Buffer?: NodeBuffer };
  return Buffer?.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(alphabet);
}

/** Encodes bytes as base64 in runtimes that have only `btoa`, which takes ten times as long. */
export function encodeBase64Portably(bytes: Uint8Array): string {
  const codes = new TextEncoder().encode(ALPHABET);
  const text = new Uint8Array(Math.ceil(bytes.length / 3) * 4);
  let end = 0;
  for (let index = 0; index < bytes.length; index += 3) {
    // Bytes after the last one count as zero.
    const bits = (bytes[index]! << 16) | ((bytes[index + 1] ?? 0) << 8) | (bytes[index + 2] ?? 0);
    for (let shift = 18; shift >= 0; shift -= 6) text[end++] = codes[(bits >> shift) & 63]!;
  }
  const missing = (3 - (bytes.length % 3)) % 3;
  text.fill(PADDING, end - missing);
  return new TextDecoder().decode(text);
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
  const encoded = encodeNatively(bytes, 'base64url');
  return encoded ?? encodeBase64Portably(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/**
 * Decodes base64url without padding. Throws for any text that `encodeBase64Url` does not return, such as one with unused
 * bits that are not zero, so that every change of a text is detected.
 */
export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const { Buffer } = globalThis as { readonly Buffer?: NodeBuffer };
  const bytes = Buffer
    ? new Uint8Array(Buffer.from(text, 'base64url'))
    : decodeBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
  if (encodeBase64Url(bytes) !== text) throw new Error('not canonical base64url');
  return bytes;
}
