import { canonical } from '../../conversation/asking/canonical.js';
import type { Drift } from './drift.js';
import { type DiffLine, lineDiff } from './line-diff.js';
import { type Cut, type LockedServer, PINNED_KINDS, SECTIONS } from './lock.js';
import { visible } from './visible.js';

/** How many lines of one change are shown, how many changes, and how long a name may be. */
const MAX_LINES = 80;
const MAX_DRIFTS = 200;
const MAX_NAME = 200;
/** How much of a text is compared and shown, in characters. */
const MAX_TEXT = 65_536;
/** Lines that did not change are shown so far from those that did. */
const CONTEXT = 1;

/** Changes as a person may read them in a terminal: each with what was taken out and put in, nothing of it acting there. */
export function describeDrift(drifts: readonly Drift[]): string {
  const shown = drifts.slice(0, MAX_DRIFTS).map(describe);
  const rest = drifts.length - shown.length;
  return [...shown, ...(rest > 0 ? [`… and ${rest} more changes`] : [])].join('\n\n');
}

function describe(drift: Drift): string {
  const duty = drift.severity === 'approve' ? 'to be approved' : 'a note';
  return [`${titleOf(drift)} (${duty})`, ...bodyOf(drift)].join('\n');
}

function titleOf({ server, of, name, kind, member }: Drift): string {
  const what = kind === 'member' || kind === 'identity' ? `${kind} ${shortened(member ?? '')}` : kind;
  return [shortened(server), ...(of === 'server' ? [] : [`${of} ${shortened(name)}`]), what].join(' › ');
}

function bodyOf(drift: Drift): string[] {
  if (drift.kind === 'removed server') return [];
  if (drift.found) return foundLines(drift.found).flatMap(line => shownLine({ sign: '+', text: line }));
  const before = drift.beforeCut ? cutText(drift.beforeCut) : textOf(drift.before);
  return bounded(withContext(lineDiff(before, textOf(drift.after)))).flatMap(shownLine);
}

function foundLines({ source, about, ...sections }: NonNullable<Drift['found']>): string[] {
  const listed = PINNED_KINDS.flatMap(kind => {
    const names = [...((sections as Partial<LockedServer>)[SECTIONS[kind]]?.keys() ?? [])];
    const shown = names.slice(0, MAX_LINES).map(shortened).join(', ');
    const rest = names.length > MAX_LINES ? `, … and ${names.length - MAX_LINES} more` : '';
    return names.length === 0 ? [] : [`${SECTIONS[kind]}: ${shown}${rest}`];
  });
  return [...(textOf(source) ?? '').split('\n'), ...(textOf(about?.definition) ?? '').split('\n'), ...listed];
}

const cutText = ({ excerpt, length, digest }: Cut): string =>
  `${excerpt}…\n(${length} characters of JSON in all, ${digest}; no more was kept)`;

/** A text as it is; anything else as JSON, its members in order. */
function textOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const text = typeof value === 'string' ? value : JSON.stringify(JSON.parse(canonical(value)), undefined, 2);
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}\n(${text.length} characters in all)`;
}

function withContext(lines: readonly DiffLine[]): DiffLine[] {
  const near = (at: number) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ sign }) => sign !== ' ');
  return lines.flatMap((line, at) => {
    if (near(at)) return [line];
    return at > 0 && near(at - 1) ? [{ sign: ' ', text: '…' } as const] : [];
  });
}

function bounded(lines: readonly DiffLine[]): DiffLine[] {
  if (lines.length <= MAX_LINES) return [...lines];
  return [...lines.slice(0, MAX_LINES), { sign: ' ', text: `… and ${lines.length - MAX_LINES} more lines` }];
}

const shownLine = ({ sign, text }: DiffLine): string[] => [`  ${sign} ${visible(text)}`];

const shortened = (name: string): string => visible(name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name);
