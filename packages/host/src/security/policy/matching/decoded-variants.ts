import { countMatchSteps, deriveOnce, isAscii, STEPS_OF_NORMALIZING, STEPS_OF_SCAN } from './match-work.js';

/** Maximum number of times that a text is decoded. */
const MAX_DECODINGS = 4;
/** Number of steps for each character of a text that is decoded so often. */
const STEPS_OF_DECODING = 60;

/** Encodings that lenient decoders convert to a dot, a slash or a backslash. */
const OVERLONG: readonly (readonly [RegExp, string])[] = [
  [/%c0%ae/gi, '.'],
  [/%c0%af/gi, '/'],
  [/%c1%9c/gi, '\\'],
];

/** Texts with only one interpretation. Nearly all texts match. */
const PLAIN = /^(?!\.|.*(?:[%\\]|[^\n\r -~]|\/[./]))/s;

/** Tells if a text has only one interpretation: it is neither encoded nor a URL, and has no dots or slashes to resolve. */
export const hasOneReading = deriveOnce(
  STEPS_OF_SCAN,
  text => PLAIN.test(text) && !/^\s*[a-z][a-z0-9+.-]*:/i.test(text),
);

/**
 * Lists the interpretations of a text. They are the text itself, decoded once or several times, with normalized
 * compatibility characters, with backslashes as slashes, and with resolved `.` and `..`. The first is the text itself.
 */
export const listReadings = deriveOnce(STEPS_OF_SCAN, (text): readonly string[] => {
  if (PLAIN.test(text)) return [text];
  countMatchSteps(text.length * (text.includes('%') ? 30 : 6));
  const readings = listUnresolvedReadings(text);
  return [...new Set([...readings, ...readings.map(resolveDots)])];
});

/** Lists the interpretations of a text without resolving `.` and `..`. */
export const listUnresolvedReadings = deriveOnce(1, (text): readonly string[] => {
  countMatchSteps(
    text.length * ((text.includes('%') ? STEPS_OF_DECODING : 0) + (isAscii(text) ? 0 : STEPS_OF_NORMALIZING)),
  );
  const all = new Set([text]);
  let at = text;
  for (let times = 0; times < MAX_DECODINGS; times++) {
    const next = decode(at);
    if (next === at) break;
    all.add(next);
    at = next;
  }
  for (const each of [...all]) all.add(each.normalize('NFKC'));
  for (const each of [...all]) all.add(each.replaceAll('\\', '/'));
  return [...all];
});

/** Tells if a text is encoded more than `MAX_DECODINGS` times. */
export const isAmbiguous = deriveOnce(1, text => {
  if (!text.includes('%')) return false;
  countMatchSteps(text.length * STEPS_OF_DECODING);
  let at = text;
  for (let times = 0; times < MAX_DECODINGS; times++) at = decode(at);
  return decode(at) !== at;
});

function decode(text: string): string {
  if (!text.includes('%')) return text;
  const plain = OVERLONG.reduce((index, [pattern, char]) => index.replace(pattern, () => char), text);
  const units = plain.replace(/%u([\da-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return units.replace(/(?:%[\da-f]{2})+/gi, run => {
    const bytes = run
      .slice(1)
      .split('%')
      .map(hex => Number.parseInt(hex, 16));
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(bytes));
  });
}

/** Resolves `.` and `..` in a path. They cannot leave the path of a URL. */
function resolveDots(text: string): string {
  const prefix = /^[a-z][a-z0-9+.-]*:\/\/[^/]*/i.exec(text)?.[0] ?? '';
  const path = text.slice(prefix.length);
  const { absolute, segments } = resolveSegments(path);
  const tail = segments.length > 0 && path.endsWith('/') ? '/' : '';
  return `${prefix}${absolute ? '/' : ''}${segments.join('/')}${tail}`;
}

/** Returns the segments of a path after resolving `.` and `..`. A relative path may begin with `..`. */
export function resolveSegments(path: string): { readonly absolute: boolean; readonly segments: readonly string[] } {
  const absolute = path.startsWith('/');
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    // Some servers remove parameters from a segment before they interpret it.
    if (segment !== '..' && !segment.startsWith('..;')) segments.push(segment);
    else if (segments.length > 0 && segments.at(-1) !== '..') segments.pop();
    else if (!absolute) segments.push('..');
  }
  return { absolute, segments };
}
