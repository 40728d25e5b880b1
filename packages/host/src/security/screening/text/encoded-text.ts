import type { OnFindingCandidate } from '../finding.js';
import { countScanSteps, DECODE_STEPS, SCAN_STEPS, type StepCounter } from '../scan-steps.js';

/**
 * Detection of encoded text: base64, hexadecimal, escapes and character references that decode to sentences. Best
 * effort.
 */

const MIN_ENCODED = 40;
/** Length of the shortest sequence: eight references such as `&#9;`, or eight escapes such as `\x09`. */
const MIN_RUN = 32;
/** Maximum length of a sequence that is decoded, in characters. */
const MAX_DECODED = 240;
const MAX_ENCODED = MAX_DECODED * 4;

/** Base64 begins after another character or after an escape. A search from within a word would take quadratic time. */
const ENCODED_RUN =
  /(?:(?<![A-Za-z0-9+/_-])|(?<=\\u[\da-f]{4}|\\x[\da-f]{2}|%[\da-f]{2}))[A-Za-z0-9+/_-]{40,}={0,2}|(?:&#x?[\da-f]{1,7};){8,}|(?:\\u[\da-f]{4}|\\x[\da-f]{2}){8,}|(?:%[\da-f]{2}){12,}/gi;

export function findEncoded(text: string, sink: OnFindingCandidate, meter: StepCounter): void {
  countScanSteps(meter, text.length * SCAN_STEPS);
  if (text.length < MIN_RUN) return;
  for (const match of text.matchAll(ENCODED_RUN)) {
    countScanSteps(meter, DECODE_STEPS * Math.min(match[0].length, MAX_ENCODED));
    const read = decodeProse(match[0]);
    if (read === undefined) continue;
    sink({ kind: 'encoded-text', severity: 'warn', at: match.index, length: match[0].length, shown: read });
  }
}

function decodeProse(encoded: string): string | undefined {
  const candidates =
    encoded.length < MIN_ENCODED || /^[&\\%]/.test(encoded) ? [decodeEscapes] : [decodeHex, decodeBase64];
  return candidates.map(decode => decode(encoded.slice(0, MAX_ENCODED))).find(isProse);
}

function decodeEscapes(encoded: string): string {
  return encoded.replace(
    /&#(x?)([\da-f]{1,7});|(?:\\u|\\x|%)([\da-f]{2,4})/gi,
    (_whole, x?: string, number?: string, hex?: string) => {
      const code = Number.parseInt(number ?? hex ?? '', x === '' ? 10 : 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : '';
    },
  );
}

function decodeHex(encoded: string): string {
  if (!/^[\da-f]+$/i.test(encoded)) return '';
  return (encoded.slice(0, 2 * MAX_DECODED).match(/../g) ?? [])
    .map(each => String.fromCharCode(Number.parseInt(each, 16)))
    .join('');
}

function decodeBase64(encoded: string): string {
  const plain = encoded.replace(/-/g, '+').replace(/_/g, '/').replace(/=+$/, '');
  const limited = plain.slice(0, MAX_DECODED - (MAX_DECODED % 4));
  try {
    return atob(limited.length % 4 === 1 ? limited.slice(0, -1) : limited);
  } catch {
    return '';
  }
}

/**
 * Tells if a text consists of words separated by spaces. Keys, digests, tokens and images do not decode to such text.
 */
function isProse(text: string): boolean {
  if (text.length < 12) return false;
  const letters = text.match(/[A-Za-z]/g)?.length ?? 0;
  const other = text.match(/[^\n\r\t -~]/g)?.length ?? 0;
  const words = text.match(/[A-Za-z]{2,}(?=[\s.,:;!?]|$)/g)?.length ?? 0;
  return words >= 3 && letters > text.length * 0.5 && other <= text.length * 0.05;
}
