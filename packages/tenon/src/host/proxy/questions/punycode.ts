import { decode } from 'punycode/punycode.es6.js';

/** Maximum length of a label of a domain. */
const MAX_LABEL = 63;

/** Decodes the Punycode that follows `xn--` in a label of a domain. Undefined when it is invalid. */
export function decodePunycode(encoded: string): string | undefined {
  if (encoded.length > MAX_LABEL) return undefined;
  try {
    const text = decode(encoded);
    return /\p{Surrogate}/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}
