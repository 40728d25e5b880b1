import { checkOptional, checkRange, keepTextsIn, requireArgument, requireKnownOptions } from '@tenon/base';
import { findCandidates, limitScan, MAX_SCANNED, toFinding } from './find-findings.js';
import {
  type Finding,
  type FindingCandidate,
  type FindingKind,
  HIDDEN_KINDS,
  type HiddenKind,
  isThreat,
  MAX_FINDINGS_PER_KIND,
} from './finding.js';
import { createScanWork, isExhausted, type ScanWork } from './scan-steps.js';
import { stripHidden } from './strip-hidden.js';
import { isLookalikeName, spellLookalikes } from './text/lookalikes.js';
import { isSensitive } from './text/phrase-patterns.js';

/** Options of screening. */

export interface Screening {
  /**
   * Kinds of invisible characters to remove. `true` removes all kinds, and `false` none. Findings are reported in any
   * case.
   * @default all kinds in definitions, and `ansi`, `bidi` and `tag` in results
   */
  readonly strip?: boolean | readonly HiddenKind[] | undefined;
  /**
   * Replaces each text that has a finding of `isThreat` with a notice.
   * @default `false`
   */
  readonly mask?: boolean | undefined;
  /**
   * Prefix of the paths of findings.
   * @default none
   */
  readonly where?: string | undefined;
  /**
   * Maximum number of steps of work, about 10 ns each. Steps are the same on every machine: a character of prose takes
   * about 13. 35 % of them are for invisible characters. Beyond its part, texts get the finding `unscanned`, and a
   * text whose invisible characters cannot be removed is withheld.
   * @default 20,000,000
   */
  readonly maxSteps?: number | undefined;
}

/** Screened value with its findings. `value` is the same object if nothing was removed. */
export interface Screened<Value> {
  /** Value without the removed characters. */
  readonly value: Value;
  /** Findings, including those that were removed. */
  readonly findings: readonly Finding[];
}

/** Notice that replaces a text whose invisible characters take more steps than are left. */
const UNREADABLE = '[withheld: it takes too long to remove the invisible characters of this text]';
/** Notice that replaces a withheld text. */
const WITHHELD = '[withheld: this text looks like an instruction to a model, or like a leak]';

/**
 * Maximum depth of a screened value. Deeper parts of a definition are removed. Deeper parts of data are not screened.
 */
const MAX_SCREENED_DEPTH = 64;
export const MAX_SCREENED = 50_000;
/** Number of names that count as one more object. */
const NAMES_OF_OBJECT = 10;
/**
 * Number of characters as which each text counts in addition, and each name that is no plain word. All texts and names of
 * a value share the limit on characters. A name is read up to three times.
 */
const TEXT_OVERHEAD = 20;
const NAME_OVERHEAD = 100;
/** Number of characters as which each finding counts. */
const FINDING_OVERHEAD = 1_000;

const checkMaxSteps = checkOptional(checkRange('a number of steps, at least 1', 1));

export interface Screener {
  /** Screens a text for the model. Reports findings, and returns the text without removed characters. */
  screenText(screenText: string, where: string): string;
  /** Reports the findings of a text that must not change. */
  reportText(screenText: string, where: string): void;
  /**
   * Reports the findings of an identifier, which must not change because calls use it. Returns true for one that looks
   * like a threat.
   */
  reportName(reportName: string, where: string): boolean;
  /**
   * Screens all strings and keys of a value as texts for the model. With `members`, only strings and lists of strings in
   * members with these names may change, and the findings of all others are reported.
   */
  screenDeep<Value>(value: Value, where: string, members?: ReadonlySet<string>): Value;
  /** Reports the findings in all strings and keys of a value. */
  reportDeep(value: unknown, where: string): void;
  addFinding(kind: FindingKind, where: string, screenText: string, at: number, shown?: string): void;
  finish<Value>(value: Value): Screened<Value>;
}

/** Names of the options of screening. */
export const SCREENING = { strip: true, mask: true, where: true, maxSteps: true } as const;

/** Throws a `TenonError` when options of screening have an unknown name, or an invalid limit. */
export function requireScreening<Options extends Screening>(
  subject: string,
  screening: Options,
  names: { readonly [K in keyof Required<Options>]: true },
): void {
  requireKnownOptions(subject, screening, names);
  requireArgument('`maxSteps` of the screening', screening.maxSteps, checkMaxSteps);
}

