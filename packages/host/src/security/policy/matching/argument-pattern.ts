import { hasOneReading, listReadings } from './decoded-variants.js';
import { createFolderMatcher } from './folder-matcher.js';
import { matchGlob } from './glob.js';
import { isAscii } from './match-work.js';
import { foldCase } from './name-patterns.js';
import {
  listComparableTexts,
  listHostForms,
  listPossibleHosts,
  listUrlForms,
  normalizeHost,
  normalizeUrl,
  parsePlainUrl,
  removeQuery,
} from './urls.js';

export type Scalar = string | number | boolean | null;

/**
 * Required value of an argument. A text is a glob: `*` matches any number of characters, `?` matches one.
 *
 * `in` and `exact` list texts without wildcards. Rules with `deny` and `ask` ignore case, except in `exact`.
 */
export type ArgumentPattern =
  | Scalar
  | { readonly in: readonly Scalar[] }
  | { readonly exact: string | readonly string[] }
  | { readonly min?: number | undefined; readonly max?: number | undefined }
  | { readonly under: string | readonly string[] }
  | { readonly host: string | readonly string[] };

/**
 * Tells if one value matches. With `certain`, it must match in every interpretation that a server could use, as `allow`
 * requires. Otherwise one interpretation is enough, as for `deny` and `ask`.
 */
export type ValueTest = (value: unknown, certain: boolean) => boolean;

/** Error in a pattern, with its position. */
export interface PatternFault {
  readonly at: readonly (string | number)[];
  readonly expected: string;
}

export const MAX_LISTED = 1000;
/**
 * Maximum length of a URL, in characters. A longer text never matches for `allow`, and always matches for `deny` and
 * `ask`.
 */
const MAX_URL = 65_536;
/** Maximum length of any other text that has several interpretations. Beyond it, the same applies. */
const MAX_READ = 400_000;

export const OPERATORS: { readonly [operator: string]: (operand: never) => ValueTest } = {
  in: (listed: readonly Scalar[]) => createListTest(listed, foldCase),
  exact: (texts: string | readonly string[]) => createListTest([texts].flat(), text => text),
  under: createFolderTest,
  host: createHostTest,
};

/** Compiles a pattern. `findPatternFault` must have found no error in it. */
export function compilePattern(pattern: ArgumentPattern): ValueTest {
  if (typeof pattern === 'string') return createGlobTest(pattern);
  if (typeof pattern !== 'object' || pattern === null) return createListTest([pattern], foldCase);
  const [operator = '', operand] = Object.entries(pattern)[0] ?? [];
  const make = OPERATORS[operator];
  return make ? make(operand as never) : createRangeTest(pattern as { min?: number; max?: number });
}

function createGlobTest(pattern: string): ValueTest {
  const url = normalizeUrl(pattern);
  const forms = [...new Set(url === undefined ? [pattern] : [pattern, url, ...listReadings(url)])];
  const fits = (text: string) => forms.some(form => matchGlob(form, text));
  const looseForms = [...new Set([...forms, ...listPatternForms(pattern)])];
  const folded = [...new Set(looseForms.map(foldCase))];
  const mayFit = (text: string) => {
    const small = foldCase(text);
    if (folded.some(form => matchGlob(form, small, true))) return true;
    // Folding changes ASCII characters one by one, so only other texts may match in their own form alone.
    return !isAscii(text) && looseForms.some(form => matchGlob(form, text, true));
  };
  return (value, certain) => {
    if (typeof value !== 'string') return !certain && isScalarText(value) && mayFit(String(value));
    if (/^\*+$/.test(pattern)) return true;
    if (value.length > MAX_READ && !hasOneReading(value)) return !certain;
    if (!certain) return listComparableTexts(value).some(mayFit);
    if (!matchGlob(pattern, value) || !fitsWithoutQuery(pattern, value, fits)) return false;
    const read = pattern.includes('://') ? normalizeUrl(value) : undefined;
    return listReadings(value).every(each => matchGlob(pattern, each)) && (read === undefined || fits(read));
  };
}

/** Lists the other forms of a pattern that is a URL: with the IPv4 address in an IPv6 address, and of a file. */
function listPatternForms(pattern: string): readonly string[] {
  const hasQuery = /[?#]/.test(pattern);
  return listUrlForms(pattern).filter(form => hasQuery === /[?#]/.test(form));
}

/**
 * Tells if a URL also matches without its query and fragment, unless the pattern has them. A server may ignore them, so
 * `*.md` must not match `secret.txt?x.md`. Files have neither.
 */
function fitsWithoutQuery(pattern: string, value: string, fits: (text: string) => boolean): boolean {
  if (!value.includes(':') || !/[?#]/.test(value)) return true;
  if (/^\s*file:/i.test(value)) return fits(removeQuery(value));
  const withoutFragment = pattern.includes('#') ? value : value.replace(/#.*$/s, '');
  return fits(withoutFragment) && (/[?#]/.test(pattern) || fits(removeQuery(value)));
}

/**
 * Creates the test for a list. Servers convert texts to numbers and numbers to texts, so both are compared as text.
 * @param fold Normalizes a text for `deny` and `ask` rules.
 */
function createListTest(listed: readonly Scalar[], fold: (text: string) => string): ValueTest {
  const exact = new Set<unknown>(listed);
  const written = new Set(
    listed.map(String).flatMap(each => [each, normalizeUrl(each) ?? each, ...listPatternForms(each)].map(fold)),
  );
  return (value, certain) => {
    if (exact.has(value)) return true;
    if (certain || !(typeof value === 'string' || isScalarText(value))) return false;
    if (String(value).length > MAX_READ) return !hasOneReading(String(value));
    return listComparableTexts(String(value)).some(each => written.has(fold(each)));
  };
}

function createRangeTest({ min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }): ValueTest {
  return (value, certain) => {
    const number = typeof value === 'string' && !certain && value.trim() !== '' ? Number(value) : value;
    return typeof number === 'number' && number >= min && number <= max;
  };
}

function createFolderTest(folders: string | readonly string[]): ValueTest {
  const all = [folders].flat().flatMap(each => createFolderMatcher(each) ?? []);
  return (value, certain) => {
    if (typeof value !== 'string') return false;
    return all.some(folder => (certain ? folder.contains(value) : folder.mayContain(value)));
  };
}

function createHostTest(hosts: string | readonly string[]): ValueTest {
  const patterns = [hosts].flat().flatMap(host => (/[*?]/.test(host) ? [normalizeHost(host)] : listHostForms(host)));
  const fits = (host: string) => patterns.some(pattern => matchGlob(pattern, host));
  return (value, certain) => {
    if (typeof value !== 'string') return false;
    if (value.length > MAX_URL) return !certain;
    const url = certain ? parsePlainUrl(value) : undefined;
    if (certain) return url !== undefined && fits(normalizeHost(url.hostname));
    return [...listPossibleHosts(value)].some(fits);
  };
}

export function isScalarText(value: unknown): value is number | boolean | null {
  return value === null || typeof value === 'number' || typeof value === 'boolean';
}
