/** Reads Punycode: what stands behind `xn--` in a label of a domain. https://www.rfc-editor.org/rfc/rfc3492 */

const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;
const INITIAL_BIAS = 72;
const INITIAL_N = 128;
const MAX_CODE_POINT = 0x10ffff;
/** A label has 63 characters at the most. */
const MAX_LABEL = 63;

/** The label in Unicode; undefined when it is none that can be read. */
export function decodePunycode(encoded: string): string | undefined {
  if (encoded.length > MAX_LABEL) return undefined;
  const delimiter = encoded.lastIndexOf('-');
  const output = delimiter > 0 ? [...encoded.slice(0, delimiter)].map(each => each.codePointAt(0) ?? 0) : [];
  let [n, i, bias, at] = [INITIAL_N, 0, INITIAL_BIAS, delimiter > 0 ? delimiter + 1 : 0];
  while (at < encoded.length) {
    const start = i;
    for (let [weight, k] = [1, BASE]; ; k += BASE) {
      const digit = parseDigit(encoded[at++]);
      if (digit === undefined) return undefined;
      i += digit * weight;
      const t = k <= bias ? T_MIN : k >= bias + T_MAX ? T_MAX : k - bias;
      if (digit < t) break;
      weight *= BASE - t;
      if (!Number.isSafeInteger(i) || !Number.isSafeInteger(weight)) return undefined;
    }
    bias = adaptBias(i - start, output.length + 1, start === 0);
    n += Math.floor(i / (output.length + 1));
    i %= output.length + 1;
    if (n > MAX_CODE_POINT || (n >= 0xd800 && n <= 0xdfff)) return undefined;
    output.splice(i++, 0, n);
  }
  return String.fromCodePoint(...output);
}

function parseDigit(character: string | undefined): number | undefined {
  if (character === undefined) return undefined;
  if (/^[a-z]$/i.test(character)) return character.toLowerCase().charCodeAt(0) - 97;
  return /^\d$/.test(character) ? Number(character) + 26 : undefined;
}

function adaptBias(delta: number, count: number, isFirst: boolean): number {
  let left = Math.floor(delta / (isFirst ? DAMP : 2));
  left += Math.floor(left / count);
  let k = 0;
  for (; left > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) left = Math.floor(left / (BASE - T_MIN));
  return k + Math.floor(((BASE - T_MIN + 1) * left) / (left + SKEW));
}