export function createScreener(screening: Screening, standard: readonly HiddenKind[]): Screener {
  const kinds = getStrippedKinds(screening.strip, standard);
  const root = screening.where ?? '';
  const found: Finding[] = [];
  const counts = new Map<FindingKind, number>();
  let left = MAX_SCREENED;
  let unread = MAX_SCANNED;
  const work = createScanWork(screening.maxSteps);
  let unscanned: readonly FindingCandidate[] = [];

  /** Adds the first findings of each kind, so that many findings of one kind do not displace others. */
  const addFindings = (candidates: readonly FindingCandidate[], text: string, where: string): void => {
    const path = root === '' || where === '' ? root + where : `${root}/${where}`;
    for (const candidate of candidates) {
      const count = (counts.get(candidate.kind) ?? 0) + 1;
      counts.set(candidate.kind, count);
      if (count <= MAX_FINDINGS_PER_KIND.value) found.push(toFinding(candidate, text, path));
    }
  };
  const report = (text: string, where: string): readonly FindingCandidate[] => {
    if (isPlain(text)) return [];
    // Only the first text beyond the limit is reported, because its finding takes longer than a short text.
    if (unscanned.length > 0) return unscanned;
    const candidates = findCandidates(text, unread, work);
    unread -= text.length + TEXT_OVERHEAD + candidates.length * FINDING_OVERHEAD;
    unscanned = candidates.filter(({ kind }) => kind === 'unscanned');
    unread = Math.max(0, unread);
    addFindings(candidates, text, where);
    return candidates;
  };
  const reportName = (name: string, where: string): boolean => {
    if (isPlainName(name)) return false;
    if (unscanned.length > 0) return true;
    const candidates = findInName(name, unread, work);
    const words = name.replace(/[_.-]/g, ' ');
    const inWords = findInWords(name, words, unread, work);
    unread -= 3 * name.length + NAME_OVERHEAD + (candidates.length + inWords.length) * FINDING_OVERHEAD;
    if (unread < 0 || candidates.some(({ kind }) => kind === 'unscanned'))
      unscanned = [{ kind: 'unscanned', severity: 'warn', at: 0, length: name.length }];
    unread = Math.max(0, unread);
    addFindings([...candidates.filter(({ kind }) => kind !== 'unscanned'), ...unscanned], name, where);
    addFindings(inWords, words, where);
    return unscanned.length > 0 || candidates.some(isThreat) || inWords.some(isThreat);
  };
  const withhold = (where: string): string => {
    if (unscanned.length === 0)
      addFinding('unscanned', where, '', 0, 'it takes too long to remove the invisible characters');
    return UNREADABLE;
  };
  const strip = (text: string, where: string): string =>
    kinds.length === 0
      ? text
      : limitScan(
          () => stripHidden(text, kinds, work.hidden),
          () => withhold(where),
        );
  const screenText = (given: string, where: string): string => {
    const isSearched = unscanned.length === 0;
    const candidates = report(given, where);
    if (screening.mask && candidates.some(isThreat)) return WITHHELD;
    const isClean = isSearched && !isExhausted(work.hidden) && !candidates.some(({ severity }) => severity === 'strip');
    return isClean ? given : strip(given, where);
  };
  const addFinding: Screener['addFinding'] = (kind, where, given, at, shown) =>
    addFindings(
      [{ kind, severity: 'warn', at, length: given.length, ...(shown !== undefined && { shown }) }],
      given,
      where,
    );

  /** `changing`: true if all strings and keys may change, or the names of members whose strings may. */
  const screenDeep = <Value>(
    value: Value,
    where: string,
    depth: number,
    changing: boolean | ReadonlySet<string>,
  ): Value => {
    if (typeof value === 'string') {
      if (changing === true) return screenText(value, where) as Value;
      report(value, where);
    }
    if (typeof value !== 'object' || value === null) return value;
    const names = Array.isArray(value) ? [] : Object.keys(value);
    left -= 1 + names.length / NAMES_OF_OBJECT;
    if (depth > MAX_SCREENED_DEPTH || left < 0) {
      addFinding('unscanned', where, '', 0, 'nested too deep, or too much');
      return (changing === true ? undefined : value) as Value;
    }
    if (Array.isArray(value)) {
      return mapChanged(value, (item, index) => screenDeep(item, `${where}/${index}`, depth + 1, changing)) as Value;
    }
    return mapChangedEntries(value, names, (key, item) => {
      const isPlain = isPlainName(key);
      if (isPlain && typeof item !== 'string' && typeof item !== 'object') return [key, item];
      const below = `${where}/${key.slice(0, 64)}`;
      const isThreatening = reportName(key, below);
      const isText = typeof item === 'string' || Array.isArray(item);
      const changingBelow = typeof changing === 'object' && isText ? changing.has(key) || changing : changing;
      const screened = screenDeep(item, below, depth + 1, changingBelow);
      if (changing !== true || isPlain) return [key, screened];
      return [isThreatening && screening.mask ? WITHHELD : strip(key, below), screened];
    }) as Value;
  };

  return {
    screenText,
    reportText: (given, where) => void (typeof given === 'string' && report(given, where)),
    reportName,
    screenDeep: (value, where, members) => screenDeep(value, where, 0, members ?? true),
    reportDeep: (value, where) => void screenDeep(value, where, 0, false),
    addFinding,
    finish: value => ({ value, findings: found }),
  };
}

