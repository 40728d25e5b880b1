import {
  checkArray,
  checkObject,
  checkString,
  escapeInvisible,
  parseJsonText,
  requireArgument,
  stringifyJson,
  toCanonicalJson,
} from '@tenon/base';
import type { Drift } from './drift.js';
import { type DiffLine, diffLines } from './line-diff.js';
import { type LockedServer, PINNED_KINDS, SECTIONS, type TruncatedMember } from './lock.js';
import { nameHidden } from './name-hidden.js';

/** Maximum number of lines of one change. */
const MAX_LINES = 80;
const MAX_DRIFTS = 200;
const MAX_NAME = 200;
/** Maximum number of characters of a text that are compared and shown. */
const MAX_TEXT = 65_536;
/** Number of unchanged lines that are shown before and after a change. */
const CONTEXT = 1;

/** Describes changes for a person at a terminal, as removed and added lines. Escapes control sequences. */
export function describeDrift(drifts: readonly Drift[]): string {
  requireArgument(
    '`drifts` of describeDrift',
    drifts,
    checkArray(checkObject({ server: checkString, kind: checkString })),
  );
  const shown = drifts.slice(0, MAX_DRIFTS).map(describe);
  const rest = drifts.length - shown.length;
  return [...shown, ...(rest > 0 ? [`… and ${rest} more changes`] : [])].join('\n\n');
}

function describe(drift: Drift): string {
  const duty = drift.severity === 'approve' ? 'to be approved' : 'a note';
  return [`${formatTitle(drift)} (${duty})`, ...formatBody(drift)].join('\n');
}

function formatTitle({ server, of, name, kind, member }: Drift): string {
  const what = kind === 'member' || kind === 'identity' ? `${kind} ${shortenName(member ?? '')}` : kind;
  return [shortenName(server), ...(of === 'server' ? [] : [`${of} ${shortenName(name)}`]), what].join(' › ');
}

function formatBody(drift: Drift): string[] {
  // The lock file has the removed definition.
  if (drift.kind === 'removed server' || drift.kind === 'removed') return [];
  if (drift.found) return formatFound(drift.found).flatMap(line => formatLine({ sign: '+', text: line }));
  const before = drift.beforeCut ? formatTruncated(drift.beforeCut) : toText(drift.before);
  return limitLines(selectContext(diffLines(before, toText(drift.after)))).flatMap(formatLine);
}

function formatFound({ source, serverInfo, ...sections }: NonNullable<Drift['found']>): string[] {
  const listed = PINNED_KINDS.flatMap(kind => {
    const names = [...((sections as Partial<LockedServer>)[SECTIONS[kind]]?.keys() ?? [])];
    const shown = names.slice(0, MAX_LINES).map(shortenName).join(', ');
    const rest = names.length > MAX_LINES ? `, … and ${names.length - MAX_LINES} more` : '';
    return names.length === 0 ? [] : [`${SECTIONS[kind]}: ${shown}${rest}`];
  });
  return [...(toText(source) ?? '').split('\n'), ...(toText(serverInfo?.definition) ?? '').split('\n'), ...listed];
}

const formatTruncated = ({ excerpt, length, digest }: TruncatedMember): string =>
  `${excerpt}…\n(${length} characters of JSON in all, ${digest}; no more was kept)`;

/** Converts a value to text: a string unchanged, other values as JSON with sorted members. */
function toText(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const text = typeof value === 'string' ? value : stringifyJson(parseJsonText(toCanonicalJson(value)), 2);
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}\n(${text.length} characters in all)`;
}

function selectContext(lines: readonly DiffLine[]): DiffLine[] {
  const excerptAt = (at: number) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ sign }) => sign !== ' ');
  return lines.flatMap((line, at) => {
    if (excerptAt(at)) return [line];
    return at > 0 && excerptAt(at - 1) ? [{ sign: ' ', text: '…' } as const] : [];
  });
}

function limitLines(lines: readonly DiffLine[]): DiffLine[] {
  if (lines.length <= MAX_LINES) return [...lines];
  return [...lines.slice(0, MAX_LINES), { sign: ' ', text: `… and ${lines.length - MAX_LINES} more lines` }];
}

const formatLine = ({ sign, text }: DiffLine): string[] => [`  ${sign} ${nameHidden(text)}`];

const shortenName = (name: string): string =>
  escapeInvisible(name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name);
