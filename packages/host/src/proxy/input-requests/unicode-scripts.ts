/**
 * Scripts of a domain label, for the detection of labels that imitate others.
 *
 * @see https://www.unicode.org/reports/tr39/
 */

const SCRIPTS = {
  Latin: /\p{Script=Latin}/u,
  Cyrillic: /\p{Script=Cyrillic}/u,
  Greek: /\p{Script=Greek}/u,
  Armenian: /\p{Script=Armenian}/u,
  Hebrew: /\p{Script=Hebrew}/u,
  Arabic: /\p{Script=Arabic}/u,
  Cherokee: /\p{Script=Cherokee}/u,
  Han: /\p{Script=Han}/u,
  Hiragana: /\p{Script=Hiragana}/u,
  Katakana: /\p{Script=Katakana}/u,
  Hangul: /\p{Script=Hangul}/u,
  Bopomofo: /\p{Script=Bopomofo}/u,
} as const;

const OTHER = /[\p{L}\p{M}]/u;
const COMMON = /[\p{Script=Common}\p{Script=Inherited}]/u;

/** Combinations of scripts that occur in one language: Japanese, Korean, Chinese, each with Latin. */
const COMBINED_SCRIPTS = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Hangul'],
  ['Latin', 'Han', 'Bopomofo'],
];

function findScripts(text: string): string[] {
  const found = new Set<string>();
  for (const character of text.normalize('NFKC')) {
    const script = Object.entries(SCRIPTS).find(([, pattern]) => pattern.test(character))?.[0];
    if (script !== undefined) found.add(script);
    else if (OTHER.test(character) && !COMMON.test(character)) found.add('other');
  }
  return [...found];
}

/** Tells if a text mixes scripts that no language combines. */
export function hasMixedScripts(text: string): boolean {
  const scripts = findScripts(text);
  return scripts.length > 1 && !COMBINED_SCRIPTS.some(allowed => scripts.every(script => allowed.includes(script)));
}

/** Letters that look like ASCII letters: Cyrillic, Greek, Armenian, and Latin letters outside ASCII. */
const LOOKALIKES = /^[аеорсухѕіјһԁԛԝѵӏгпкмнтвьαοριυνκτχγεηωսօոցհաɑɡɩıłøoʋᴀ-ᴢ0-9-]+$/u;

/** Tells if a text with non-ASCII letters looks like an ASCII text: `аррӏе`. */
export function looksLatin(text: string): boolean {
  const lower = text.normalize('NFKC').toLowerCase();
  const beyond = [...lower].filter(each => each > '\u007f').join('');
  return beyond !== '' && LOOKALIKES.test(beyond);
}
