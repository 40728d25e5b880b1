import { toCanonicalJson } from '@tenon/base';
import type { CheckRun, SchemaCheck } from './check-run.js';
import {
  BRANCH_STEPS,
  countComparisons,
  countParts,
  countSteps,
  getLookupSteps,
  KEYWORD_STEPS,
  listNames,
} from './check-run.js';

/** Steps to compare one member of two objects, whose names differ from object to object. */
const MEMBER_STEPS = 14;

/** Creates a test for equality with one of several constants. */
export function createListCheck(constants: readonly unknown[]): SchemaCheck {
  const scalars = new Set(constants.filter(each => typeof each !== 'object'));
  const others = constants.filter(each => typeof each === 'object');
  const textCounts = new Map<number, number>();
  for (const each of scalars) if (typeof each === 'string') addCount(textCounts, each.length);
  return (value, run) => {
    // Long texts of the same length have the same hash, so the set compares all of them.
    if (typeof value === 'string') countComparisons(value, textCounts.get(value.length) ?? 0, run);
    if (scalars.has(value)) return true;
    countSteps(run, others.length * BRANCH_STEPS);
    return others.some(each => isEqual(value, each, run));
  };
}

/** Tells if two values are equal. Numbers are compared by value, and objects without the order of their members. */
export function isEqual(one: unknown, other: unknown, run: CheckRun): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
    if (typeof one === 'string' && typeof other === 'string' && one.length === other.length)
      countComparisons(one, 1, run);
    return one === other;
  }
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other)) return false;
    countSteps(run, KEYWORD_STEPS * Math.min(one.length, other.length));
    return one.length === other.length && one.every((item, index) => isEqual(item, other[index], run));
  }
  const names = listNames(one, run);
  countSteps(run, BRANCH_STEPS + names.length * MEMBER_STEPS + getLookupSteps(names));
  return (
    names.length === listNames(other, run).length &&
    names.every(name => Object.hasOwn(other, name) && isEqual(getMember(one, name), getMember(other, name), run))
  );
}

function getMember(value: object, key: string): unknown {
  return (value as { readonly [key: string]: unknown })[key];
}

/** Steps to sort one number, to find one text in a set, and to write one part of a value as canonical JSON. */
const NUMBER_STEPS = 30;
const TEXT_STEPS = 60;
const CANONICAL_STEPS = 60;

/** Tells if no two items are equal. The time grows almost linearly with the size of the list. */
export function areUnique(items: readonly unknown[], run: CheckRun): boolean {
  const numbers: number[] = [];
  const texts = new Set<string>();
  const values = new Set<unknown>();
  const textCounts = new Map<number, number>();
  const addText = (to: Set<string> | Set<unknown>, text: string) => {
    countComparisons(text, addCount(textCounts, text.length), run);
    to.add(text);
  };
  countSteps(run, items.length * TEXT_STEPS);
  for (const item of items) {
    if (typeof item === 'number') numbers.push(item);
    else if (typeof item === 'string') addText(values, item);
    else if (typeof item !== 'object' || item === null) values.add(item);
    else {
      countParts(item, CANONICAL_STEPS, run);
      addText(texts, toCanonicalJson(item));
    }
  }
  if (texts.size + values.size !== items.length - numbers.length) return false;
  // Numbers are sorted, because a peer can choose many with the same hash.
  countSteps(run, numbers.length * NUMBER_STEPS);
  const sorted = Float64Array.from(numbers).sort();
  return sorted.every((number, index) => index === 0 || number !== sorted[index - 1]);
}

/** Adds one to the count of a key. Returns the count before. */
function addCount(counts: Map<number, number>, key: number): number {
  const count = counts.get(key) ?? 0;
  counts.set(key, count + 1);
  return count;
}
