import { belongs, flagAt, type Setting, selects, settingOf } from './context.js';
import { escapeAt, isIntroducer } from './escapes.js';
import type { HiddenKind, Meter, Severity } from './finding.js';
import { readSelectors, readTags } from './smuggled.js';

/**
 * The characters of a text that nobody sees: walked once, in order, without overlap. What emoji, right-to-left and
 * Indic scripts, combining marks and East Asian variants need is no such character where they need it.
 */

/** A run of one kind. */
export interface Hidden {
  readonly kind: HiddenKind;
  readonly severity: Severity;
  readonly at: number;
  readonly length: number;
  /** Characters in it (code points). */
  readonly count: number;
  /** Text that it carries, decoded. */
  readonly carries?: string;
  /** Of a terminal's link: where it leads. */
  readonly link?: string;
  readonly clipboard?: true;
}

/** Everything that needs a second look. Carriage returns are among them, since a lone one overwrites its line. */
const suspicious =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u2800\ufff9-\ufffb\p{DI}\p{Co}\p{Cs}\p{Noncharacter_Code_Point}]/gu;

/** Most text. */
const plain = /^[\t\n -~]*$/;

const nothing: Meter = { steps: 0 };

export function eachHidden(text: string, visit: (hidden: Hidden) => void, meter: Meter = nothing): void {
  meter.steps += text.length;
  if (plain.test(text)) return;
  const search = new RegExp(suspicious);
  let setting: Setting | undefined;
  for (let found = search.exec(text); found !== null; found = search.exec(text)) {
    setting ??= settingOf(text);
    const { kind, length, ...rest } = runAt(text, found.index, setting);
    meter.steps += length;
    search.lastIndex = found.index + length;
    if (kind !== undefined) visit({ kind, length, at: found.index, ...severityOf(kind, found[0]), ...rest });
  }
}

export function hasHidden(text: string): boolean {
  let seen = false;
  eachHidden(text, () => {
    seen = true;
  });
  return seen;
}

interface Run {
  /** Absent: harmless. */
  readonly kind?: HiddenKind;
  readonly length: number;
  readonly count: number;
  readonly carries?: string;
  readonly link?: string;
  readonly clipboard?: true;
}

function runAt(text: string, at: number, setting: Setting): Run {
  const code = text.codePointAt(at)!;
  if (isIntroducer(code)) return { kind: 'ansi', count: 1, ...escapeAt(text, at) };
  const kind = kindOf(code);
  if (kind === undefined) return { length: code > 0xffff ? 2 : 1, count: 1 };
  if (kind === 'tag') {
    const flag = flagAt(text, at);
    return flag > 0 ? { length: flag, count: 1 } : carrying(runOf(text, at, 'tag'), run => readTags(text, at, run));
  }
  if (kind === 'control') return text.startsWith('\r\n', at) ? { length: 2, count: 1 } : { kind, length: 1, count: 1 };
  const run = runOf(text, at, kind);
  if (kind === 'variation') {
    if (run.count === 1 && selects(text, at, code)) return { length: run.length, count: 1 };
    return carrying(run, length => readSelectors(text, at, length));
  }
  if (kind === 'private-use') return run;
  // Two marks of direction in a row are common in right-to-left text; any longer run is a code.
  const most = kind === 'bidi' ? 2 : 1;
  return run.count <= most && allBelong(text, at, run.length, setting) ? { length: run.length, count: run.count } : run;
}

function allBelong(text: string, start: number, length: number, setting: Setting): boolean {
  for (let at = start; at < start + length; ) {
    const code = text.codePointAt(at)!;
    if (!belongs(text, at, code, setting)) return false;
    at += code > 0xffff ? 2 : 1;
  }
  return true;
}

function runOf(text: string, start: number, kind: HiddenKind): { kind: HiddenKind; length: number; count: number } {
  let [at, count] = [start, 0];
  const isWide = text.codePointAt(start)! > 0xffff;
  for (let code = text.codePointAt(start); code !== undefined && kindOf(code) === kind; code = text.codePointAt(at)) {
    if (kind === 'private-use' && code > 0xffff !== isWide) break;
    at += code > 0xffff ? 2 : 1;
    count += 1;
  }
  return { kind, length: at - start, count };
}

function carrying(run: Run, read: (length: number) => string | undefined): Run {
  const carries = read(run.length);
  return carries === undefined ? run : { ...run, carries };
}

const invisible = /[\p{DI}\ufff9-\ufffb\u2800\p{Noncharacter_Code_Point}]/u;

/** The kind of a character by itself; undefined of what is plainly visible. Escape introducers are `control` here. */
function kindOf(code: number): HiddenKind | undefined {
  if (code < 0x20) return code === 0x09 || code === 0x0a ? undefined : 'control';
  if (code < 0x7f) return undefined;
  if (code < 0xa0 || code === 0x2028 || code === 0x2029 || (code >= 0xd800 && code <= 0xdfff)) return 'control';
  if ((code >= 0xe0000 && code <= 0xe007f) || code === 0xe0001) return 'tag';
  if ((code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef)) return 'variation';
  if ((code >= 0x180b && code <= 0x180d) || code === 0x180f) return 'variation';
  if (code === 0x61c || code === 0x200e || code === 0x200f) return 'bidi';
  if ((code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x206f)) return 'bidi';
  if (invisible.test(String.fromCodePoint(code))) return 'invisible';
  return (code >= 0xe000 && code <= 0xf8ff) || code >= 0xf0000 ? 'private-use' : undefined;
}

/** Icon fonts put visible signs into the first private area; the planes 15 and 16 are for nobody's eyes. */
function severityOf(kind: HiddenKind, first: string): { severity: Severity } {
  return { severity: kind === 'private-use' && first.length === 1 ? 'warn' : 'strip' };
}