function getStrippedKinds(wanted: Screening['strip'], standard: readonly HiddenKind[]): readonly HiddenKind[] {
  if (wanted === undefined) return standard;
  if (typeof wanted !== 'boolean') return wanted;
  return wanted ? HIDDEN_KINDS : [];
}

/** Tells if a text is a single ASCII word, like most strings of a schema. */
const isPlain = (text: string): boolean => /^[\w$.-]{0,39}$/.test(text) && !isSensitive(text);

/** Tells if a name is a single word, which contains nothing suspicious. */
const isPlainName = (name: string): boolean => /^[A-Za-z0-9$]{0,39}$/.test(name);

/**
 * Finds suspicious words in a name, such as `content_of_ssh_id_rsa`.
 * @param maxScanned Maximum length of a name that is read completely.
 */
function findInName(name: string, maxScanned: number, work: ScanWork): readonly FindingCandidate[] {
  const candidates = isPlain(name) ? [] : [...findCandidates(name, maxScanned, work)];
  const rest = { severity: 'warn', at: 0, length: name.length } as const;
  const lookalike = isLookalikeName(name.slice(0, 256)) ? spellLookalikes(name.slice(0, 256)) : undefined;
  if (lookalike !== undefined && !candidates.some(({ kind }) => kind === 'lookalike'))
    candidates.push({ ...rest, kind: 'lookalike', shown: lookalike });
  if (isSensitive(name)) candidates.push({ ...rest, kind: 'instruction' });
  return candidates;
}

/** Finds instructions in the words of a name, such as `ignore_previous_instructions`. */
function findInWords(name: string, words: string, maxScanned: number, work: ScanWork): readonly FindingCandidate[] {
  if (!/[_.-].*[_.-]/.test(name.slice(0, 256))) return [];
  return findCandidates(words, maxScanned, work).filter(({ kind }) => kind === 'instruction' || kind === 'cross-tool');
}

/** Maps an array. Returns the same array if no item changed. */
export function mapChanged<Item>(items: readonly Item[], change: (item: Item, index: number) => Item): readonly Item[] {
  const changed = items.map(change);
  if (changed.every((item, index) => item === items[index])) return items;
  return keepTextsIn(
    changed.map(item => item ?? (null as Item)),
    items,
  );
}

/**
 * Maps the entries of an object. Returns the same object if no entry changed. If two keys become equal, the first is
 * kept.
 */
function mapChangedEntries(
  object: object,
  names: readonly string[],
  change: (key: string, value: unknown) => [string, unknown],
): object {
  const before = names.map((name): [string, unknown] => [name, (object as { readonly [key: string]: unknown })[name]]);
  const changed = new Map<number, [string, unknown]>();
  for (const [index, [key, value]] of before.entries()) {
    const after = change(key, value);
    if (after[0] !== key || after[1] !== value) changed.set(index, after);
  }
  if (changed.size === 0) return object;
  const entries = new Map<string, unknown>();
  for (const [index, entry] of before.entries()) {
    const [key, value] = changed.get(index) ?? entry;
    if (value !== undefined && !entries.has(key)) entries.set(key, value);
  }
  return keepTextsIn(Object.fromEntries(entries), object);
}

/** Replaces fields of an object. Returns the same object if no field changes. */
export function replaceFields<Value extends object>(
  value: Value,
  fields: { readonly [Key in keyof Value]?: unknown },
): Value {
  const different = Object.entries(fields).filter(([key, field]) => field !== value[key as keyof Value]);
  return different.length === 0 ? value : ({ ...value, ...Object.fromEntries(different) } as Value);
}
