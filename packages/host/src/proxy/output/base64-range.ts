/** Functions for ranges of base64. Four characters encode three bytes. */

/** Returns the range of characters that encode the bytes from `from` to `to`. */
export function getCharacterRange(from: number, to: number): [number, number] {
  return [Math.floor(from / 3) * 4, Math.ceil(to / 3) * 4];
}

/**
 * Extracts bytes as base64.
 *
 * @param characters Result of `getCharacterRange`.
 */
export function sliceBytes(characters: string, from: number, to: number): string {
  const bytes = atob(characters);
  const start = from % 3;
  return btoa(bytes.slice(start, start + (to - from)));
}

/** Returns the number of bytes that a base64 text of this length and ending encodes. */
export function getByteLength(length: number, ending: string): number {
  const padding = ending.endsWith('==') ? 2 : ending.endsWith('=') ? 1 : 0;
  return Math.floor((length * 3) / 4) - padding;
}

/** Tells if a text is padded base64. */
export function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}
