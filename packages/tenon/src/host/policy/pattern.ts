import { folderOf } from './folders.js';
import { MAX_PATTERN, matchesGlob } from './glob.js';
import { readingsOf } from './readings.js';
import { foldCase } from './texts.js';
import { comparableTexts, hostName, normalizeUrl, plainUrl, possibleHosts } from './urls.js';

export type Scalar = string | number | boolean | null;

/**
 * The value that an argument must have. A text is a glob: `*` is any number of characters, `?` is one. `in` and `exact` list
 * texts without wildcards. Rules that deny or ask fold the case of letters, except in `exact`.
 */
export type ArgumentPattern =
  | Scalar
  | { readonly in: readonly Scalar[] }
  | { readonly exact: string | readonly string[] }
  | { readonly min?: number | undefined; readonly max?: number | undefined }
  | { readonly under: string | readonly string[] }
  | { readonly host: string | readonly string[] };

/**
 * Tells whether one value fits. `certain`: in every way in which a server could read it, as what is to be allowed must;
 * else in any, as is enough for what is to be asked or denied.
 */
export type ValueTest = (value: unknown, certain: boolean) => boolean;

/** What is wrong with a pattern, and where in it. */
export interface PatternFault {
  readonly at: readonly (string | number)[];
  readonly expected: string;
}

const MAX_LISTED = 1000;
/** A longer text is no URL that anybody has to be let through with, and may name any host. */
const MAX_URL = 65_536;

const kinds: { readonly [operator: string]: (operand: never) => ValueTest } = {
  in: (listed: readonly Scalar[]) => isIn(listed, foldCase),
  exact: (texts: string | readonly string[]) => isIn([texts].flat(), text => text),
  under: isUnder,
  host: hasHost,
};

/** The test of a pattern in which `patternFault` found nothing. */
export function compilePattern(pattern: ArgumentPattern): ValueTest {
  if (typeof pattern === 'string') return fitsGlob(pattern);
  if (typeof pattern !== 'object' || pattern === null) return isIn([pattern], foldCase);
  const [operator = '', operand] = Object.entries(pattern)[0] ?? [];
  const make = kinds[operator];
  return make ? make(operand as never) : isWithin(pattern as { min?: number; max?: number });
}

function fitsGlob(pattern: string): ValueTest {
  const url = normalizeUrl(pattern);
  const forms = [...new Set(url === undefined ? [pattern] : [pattern, url, ...readingsOf(url)])];
  const folded = forms.map(foldCase);
  const fits = (text: string) => forms.some(form => matchesGlob(form, text));
  const mayFit = (text: string) => {
    const small = foldCase(text);
    return fits(text) || folded.some(form => matchesGlob(form, small));
  };
  return (value, certain) => {
    if (typeof value !== 'string') return !certain && isWritable(value) && mayFit(String(value));
    if (!certain) return mayFit(value) || comparableTexts(value).some(mayFit);
    if (!matchesGlob(pattern, value)) return false;
    if (/^\*+$/.test(pattern)) return true;
    const read = pattern.includes('://') ? normalizeUrl(value) : undefined;
    return readingsOf(value).every(each => matchesGlob(pattern, each)) && (read === undefined || fits(read));
  };
}

/** Servers take texts for numbers and numbers for texts. `fold`: what is compared of a text that may be refused. */
function isIn(listed: readonly Scalar[], fold: (text: string) => string): ValueTest {
  const exact = new Set<unknown>(listed);
  const written = new Set(listed.map(String).flatMap(each => [fold(each), fold(normalizeUrl(each) ?? each)]));
  return (value, certain) => {
    if (exact.has(value)) return true;
    if (certain || !(typeof value === 'string' || isWritable(value))) return false;
    return comparableTexts(String(value)).some(each => written.has(fold(each)));
  };
}

function isWithin({ min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }): ValueTest {
  return (value, certain) => {
    const number = typeof value === 'string' && !certain && value.trim() !== '' ? Number(value) : value;
    return typeof number === 'number' && number >= min && number <= max;
  };
}

