import { decode } from 'punycode/punycode.es6.js';

/** Maximum length of a domain label, in characters. */
const MAX_LABEL = 63;

/** Decodes the Punycode after `xn--` in a domain label. Returns `undefined` when it is invalid. */
export function decodePunycode(encoded: string): string | undefined {
  if (encoded.length > MAX_LABEL) return undefined;
  try {
    const text = decode(encoded);
    return /\p{Surrogate}/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}
