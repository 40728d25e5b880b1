/** HTML elements that have an effect when displayed. */

/** Maximum length of a tag that is parsed, in UTF-16 units. */
export const MAX_TAG = 4096;

const toWordSet = (names: string): ReadonlySet<string> => new Set(names.split(' '));

export const LOADING_ELEMENTS = toWordSet(
  'img picture source svg image style link video audio track iframe frame object embed script base meta form applet use',
);
/**
 * Active elements whose names are also common words, as in `cp <source> <target>`. They count as markup only with
 * attributes.
 */
const ACTIVE_ELEMENTS = toWordSet('script style svg iframe');
/** Elements whose content is not displayed, or not as text. */
const HIDING_ELEMENTS = toWordSet('template textarea title noscript noembed plaintext xmp details dialog math');
const EVENT_HANDLER = /[\s"'/]on[a-z]{3,20}\s{0,9}=/i;

/** Tells if a tag loads content or runs code. */
export const isActive = (name: string, markup: string): boolean =>
  (LOADING_ELEMENTS.has(name) && (hasAttributes(markup) || ACTIVE_ELEMENTS.has(name))) || EVENT_HANDLER.test(markup);

/** Tells if a tag has attributes. A tag over the maximum length may have some that were not parsed. */
const hasAttributes = (markup: string): boolean => markup.includes('=') || markup.length >= MAX_TAG;

/** Tells if a renderer treats a tag as markup. `<b>` and `Array<string>` are harmless. */
export function isRendered(markup: string): boolean {
  const name = /^<\/?([a-z][a-z0-9-]{0,40})/i.exec(markup)?.[1]?.toLowerCase();
  if (name === undefined) return true;
  const isAutolink = /^<[a-z][a-z0-9+.-]{1,39}:/i.test(markup);
  return isAutolink || ACTIVE_ELEMENTS.has(name) || HIDING_ELEMENTS.has(name) || hasAttributes(markup);
}
