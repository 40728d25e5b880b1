import { escapePointerKey, isObject, parseJsonPointer } from '@tenon/base';

/** Difference between a recorded value and another one. */
export interface JsonDifference {
  /** JSON Pointer of the value. */
  readonly path: string;
  /** Recorded value. Absent if there was none. */
  readonly recorded?: unknown;
  /** Value that was received. Absent if there is none. */
  readonly received?: unknown;
}

/** Tells if a path is not compared. */
export type IgnorePath = (path: readonly string[]) => boolean;

/** Maximum number of differences that are collected. */
const MAX_DIFFERENCES = 100;

/** Compares two JSON values, and returns their differences, the first 100 at most. */
export function compareJson(
  recorded: unknown,
  received: unknown,
  isIgnored: IgnorePath = () => false,
): JsonDifference[] {
  const differences: JsonDifference[] = [];
  const add = (path: readonly string[], difference: Omit<JsonDifference, 'path'>) => {
    if (differences.length < MAX_DIFFERENCES) differences.push({ path: toPointer(path), ...difference });
  };
  const compare = (one: unknown, other: unknown, path: readonly string[]): void => {
    if (differences.length >= MAX_DIFFERENCES || isIgnored(path)) return;
    const [members, otherMembers] = [getMembers(one), getMembers(other)];
    if (members === undefined || otherMembers === undefined || Array.isArray(one) !== Array.isArray(other)) {
      if (!Object.is(one, other)) add(path, { recorded: one, received: other });
      return;
    }
    for (const name of new Set([...members.keys(), ...otherMembers.keys()])) {
      const inner = [...path, name];
      if (members.has(name) && otherMembers.has(name)) compare(members.get(name), otherMembers.get(name), inner);
      else if (isIgnored(inner)) continue;
      else if (members.has(name)) add(inner, { recorded: members.get(name) });
      else add(inner, { received: otherMembers.get(name) });
    }
  };
  compare(recorded, received, []);
  return differences;
}

function getMembers(value: unknown): ReadonlyMap<string, unknown> | undefined {
  if (Array.isArray(value)) return new Map(value.map((each, index) => [String(index), each]));
  return isObject(value) ? new Map(Object.entries(value).filter(([, member]) => member !== undefined)) : undefined;
}

const toPointer = (path: readonly string[]): string => path.map(step => `/${escapePointerKey(step)}`).join('');

/**
 * Parses patterns of paths that are not compared: a JSON Pointer, in which `*` stands for any member, or the name of a
 * member at any depth.
 */
export function parseIgnoredPaths(patterns: readonly string[]): IgnorePath {
  const names = new Set(patterns.filter(pattern => !pattern.startsWith('/')));
  const pointers = patterns.filter(pattern => pattern.startsWith('/')).map(parseJsonPointer);
  return path => {
    const name = path.at(-1);
    if (name !== undefined && names.has(name)) return true;
    return pointers.some(
      pointer => pointer.length === path.length && pointer.every((step, index) => step === '*' || step === path[index]),
    );
  };
}
