/** Decoder for text that invisible characters carry, so that a person can see it. */

/** Maximum length of a sequence that is decoded, in characters. */
const MAX_DECODED = 256;

/** Decodes tag characters, which are ASCII plus U+E0000. */
export function readTags(text: string, at: number, length: number): string | undefined {
  let read = '';
  for (let place = at; place < at + length && read.length < MAX_DECODED; place += 2) {
    const ascii = text.codePointAt(place)! - 0xe0000;
    if (ascii >= 0x20 && ascii < 0x7f) read += String.fromCharCode(ascii);
  }
  return read === '' ? undefined : read;
}

/** Decodes variation selectors, whose 256 values are bytes of ASCII text. */
export function readSelectors(text: string, at: number, length: number): string | undefined {
  let [read, other] = ['', 0];
  for (let place = at; place < at + length && read.length + other < MAX_DECODED; ) {
    const code = text.codePointAt(place)!;
    // The first 16 selectors, from U+FE00 on, encode control characters. They become negative here and are not decoded.
    const byte = code - 0xe0100 + 16;
    if (byte >= 0x20 && byte < 0x7f) read += String.fromCharCode(byte);
    else other += 1;
    place += String.fromCodePoint(code).length;
  }
  return read.length > other && read.length > 3 ? read : undefined;
}
