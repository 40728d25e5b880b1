import {
  classifyHidden,
  createHiddenSearch,
  createTextContext,
  getFlagLength,
  isIntroducer,
  isLegitimate,
  isLegitimateSelector,
  readEscape,
  type TextContext,
} from '@tenon/base';
import type { FindingSeverity, HiddenKind } from '../finding.js';
import {
  CARRIED_STEPS,
  CONTEXT_STEPS,
  countScanSteps,
  HIDDEN_CHARACTER_STEPS,
  HIT_STEPS,
  NEIGHBOR_STEPS,
  SEARCH_STEPS,
  type StepCounter,
} from '../scan-steps.js';
import { readSelectors, readTags } from './smuggled-text.js';

/**
 * Detection of invisible characters, in order and without overlap. It does not report characters that their context
 * requires: in emoji, right-to-left and Indic scripts, combining marks and East Asian variants.
 */

/** Sequence of invisible characters of one kind. */
export interface HiddenText {
  readonly kind: HiddenKind;
  readonly severity: FindingSeverity;
  readonly at: number;
  readonly length: number;
  /** Number of characters (code points). */
  readonly count: number;
  /** Decoded text that the characters carry. Absent if there is none. */
  readonly carries?: string;
  /** Target of a terminal hyperlink. Absent for other kinds. */
  readonly link?: string;
  readonly clipboard?: true;
}

/** Text without any special character. Most texts match. */
const PLAIN_TEXT = /^[\t\n -~]*$/;

const UNCOUNTED: StepCounter = { steps: 0 };

export function findHidden(text: string, visit: (hidden: HiddenText) => void, meter: StepCounter = UNCOUNTED): void {
  if (PLAIN_TEXT.test(text)) return;
  countScanSteps(meter, text.length * SEARCH_STEPS);
  const search = createHiddenSearch();
  const setting = createLazyContext(text, meter);
  for (let found = search.exec(text); found !== null; found = search.exec(text)) {
    countScanSteps(meter, HIT_STEPS);
    const { kind, length, ...rest } = readRun(text, found.index, setting, meter);
    search.lastIndex = found.index + length;
    if (kind !== undefined) visit({ kind, length, at: found.index, ...getSeverity(kind, found[0]), ...rest });
  }
}

/** Creates the context of a text, which is computed when a character first needs it. */
function createLazyContext(text: string, meter: StepCounter): TextContext {
  let context: TextContext | undefined;
  const getContext = (): TextContext => {
    if (context === undefined) countScanSteps(meter, text.length * CONTEXT_STEPS);
    context ??= createTextContext(text);
    return context;
  };
  return {
    get rightToLeft() {
      return getContext().rightToLeft;
    },
    get braille() {
      return getContext().braille;
    },
  };
}

export function hasHidden(text: string): boolean {
  let seen = false;
  findHidden(text, () => {
    seen = true;
  });
  return seen;
}

interface HiddenRun {
  /** Kind of the sequence. Absent if it is harmless. */
  readonly kind?: HiddenKind;
  readonly length: number;
  readonly count: number;
  readonly carries?: string;
  readonly link?: string;
  readonly clipboard?: true;
}

function readRun(text: string, at: number, setting: TextContext, meter: StepCounter): HiddenRun {
  const code = text.codePointAt(at)!;
  if (isIntroducer(code)) return { kind: 'ansi', count: 1, ...readEscape(text, at) };
  const kind = classifyHidden(code);
  if (kind === undefined) return { length: String.fromCodePoint(code).length, count: 1 };
  if (kind === 'tag') {
    const flag = getFlagLength(text, at);
    return flag > 0
      ? { length: flag, count: 1 }
      : withCarriedText(readRunOfKind(text, at, 'tag', meter), run => readTags(text, at, run), meter);
  }
  if (kind === 'control') return text.startsWith('\r\n', at) ? { length: 2, count: 1 } : { kind, length: 1, count: 1 };
  const run = readRunOfKind(text, at, kind, meter);
  if (kind === 'variation') {
    countScanSteps(meter, NEIGHBOR_STEPS);
    if (run.count === 1 && isLegitimateSelector(text, at, code)) return { length: run.length, count: 1 };
    return withCarriedText(run, length => readSelectors(text, at, length), meter);
  }
  if (kind === 'private-use') return run;
  // Two direction marks in a row are common in right-to-left text. A longer sequence is suspicious.
  const most = kind === 'bidi' ? 2 : 1;
  return run.count <= most && isLegitimateRun(text, at, run.length, setting, meter)
    ? { length: run.length, count: run.count }
    : run;
}

function isLegitimateRun(
  text: string,
  start: number,
  length: number,
  setting: TextContext,
  meter: StepCounter,
): boolean {
  let at = start;
  for (const character of text.slice(start, start + length)) {
    countScanSteps(meter, NEIGHBOR_STEPS);
    if (!isLegitimate(text, at, character.codePointAt(0)!, setting)) return false;
    at += character.length;
  }
  return true;
}

function readRunOfKind(
  text: string,
  start: number,
  kind: HiddenKind,
  meter: StepCounter,
): { kind: HiddenKind; length: number; count: number } {
  let [at, count] = [start, 0];
  const isWide = text.codePointAt(start)! > 0xffff;
  for (
    let code = text.codePointAt(start);
    code !== undefined && classifyHidden(code) === kind;
    code = text.codePointAt(at)
  ) {
    if (kind === 'private-use' && code > 0xffff !== isWide) break;
    countScanSteps(meter, HIDDEN_CHARACTER_STEPS);
    at += String.fromCodePoint(code).length;
    count += 1;
  }
  return { kind, length: at - start, count };
}

function withCarriedText(run: HiddenRun, read: (length: number) => string | undefined, meter: StepCounter): HiddenRun {
  countScanSteps(meter, CARRIED_STEPS);
  const carries = read(run.length);
  return carries === undefined ? run : { ...run, carries };
}

/**
 * Returns the severity. Icon fonts use the first private use area for visible glyphs. Planes 15 and 16 have no visible
 * text.
 */
function getSeverity(kind: HiddenKind, first: string): { severity: FindingSeverity } {
  return { severity: kind === 'private-use' && first.length === 1 ? 'warn' : 'strip' };
}
