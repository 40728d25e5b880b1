import { checkString, requireArgument } from '@tenon/base';
import {
  type Finding,
  type FindingCandidate,
  type FindingKind,
  MAX_FINDINGS_PER_KIND,
  type OnFindingCandidate,
} from './finding.js';
import { findAddresses } from './markup/addresses.js';
import { findMarkup } from './markup/find-markup.js';
import { sanitizeText } from './sanitize-text.js';
import {
  countScanSteps,
  createScanWork,
  FINDING_STEPS,
  MIXED_WORD_STEPS,
  ScanLimitReached,
  type ScanWork,
  type StepCounter,
} from './scan-steps.js';
import { findEncoded } from './text/encoded-text.js';
import { findPhrases } from './text/find-phrases.js';
import { findHidden } from './text/hidden-text.js';
import { findMixedWords, spellLookalikes } from './text/lookalikes.js';
import { findGaps } from './text/whitespace-gaps.js';

/**
 * Maximum length of a text that is screened completely, in UTF-16 units. A longer text is only searched for invisible
 * characters, and reported as `unscanned`.
 */
export const MAX_SCANNED = 4_000_000;

const MAX_EXCERPT = 200;
const MAX_WHERE = 300;
const EXCERPT_CONTEXT = 24;
const MAX_QUOTED = 120;

/**
 * Finds suspicious parts of a server's text: invisible characters, misleading links, data exfiltration, instructions to
 * the model. Returns at most ten of each kind, in the order of the text. Takes linear time.
 *
 * @param maxScanned Maximum length of a text that is screened completely.
 */
export function findFindings(text: string, where: string, maxScanned = MAX_SCANNED): Finding[] {
  requireArgument('`text` of findFindings', text, checkString);
  requireArgument('`where` of findFindings', where, checkString);
  return findCandidates(text, maxScanned).map(candidate => toFinding(candidate, text, where));
}

/** Finds suspicious parts of a text like `findFindings`, without their excerpts, which take longer than the search. */
export function findCandidates(
  text: string,
  maxScanned: number,
  work: ScanWork = createScanWork(),
): readonly FindingCandidate[] {
  const sightings: FindingCandidate[] = [];
  const counts = new Map<FindingKind, number>();
  const addCandidate = (sighting: FindingCandidate): void => {
    const count = counts.get(sighting.kind) ?? 0;
    counts.set(sighting.kind, count + 1);
    if (count < MAX_FINDINGS_PER_KIND.text) sightings.push(sighting);
  };
  const addUnscanned = (at: number) =>
    addCandidate({ kind: 'unscanned', severity: 'warn', at, length: text.length - at });
  const scanHidden = () =>
    findHidden(
      text,
      ({ kind, severity, at, length, carries }) => addCandidate({ kind, severity, at, length, ...toShown(carries) }),
      work.hidden,
    );
  limitScan(scanHidden, () => addUnscanned(0));
  if (text.length > maxScanned) addUnscanned(maxScanned);
  else
    limitScan(
      () => scanMeaning(text, addCandidate, work.meaning),
      () => addUnscanned(0),
    );
  return sightings.sort((a, b) => a.at - b.at);
}

/** Runs a part of a scan. Returns the result of `atLimit` instead if it needs more steps than are left. */
export function limitScan<Result>(scan: () => Result, atLimit: () => Result): Result {
  try {
    return scan();
  } catch (error) {
    if (error instanceof ScanLimitReached) return atLimit();
    throw error;
  }
}

function scanMeaning(text: string, sink: OnFindingCandidate, meter: StepCounter): void {
  const add: OnFindingCandidate = sighting => {
    countScanSteps(meter, FINDING_STEPS);
    sink(sighting);
  };
  findMarkup(text, add, meter);
  findAddresses(text, add, meter);
  findGaps(text, add, meter);
  findEncoded(text, add, meter);
  findPhrases(text, add, meter);
  findMixedWords(
    text,
    (at, length) => {
      countScanSteps(meter, MIXED_WORD_STEPS);
      const shown = spellLookalikes(text.slice(at, at + length));
      add({ kind: 'lookalike', severity: 'warn', at, length, shown });
    },
    meter,
  );
}

const toShown = (carries: string | undefined): { shown?: string } => (carries === undefined ? {} : { shown: carries });

/** Converts a candidate to a finding, with an excerpt of the text around it. */
export function toFinding(
  { kind, severity, at, length, shown }: FindingCandidate,
  text: string,
  where: string,
): Finding {
  const end = Math.min(at + length, at + MAX_QUOTED);
  const quoted =
    shown ?? text.slice(Math.max(0, at - EXCERPT_CONTEXT), end + (length > MAX_QUOTED ? 0 : EXCERPT_CONTEXT));
  return {
    kind,
    severity,
    at,
    length,
    excerpt: sanitizeText(quoted, { max: MAX_EXCERPT }),
    where: sanitizeText(where, { max: MAX_WHERE }),
  };
}
