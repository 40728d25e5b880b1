/** Parts of base64 by their bytes. Four characters are three bytes. */

/** The characters that hold the bytes from `from` to `to`. */
export function getCharacterRange(from: number, to: number): [number, number] {
  return [Math.floor(from / 3) * 4, Math.ceil(to / 3) * 4];
}

/** The bytes from `from` to `to`, as base64, of the characters that `getCharacterRange` names. */
export function sliceBytes(characters: string, from: number, to: number): string {
  const bytes = atob(characters);
  const start = from % 3;
  return btoa(bytes.slice(start, start + (to - from)));
}

/** Returns the number of bytes of a base64 text with this length and ending. */
export function getByteLength(length: number, ending: string): number {
  const padding = ending.endsWith('==') ? 2 : ending.endsWith('=') ? 1 : 0;
  return Math.floor((length * 3) / 4) - padding;
}

/** True for padded base64 without any other character. */
export function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}
