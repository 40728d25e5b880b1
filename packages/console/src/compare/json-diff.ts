import { isObject, stringifyMember, toCanonicalJson } from '@tenon/base';
import { findCommon } from './align.js';

/** Maximum number of values that are compared one by one. Beyond it, values are compared as a whole. */
const MAX_WORK = 20_000;
/** Maximum product of the lengths of two lists whose items are matched by their content. */
const MAX_PAIRS = 250_000;

/** Difference of two JSON values. `before` and `after` are JSON texts with all digits of their numbers. */
export type JsonDiff =
  | { readonly kind: 'same'; readonly key: string; readonly text: string }
  | { readonly kind: 'removed'; readonly key: string; readonly before: string }
  | { readonly kind: 'added'; readonly key: string; readonly after: string }
  | { readonly kind: 'changed'; readonly key: string; readonly before: string; readonly after: string }
  | {
      readonly kind: 'nested';
      readonly key: string;
      readonly isList: boolean;
      readonly members: readonly JsonDiff[];
      /** Number of members that are equal, and not listed. */
      readonly equal: number;
    };

/** Result of a comparison. */
export interface DiffReport {
  readonly diff: JsonDiff;
  /** Number of values that differ. */
  readonly differences: number;
  /** True if parts were compared as a whole, because there are too many values. */
  readonly isShortened: boolean;
}

interface Work {
  left: number;
  differences: number;
  isShortened: boolean;
}

/** Compares two parsed JSON values by their structure. The order of the members of an object means nothing. */
export function diffJson(before: unknown, after: unknown): DiffReport {
  const work: Work = { left: MAX_WORK, differences: 0, isShortened: false };
  const diff = diffMember({ '': before }, { '': after }, '', '', work, '');
  return { diff, differences: work.differences, isShortened: work.isShortened };
}

const getText = (container: object, key: string | number): string => stringifyMember(container, key);

/** Compares a member of each of two objects or lists. */
function diffMember(
  a: object,
  b: object,
  aKey: string | number,
  bKey: string | number,
  work: Work,
  key: string,
): JsonDiff {
  work.left -= 1;
  const before: unknown = Reflect.get(a, aKey);
  const after: unknown = Reflect.get(b, bKey);
  const isList = Array.isArray(before) && Array.isArray(after);
  const isNested = isList || (isPlain(before) && isPlain(after));
  if (isNested && Object.keys(before).length + Object.keys(after).length <= work.left) {
    const members = isList ? diffLists(before, after, work) : diffObjects(before, after, work);
    const changed = members.filter(({ kind }) => kind !== 'same');
    if (changed.length > 0)
      return { kind: 'nested', key, isList, members: changed, equal: members.length - changed.length };
    return { kind: 'same', key, text: '' };
  }
  if (isNested) work.isShortened = true;
  const texts = [getText(a, aKey), getText(b, bKey)] as const;
  if (texts[0] === texts[1] || (isNested && toCanonicalJson(before) === toCanonicalJson(after)))
    return { kind: 'same', key, text: texts[0] };
  work.differences += 1;
  return { kind: 'changed', key, before: texts[0], after: texts[1] };
}

const isPlain = (value: unknown): value is object => isObject(value) && !Array.isArray(value);

function diffObjects(a: object, b: object, work: Work): JsonDiff[] {
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].sort();
  return keys.map(key => {
    if (Object.hasOwn(a, key) && Object.hasOwn(b, key)) return diffMember(a, b, key, key, work, key);
    work.differences += 1;
    work.left -= 1;
    return Object.hasOwn(a, key)
      ? { kind: 'removed', key, before: getText(a, key) }
      : { kind: 'added', key, after: getText(b, key) };
  });
}

/** Equal items stay where they are. Between them, items are compared in pairs. */
function diffLists(a: readonly unknown[], b: readonly unknown[], work: Work): JsonDiff[] {
  const isShort = a.length * b.length <= MAX_PAIRS;
  if (!isShort) work.isShortened = true;
  const equal = isShort
    ? findCommon(
        a.map((_, index) => toCanonicalJson(a[index]) + getNumberText(a, index)),
        b.map((_, index) => toCanonicalJson(b[index]) + getNumberText(b, index)),
      )
    : [];
  const members: JsonDiff[] = [];
  let i = 0;
  let j = 0;
  for (const [nextA, nextB] of [...equal, [a.length, b.length] as const]) {
    for (; i < nextA && j < nextB; i += 1, j += 1) members.push(diffMember(a, b, i, j, work, `${i}`));
    for (; i < nextA; i += 1) {
      work.differences += 1;
      members.push({ kind: 'removed', key: `${i}`, before: getText(a, i) });
    }
    for (; j < nextB; j += 1) {
      work.differences += 1;
      members.push({ kind: 'added', key: `${j}`, after: getText(b, j) });
    }
    if (i < a.length && j < b.length) members.push({ kind: 'same', key: `${i}`, text: '' });
    i += 1;
    j += 1;
  }
  return members;
}

/** A canonical text has the digits that a number of JavaScript keeps. The rest of a long one follows it. */
const getNumberText = (list: readonly unknown[], index: number): string =>
  typeof list[index] === 'number' ? ` ${getText(list, index)}` : '';
