/** Elements of HTML that do something by being shown. */

/** More of a tag than this is not read (UTF-16 units). */
export const MAX_TAG = 4096;

const toWordSet = (names: string): ReadonlySet<string> => new Set(names.split(' '));

export const LOADING_ELEMENTS = toWordSet(
  'img picture source svg image style link video audio track iframe frame object embed script base meta form applet use',
);
/** These element names are also words, as in `cp <source> <target>`. As markup they have attributes. */
const ACTIVE_ELEMENTS = toWordSet('script style svg iframe');
/** Their content is not shown, or not as text. */
const HIDING_ELEMENTS = toWordSet('template textarea title noscript noembed plaintext xmp details dialog math');
const EVENT_HANDLER = /[\s"'/]on[a-z]{3,20}\s{0,9}=/i;

/** True if a tag loads something or runs code. */
export const isActive = (name: string, markup: string): boolean =>
  (LOADING_ELEMENTS.has(name) && (hasAttributes(markup) || ACTIVE_ELEMENTS.has(name))) || EVENT_HANDLER.test(markup);

/** A tag that exceeds the scanned length may have hidden attributes. */
const hasAttributes = (markup: string): boolean => markup.includes('=') || markup.length >= MAX_TAG;

/** True if a renderer turns a tag into something else than text: `<b>` and `Array<string>` may stay as they are. */
export function isRendered(markup: string): boolean {
  const name = /^<\/?([a-z][a-z0-9-]{0,40})/i.exec(markup)?.[1]?.toLowerCase();
  if (name === undefined) return true;
  const isAutolink = /^<[a-z][a-z0-9+.-]{1,39}:/i.test(markup);
  return isAutolink || ACTIVE_ELEMENTS.has(name) || HIDING_ELEMENTS.has(name) || hasAttributes(markup);
}
