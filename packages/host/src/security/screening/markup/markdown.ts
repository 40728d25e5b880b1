import { BRACKET_STEPS, countScanSteps, SCAN_STEPS, type StepCounter } from '../scan-steps.js';
import { MAX_TAG } from './html-elements.js';
import { isAbsoluteAddress, MAX_URL } from './link-target.js';

/**
 * Parser for links and markup in Markdown or HTML. It is liberal: text is a link if any common renderer makes it one,
 * even in code. Every character is read a bounded number of times.
 *
 * @see https://spec.commonmark.org/0.31.2/
 */

/** Inline link, inline image, or reference definition with an absolute address. */
export interface MarkdownLink {
  readonly form: 'image' | 'link' | 'definition';
  /** Offset of the `[` or `![`, or of the `]` if the opening bracket is too far away. */
  readonly at: number;
  readonly labelAt: number;
  /** Offset of the `]`. */
  readonly labelEnd: number;
  readonly end: number;
  readonly url: string;
  readonly title: string;
}

/** Use of a reference: `![a][b]`, `[a][]`, `[a]`. */
export interface ReferenceUse {
  readonly form: 'use';
  readonly isImage: boolean;
  readonly at: number;
  readonly end: number;
  readonly reference: string;
}

/** HTML tag, comment or declaration, or autolink. */
export interface HtmlTag {
  readonly form: 'tag';
  readonly at: number;
  readonly end: number;
}

export type MarkdownPart = MarkdownLink | ReferenceUse | HtmlTag;

/** Maximum number of open brackets. */
const MAX_BRACKETS = 64;
const MAX_REFERENCE = 200;
const MAX_TITLE = 400;

export function parseMarkdown(text: string, visit: (part: MarkdownPart) => void, meter: StepCounter): void {
  countScanSteps(meter, text.length * SCAN_STEPS);
  const search = /[[\]<]/g;
  let open: number[] = [];
  for (let found = search.exec(text); found !== null; found = search.exec(text)) {
    const at = found.index;
    countScanSteps(meter, BRACKET_STEPS);
    if (found[0] === '[') {
      open.push(at);
      if (open.length > 2 * MAX_BRACKETS) open = open.slice(-MAX_BRACKETS);
      continue;
    }
    const part = found[0] === '<' ? parseTag(text, at) : parseBracket(text, at, open.pop());
    if (part === undefined) continue;
    if (part.form !== 'tag') search.lastIndex = part.end;
    countScanSteps(meter, part.end - at);
    visit(part);
  }
}

function parseBracket(text: string, at: number, bracket: number | undefined): MarkdownLink | ReferenceUse | undefined {
  const next = text[at + 1];
  const isImage = bracket !== undefined && bracket > 0 && text[bracket - 1] === '!';
  const start = bracket === undefined ? at : isImage ? bracket - 1 : bracket;
  const label = { at: start, labelAt: bracket === undefined ? at : bracket + 1, labelEnd: at };
  if (next === '(') {
    const leads = parseDestination(text, at + 2);
    return leads && { form: isImage ? 'image' : 'link', ...label, ...leads };
  }
  if (bracket === undefined) return undefined;
  if (next === ':' && isLineStart(text, bracket)) {
    const leads = parseDestination(text, at + 2);
    return leads && { form: 'definition', ...label, ...leads };
  }
  if (at - bracket > MAX_REFERENCE) return undefined;
  const own = text.slice(bracket + 1, at);
  const second = next === '[' ? text.indexOf(']', at + 2) : -1;
  const isFull = second >= 0 && second - at < MAX_REFERENCE;
  const reference = isFull && second > at + 2 ? text.slice(at + 2, second) : own;
  return { form: 'use', isImage, at: start, end: at + 1, reference: normalizeReference(reference) };
}

/** Normalizes the label of a reference: ignores case, and collapses whitespace. */
export const normalizeReference = (label: string): string => label.trim().replace(/\s+/g, ' ').toLowerCase();

function isLineStart(text: string, bracket: number): boolean {
  let at = bracket - 1;
  while (at >= 0 && bracket - at < 16 && ' \t>-*'.includes(text[at]!)) at -= 1;
  return at < 0 || text[at] === '\n';
}

/** Parses a destination and its title. Returns `undefined` if the destination is not an absolute address. */
function parseDestination(text: string, start: number): { url: string; title: string; end: number } | undefined {
  const first = skipBlanks(text, start);
  const inAngles = text[first] === '<';
  const from = inAngles ? first + 1 : first;
  if (!isAbsoluteAddress(text, from)) return undefined;
  const end = inAngles ? findAngleEnd(text, from) : findUrlEnd(text, from);
  const url = text.slice(from, Math.min(end, from + MAX_URL));
  const after = inAngles && text[end] === '>' ? end + 1 : end;
  const titled = parseTitle(text, after);
  if (titled !== undefined) return { url, ...titled };
  const close = skipBlanks(text, after);
  return { url, title: '', end: text[close] === ')' ? close + 1 : after };
}

function findUrlEnd(text: string, start: number): number {
  let [at, depth] = [start, 0];
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code <= 0x20) return at;
    if (code === 0x28) depth += 1;
    if (code === 0x29) depth -= 1;
    if (depth < 0) return at;
  }
  return at;
}

function findAngleEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && text[at] !== '>' && text[at] !== '\n') at += 1;
  return at;
}

function parseTitle(text: string, at: number): { title: string; end: number } | undefined {
  const start = skipBlanks(text, at);
  const quote = text[start];
  if (start === at || (quote !== '"' && quote !== "'")) return undefined;
  const window = text.slice(start + 1, start + 1 + MAX_TITLE);
  const length = window.indexOf(quote);
  if (length < 0) return undefined;
  const close = skipBlanks(text, start + length + 2);
  return { title: window.slice(0, length), end: text[close] === ')' ? close + 1 : start + length + 2 };
}

function skipBlanks(text: string, start: number): number {
  let at = start;
  while (at < text.length && ' \t\n\r'.includes(text[at]!)) at += 1;
  return at;
}

/** Parses the markup that a browser recognizes at a `<`. */
function parseTag(text: string, at: number): HtmlTag | undefined {
  if (!/^<(?:[a-z]|\/[a-z]|[!?])/i.test(text.slice(at, at + 3))) return undefined;
  const most = Math.min(text.length, at + MAX_TAG);
  let end = at + 1;
  while (end < most && text[end] !== '>' && text[end] !== '<') end += 1;
  return { form: 'tag', at, end: text[end] === '>' ? end + 1 : end };
}