function isUnder(folders: string | readonly string[]): ValueTest {
  const all = [folders].flat().flatMap(each => folderOf(each) ?? []);
  return (value, certain) => {
    if (typeof value !== 'string') return false;
    return all.some(folder => (certain ? folder.holds(value) : folder.mayHold(value)));
  };
}

function hasHost(hosts: string | readonly string[]): ValueTest {
  const patterns = [hosts].flat().map(hostName);
  const fits = (host: string) => patterns.some(pattern => matchesGlob(pattern, host));
  return (value, certain) => {
    if (typeof value !== 'string') return false;
    if (value.length > MAX_URL) return !certain;
    const url = certain ? plainUrl(value) : undefined;
    if (certain) return url !== undefined && fits(hostName(url.hostname));
    return [...possibleHosts(value)].some(fits);
  };
}

function isWritable(value: unknown): value is number | boolean | null {
  return value === null || typeof value === 'number' || typeof value === 'boolean';
}

/** What is wrong with a pattern, if anything. */
export function patternFault(pattern: unknown): PatternFault | undefined {
  if (typeof pattern === 'string') return globFault(pattern, []);
  if (isScalar(pattern)) return undefined;
  const form = 'a value, or one of { in }, { exact }, { min, max }, { under }, { host }';
  if (typeof pattern !== 'object' || pattern === null || Array.isArray(pattern)) return { at: [], expected: form };
  const names = Object.keys(pattern);
  const [name = '', second] = names;
  const isRange = names.length > 0 && names.every(each => each === 'min' || each === 'max');
  const operand: unknown = (pattern as { [name: string]: unknown })[name];
  if (isRange) return rangeFault(pattern as { [name: string]: unknown });
  if (second !== undefined || !Object.hasOwn(kinds, name))
    return { at: name === '' ? [] : [second ?? name], expected: form };
  if (name === 'in')
    return listFault(operand, name, each => (isScalar(each) ? undefined : 'a text, number, boolean or null'));
  const list = typeof operand === 'string' ? [operand] : operand;
  const fault = listFault(list, name, { exact: notText, under: notFolder }[name] ?? notHost);
  return fault && typeof operand === 'string' ? { ...fault, at: [name] } : fault;
}

/** What is wrong with a glob. */
export function globFault(text: string, at: PatternFault['at']): PatternFault | undefined {
  return text.length > MAX_PATTERN ? { at, expected: `at most ${MAX_PATTERN} characters` } : undefined;
}

function rangeFault(range: { readonly [name: string]: unknown }): PatternFault | undefined {
  const wrong = Object.keys(range).find(name => !Number.isFinite(range[name]));
  return wrong === undefined ? undefined : { at: [wrong], expected: 'a number' };
}

function listFault(
  list: unknown,
  name: string,
  fault: (item: unknown) => string | undefined,
): PatternFault | undefined {
  if (!Array.isArray(list)) return { at: [name], expected: 'a list' };
  if (list.length > MAX_LISTED) return { at: [name], expected: `at most ${MAX_LISTED} items` };
  for (const [index, item] of list.entries()) {
    const expected = typeof item === 'string' && item.length > MAX_PATTERN ? 'a shorter text' : fault(item);
    if (expected) return { at: [name, index], expected };
  }
  return undefined;
}

function notText(item: unknown): string | undefined {
  return typeof item === 'string' ? undefined : 'a text';
}

function notFolder(item: unknown): string | undefined {
  if (typeof item === 'string' && folderOf(item)) return undefined;
  return 'a folder, as /work, C:\\work, docs or https://host/docs, without stars, dots that lead out of it, or %';
}

function notHost(item: unknown): string | undefined {
  if (typeof item === 'string' && /^(?:[a-z0-9_.*?-]+|\[[0-9a-f:.*]+\])$/i.test(item)) return undefined;
  return 'the name of a host without scheme, port or path, as *.example.com; others than ASCII in their xn-- form';
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || isWritable(value);
}
