import { isObject } from '@tenon/base';
import type { WireRow } from '../api.js';
import type { AlignedRow } from './align.js';
import { joinVersions, joinWords } from './join-versions.js';

/** One side of a comparison: a call on a protocol version. */
export interface ComparedSide {
  readonly protocolVersion: string;
  /** True if the call is over: a missing step will not come any more. */
  readonly isOver: boolean;
}

/** Parsed message, by the `seq` of its row. */
export type ReadBody = (seq: number) => unknown;

/** Maximum number of members that a sentence names. */
const MAX_NAMED = 4;

/**
 * Describes in words how the versions differ at one step. Each statement follows from the messages of the step. Empty: no
 * difference but the values of ids and tokens.
 */
export function describeDifferences(
  { meaning, cells }: AlignedRow,
  sides: readonly ComparedSide[],
  readBody: ReadBody,
): readonly string[] {
  const versions = sides.map(({ protocolVersion }) => protocolVersion);
  const where = (fits: (row: WireRow) => boolean) =>
    versions.filter((_, index) => {
      const row = cells[index]?.rows[0];
      return row !== undefined && fits(row);
    });
  const missing = sides.filter(({ isOver }, index) => cells[index] === undefined && isOver);
  const name = (chosen: readonly string[]) => joinVersions(chosen, versions);
  const present = versions.filter((_, index) => cells[index] !== undefined);
  const words: string[] = [];
  const [kind, method = ''] = /^(input request|input response) (.*)$/.exec(meaning)?.slice(1) ?? [meaning];
  const initialize = where(row => row.method === 'initialize');
  const discover = where(row => row.method === 'server/discover');
  const retried = where(
    row => row.resultType === 'input_required' || (row.from === 'client' && row.kind === 'request'),
  );
  const pushed = where(row => row.kind === 'request' && row.from === 'server');
  const answered = where(row => row.kind !== 'request');
  const isRepeated = cells.some(cell => cell?.isRepeated);
  if (kind === 'open' && initialize.length > 0 && discover.length > 0) {
    words.push(`${name(initialize)} opens with initialize; ${name(discover)} asks server/discover.`);
  } else if (kind === 'input request' && retried.length > 0 && pushed.length > 0) {
    const ending = isRepeated ? 'has it in the same input_required' : 'ends the round with input_required';
    words.push(`${name(pushed)} sends ${method} over the open stream; ${name(retried)} ${ending}.`);
  } else if (kind === 'input response' && retried.length > 0 && answered.length > 0) {
    const names = listMembers(cells, versions, retried, readBody).filter(each => /^params\.[a-z]+$/i.test(each));
    const sent = names
      .filter(each => /inputResponses|requestState/.test(each))
      .map(each => each.slice('params.'.length));
    const carried = sent.length === 0 ? '' : ` with ${joinWords(sent)}`;
    const request = cells[versions.indexOf(retried[0] ?? '')]?.rows[0]?.method ?? '';
    const ending = isRepeated ? `answers in the same ${request}` : `calls ${request} again${carried}`;
    words.push(`${name(answered)} answers on the same stream; ${name(retried)} ${ending}.`);
  } else if (missing.length > 0 && present.length > 0) {
    words.push(...describeMissing(meaning, name(present), cells.find(cell => cell)?.rows[0]));
  }
  const counts = cells.map(cell => cell?.rows.length);
  const different = new Set(counts.filter(count => count !== undefined));
  if (different.size > 1)
    words.push(
      `${versions.flatMap((version, index) => (counts[index] === undefined ? [] : [`${version}: ${counts[index]}`])).join(', ')} messages.`,
    );
  if (words.length === 0 && different.size === 1 && counts.every(count => count === undefined || count === 1))
    words.push(...describeMembers(cells, versions, readBody));
  return words;
}

function describeMissing(meaning: string, present: string, row: WireRow | undefined): string[] {
  const [, kind, method] = /^(input request|input response) (.*)$/.exec(meaning) ?? [];
  if (row === undefined || meaning === 'opened') return [];
  if (meaning === 'open') return [`Only ${present} sends ${row.method}.`];
  if (meaning === 'notifications/initialized') return [`Only ${present} confirms the opening.`];
  if (kind === 'input request') return [`Only ${present} asks for input: ${method}.`];
  // The step before has said that only this version asks.
  if (kind === 'input response') return [];
  if (row.kind === 'notification') return [`Only ${present} sends ${row.method}.`];
  return [`Only ${present}: ${row.kind === 'request' ? row.method : `${row.method} ${row.kind}`}.`];
}

/** Names the members that only some of the versions send. */
function describeMembers(cells: AlignedRow['cells'], versions: readonly string[], readBody: ReadBody): string[] {
  const members = versions.map((_, index) => {
    const row = cells[index]?.rows[0];
    return row === undefined ? null : collectMembers(readBody(row.seq));
  });
  const known = members.filter(each => each !== null);
  if (known.length < 2) return [];
  const groups = new Map<string, string[]>();
  for (const member of new Set(known.flatMap(each => [...each]))) {
    const having = versions.filter((_, index) => members[index]?.has(member));
    if (having.length === known.length) continue;
    const key = joinVersions(having, versions);
    groups.set(key, [...(groups.get(key) ?? []), member]);
  }
  return [...groups].map(([having, names]) => {
    const more = names.length - MAX_NAMED;
    return `Only ${having}: ${names.slice(0, MAX_NAMED).map(shorten).join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
  });
}

function listMembers(
  cells: AlignedRow['cells'],
  versions: readonly string[],
  chosen: readonly string[],
  readBody: ReadBody,
): string[] {
  const row = cells[versions.indexOf(chosen[0] ?? '')]?.rows[0];
  return row === undefined ? [] : [...collectMembers(readBody(row.seq))];
}

/** Members of the protocol: those of the message, of its params or result, and of `_meta`. Values of users are not among them. */
function collectMembers(message: unknown): Set<string> {
  const found = new Set<string>();
  if (!isObject(message)) return found;
  for (const part of ['params', 'result', 'error']) {
    const body = message[part];
    if (!isObject(body)) continue;
    for (const [name, value] of Object.entries(body)) {
      if (name !== '_meta') found.add(`${part}.${name}`);
      else if (isObject(value)) for (const key of Object.keys(value)) found.add(`_meta ${key}`);
    }
  }
  return found;
}

const shorten = (member: string): string =>
  member.replace(/^(?:params|result|error)\./, '').replace(/^_meta (?:io\.modelcontextprotocol\/)?/, '_meta ');
