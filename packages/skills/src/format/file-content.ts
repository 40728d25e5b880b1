import { computeSha256 } from '@tenon/base';

/** Returns the digest of bytes in the form of skills: `sha256:` and 64 hexadecimal digits. */
export function computeDigest(bytes: Uint8Array): string {
  const hex = [...computeSha256(bytes)].map(each => each.toString(16).padStart(2, '0'));
  return `sha256:${hex.join('')}`;
}

/** Returns the text of bytes, or `undefined` if it is not UTF-8. A byte order mark stays, because it is in the digest. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
