import { classifyHidden, escapeInvisible } from '@tenon/base';

/** Names in Unicode of characters that cannot be seen. */
const NAMES: Readonly<Record<number, string>> = {
  0: 'NULL',
  7: 'BELL',
  8: 'BACKSPACE',
  9: 'TAB',
  10: 'LINE FEED',
  13: 'CARRIAGE RETURN',
  27: 'ESCAPE',
  160: 'NO-BREAK SPACE',
  173: 'SOFT HYPHEN',
  847: 'COMBINING GRAPHEME JOINER',
  1564: 'ARABIC LETTER MARK',
  8192: 'EN QUAD',
  8194: 'EN SPACE',
  8195: 'EM SPACE',
  8199: 'FIGURE SPACE',
  8201: 'THIN SPACE',
  8202: 'HAIR SPACE',
  8203: 'ZERO WIDTH SPACE',
  8204: 'ZERO WIDTH NON-JOINER',
  8205: 'ZERO WIDTH JOINER',
  8206: 'LEFT-TO-RIGHT MARK',
  8207: 'RIGHT-TO-LEFT MARK',
  8232: 'LINE SEPARATOR',
  8233: 'PARAGRAPH SEPARATOR',
  8234: 'LEFT-TO-RIGHT EMBEDDING',
  8235: 'RIGHT-TO-LEFT EMBEDDING',
  8236: 'POP DIRECTIONAL FORMATTING',
  8237: 'LEFT-TO-RIGHT OVERRIDE',
  8238: 'RIGHT-TO-LEFT OVERRIDE',
  8239: 'NARROW NO-BREAK SPACE',
  8288: 'WORD JOINER',
  8289: 'FUNCTION APPLICATION',
  8290: 'INVISIBLE TIMES',
  8291: 'INVISIBLE SEPARATOR',
  8292: 'INVISIBLE PLUS',
  8294: 'LEFT-TO-RIGHT ISOLATE',
  8295: 'RIGHT-TO-LEFT ISOLATE',
  8296: 'FIRST STRONG ISOLATE',
  8297: 'POP DIRECTIONAL ISOLATE',
  10240: 'BRAILLE PATTERN BLANK',
  12288: 'IDEOGRAPHIC SPACE',
  12644: 'HANGUL FILLER',
  65279: 'ZERO WIDTH NO-BREAK SPACE',
  65532: 'OBJECT REPLACEMENT CHARACTER',
};
/** Kinds of characters without a name in the list. */
const KIND_NAMES: Readonly<Record<string, string>> = {
  control: 'CONTROL CHARACTER',
  tag: 'TAG CHARACTER',
  variation: 'VARIATION SELECTOR',
  bidi: 'DIRECTION MARK',
  invisible: 'INVISIBLE CHARACTER',
  'private-use': 'PRIVATE USE CHARACTER',
};

/** Replaces each character that is invisible on one line by its number and name: `<U+200B ZERO WIDTH SPACE>`. */
export function nameHidden(text: string): string {
  return Array.from(text, character => {
    // Only an invisible character is escaped.
    if (escapeInvisible(character) === character) return character;
    const code = character.codePointAt(0) ?? 0;
    const number = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
    const tagged = code >= 0xe0020 && code < 0xe007f ? `TAG ${String.fromCodePoint(code - 0xe0000)}` : undefined;
    const name = NAMES[code] ?? tagged ?? KIND_NAMES[classifyHidden(code) ?? ''];
    return `<${number}${name === undefined ? '' : ` ${name}`}>`;
  }).join('');
}
