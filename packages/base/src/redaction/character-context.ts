import { classifyHidden } from './invisible-characters.js';

/**
 * Contexts in which an invisible character is part of normal writing and is kept. The patterns stand in functions, because
 * the tables of Unicode take a millisecond to read, and most programs need none.
 */

const isJoining = (text: string): boolean =>
  /^(?=[\p{L}\p{M}])(?!\p{DI})[\p{scx=Arab}\p{scx=Syrc}\p{scx=Mong}\p{scx=Nkoo}\p{scx=Mand}\p{scx=Phag}\p{scx=Hebr}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Tibt}\p{scx=Mymr}\p{scx=Khmr}\p{scx=Bali}\p{scx=Java}]/u.test(
    text,
  );
const isSpaceless = (text: string): boolean =>
  /^(?=[\p{L}\p{M}\p{N}\p{P}])(?!\p{DI})[\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}\p{scx=Bali}\p{scx=Java}\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]/u.test(
    text,
  );
const isPictograph = (text: string): boolean => /^\p{Extended_Pictographic}/u.test(text);
const isSkinTone = (text: string): boolean => /^\p{Emoji_Modifier}/u.test(text);
const isStyled = (text: string): boolean => /^(?!\p{DI})[\p{Emoji}\p{Extended_Pictographic}\p{So}\p{Sm}]/u.test(text);
const isStandardized = (text: string): boolean =>
  /^[\p{Sm}\p{sc=Han}\p{sc=Mymr}\p{sc=Phag}0\u3001\u3002\uff01-\uff1f]/u.test(text);
const isHan = (text: string): boolean => /^\p{sc=Han}/u.test(text);
const isMongolian = (text: string): boolean => /^(?!\p{DI})\p{sc=Mong}/u.test(text);
const isKhmer = (text: string): boolean => /^(?!\p{DI})\p{sc=Khmr}/u.test(text);
const isJamo = (text: string): boolean => /^[\u1100-\u115e\u1161-\u11ff\ua960-\ua97c\ud7b0-\ud7fb]/u.test(text);
const isLetter = (text: string): boolean => /^\p{L}/u.test(text);
const isMark = (text: string): boolean => /^(?!\p{DI})\p{M}/u.test(text);
const hasRightToLeft = (text: string): boolean =>
  /(?=\p{L})[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u.test(text);
const hasBraille = (text: string): boolean => /[\u2801-\u28ff]/.test(text);

/** Flags of England, Scotland and Wales, the only tag sequences in general use. Other sequences could carry text. */
const flags = ['gbeng', 'gbsct', 'gbwls'].map(code => `\u{1f3f4}${toTagCharacters(code)}\u{e007f}`);

const BYTE_ORDER_MARK = 0xfeff;

/** Properties of a whole text, computed once. */
export interface TextContext {
  readonly rightToLeft: boolean;
  readonly braille: boolean;
}

export const createTextContext = (text: string): TextContext => ({
  rightToLeft: hasRightToLeft(text),
  braille: hasBraille(text),
});

/** Returns the number of tag characters of the flag at a position. 0 if there is none. */
export function getFlagLength(text: string, at: number): number {
  const flag = flags.find(each => at >= 2 && text.startsWith(each, at - 2));
  return flag === undefined ? 0 : flag.length - 2;
}

/** Tells if an invisible character is legitimate in its context. */
export function isLegitimate(text: string, at: number, code: number, setting: TextContext): boolean {
  const before = getCharacterBefore(text, at);
  const after = getCharacterAt(text, at + (code > 0xffff ? 2 : 1));
  if (code === 0x200d || code === 0x200c)
    return isJoining(before) || (code === 0x200d && doesJoinEmoji(text, at, after));
  if (code === 0x200b) return isSpaceless(before) || isSpaceless(after);
  if (code === 0xad) return isLetter(before) && isLetter(after);
  if (code === 0x34f) return isMark(before) || isMark(after);
  if (code === 0x61c || code === 0x200e || code === 0x200f) return setting.rightToLeft;
  if (code === 0x115f || code === 0x1160) return isJamo(before) || isJamo(after);
  if (code === 0x17b4 || code === 0x17b5) return isKhmer(before);
  if (code === 0x180e) return isMongolian(before);
  if (code === 0x2800) return setting.braille;
  if (code === 0xfeff) return at === 0;
  return false;
}

/** Tells if a variation selector follows a character that has variants. */
export function isLegitimateSelector(text: string, at: number, code: number): boolean {
  const before = getCharacterBefore(text, at);
  if (code === 0xfe0e || code === 0xfe0f) return isStyled(before);
  if (code >= 0xfe00 && code <= 0xfe0d) return isStandardized(before);
  if (code >= 0xe0100) return isHan(before);
  return isMongolian(before);
}

/**
 * Returns the number of UTF-16 units from a hidden character on that emoji, a flag or a script need. 0 for a character that
 * a reader must see.
 */
export function getNeededLength(text: string, at: number, setting: TextContext): number {
  const code = text.codePointAt(at) ?? 0;
  const flag = getFlagLength(text, at);
  if (flag > 0 || code === BYTE_ORDER_MARK) return flag;
  const isNeeded =
    classifyHidden(code) === 'variation' ? isLegitimateSelector(text, at, code) : isLegitimate(text, at, code, setting);
  return isNeeded ? String.fromCodePoint(code).length : 0;
}

function doesJoinEmoji(text: string, at: number, after: string): boolean {
  if (!isPictograph(after)) return false;
  const before = getCharacterBefore(text, at);
  if (before !== '\ufe0f' && !isSkinTone(before)) return isPictograph(before);
  return isStyled(getCharacterBefore(text, at - before.length));
}

function getCharacterAt(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? '' : String.fromCodePoint(code);
}

function getCharacterBefore(text: string, at: number): string {
  if (at <= 0) return '';
  const low = text.charCodeAt(at - 1);
  const paired = at >= 2 && low >= 0xdc00 && low <= 0xdfff && text.codePointAt(at - 2)! > 0xffff;
  return text.slice(paired ? at - 2 : at - 1, at);
}

function toTagCharacters(ascii: string): string {
  return [...ascii].map(each => String.fromCodePoint(0xe0000 + each.charCodeAt(0))).join('');
}
