/** How much of what a provider answers an error may show, in characters. */
const MAX_EXCERPT = 300;
/** What is looked through for secrets: a longer text is cut first. */
const MAX_LOOKED_AT = 4_096;

/** Words that look like a key by how they begin, masked by their provider or not. */
const KEY_LIKE = /\b(?:(?:sk|pk|rk|gsk|xai|hf|key)[-_]|AIza|ya29\.|eyJ)[\w*.…-]{6,}/g;
const AFTER_BEARER = /\b(bearer|x-api-key:?|x-goog-api-key:?|api[-_ ]key:?|key=)\s*[^\s"',&]{6,}/gi;
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/g;

/** A piece of a foreign text that an error may show: short, on one line, and without keys. */
export function formatErrorExcerpt(text: string, keys: readonly string[] = []): string {
  let shown = text.slice(0, MAX_LOOKED_AT);
  for (const key of keys) if (key !== '') shown = shown.replaceAll(key, '‹hidden›');
  // A key that the cut has left a part of stands at the very end, which is far behind what is shown.
  shown = shown.replace(CONTROLS, ' ').replace(AFTER_BEARER, '$1 ‹hidden›').replace(KEY_LIKE, '‹hidden›').trim();
  return shown.length > MAX_EXCERPT ? `${shown.slice(0, MAX_EXCERPT)}…` : shown;
}
