import { escapeCharacter } from '@tenon/base';
import { countScanSteps, type StepCounter, UNICODE_SEARCH_STEPS } from '../scan-steps.js';

/**
 * Detection of words that mix alphabets to look like other words.
 *
 * @see https://www.unicode.org/reports/tr39/
 */

/**
 * Cyrillic and Greek letters, each with the Latin letter that it looks like. Letters of common symbols (µ, Ω, Δ) are
 * omitted.
 */
const LOOKALIKE_PAIRS =
  'аa сc еe оo рp хx уy ѕs іi јj һh ԁd ԛq ԝw ӏl ԍg АA ВB ЕE КK МM НH ОO РP СC ТT ХX ІI ЈJ ЅS ԚQ ԜW ҮY ѴV ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX οo νv ρp ıi ɡg ɑa';

const LOOKALIKES = new Map(LOOKALIKE_PAIRS.split(' ').map(pair => [pair[0]!, pair[1]!]));

/** The dotless i is omitted, because it is a common letter of Turkish. */
const foreign = new RegExp(`[${[...LOOKALIKES.keys()].filter(each => each !== 'ı').join('')}]`, 'u');
const otherScripts = /\p{sc=Cyrl}|\p{sc=Grek}|[ɡɑ]/gu;
const word = /[\p{L}\p{M}\p{N}_]+/gu;
const longestWord = 128;

/**
 * Converts a text to the form that it looks like. Normalizes compatibility forms, removes marks, and replaces lookalike
 * letters.
 */
export function foldLookalikes(text: string): string {
  if (/^[ -~]*$/.test(text)) return text.toLowerCase();
  const plain = text.normalize('NFKD').replace(/[\p{M}\p{DI}\p{Cc}]/gu, '');
  return [...plain]
    .map(each => LOOKALIKES.get(each) ?? each)
    .join('')
    .toLowerCase();
}

/** Tells if a word mixes Latin letters with lookalike letters of another alphabet. */
function isMixed(text: string): boolean {
  if (!foreign.test(text)) return false;
  const others = text.match(otherScripts) ?? [];
  return /[A-Za-z]/.test(text) && others.every(each => LOOKALIKES.has(each));
}

/** Replaces lookalike letters with escapes: `p\u{430}ypal`. */
export function spellLookalikes(text: string): string {
  return text.replace(/(?![ -~])[\p{L}\p{Nd}]/gu, each =>
    /^[ -~]+$/.test(foldLookalikes(each)) ? escapeCharacter(each) : each,
  );
}

export function findMixedWords(text: string, onWord: (at: number, length: number) => void, meter: StepCounter): void {
  if (!foreign.test(text)) return;
  countScanSteps(meter, text.length * UNICODE_SEARCH_STEPS);
  for (const match of text.matchAll(word)) {
    if (match[0].length <= longestWord && isMixed(match[0])) onWord(match.index, match[0].length);
  }
}

/** Tells if a name contains letters that look like ASCII. Nearly all names are ASCII, so such a name is suspicious. */
export function isLookalikeName(name: string): boolean {
  if (/^[ -~]*$/.test(name)) return false;
  const letters = name.replace(/[^\p{L}\p{M}\p{Nd}]/gu, '');
  const isDisguised = foreign.test(letters) || letters.normalize('NFKC') !== letters.normalize('NFC');
  return isMixed(letters) || (isDisguised && /^[ -~]+$/.test(foldLookalikes(letters)));
}

/** Tells if a host mixes alphabets in one label, consists of lookalike letters, or hides them in Punycode. */
export function isLookalikeHost(host: string): boolean {
  return host.split('.').some(label => /^xn--/i.test(label) || isLookalikeName(label));
}
