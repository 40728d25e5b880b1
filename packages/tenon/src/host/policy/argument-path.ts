/** How many values one argument may have, over all its arrays, and how deep they may lie in each other. */
const MAX_VALUES = 10_000;
const MAX_DEPTH = 64;

/** What stands at a place of the arguments. */
export interface Found {
  readonly values: readonly unknown[];
  /** Whether it was there in every element of the arrays on the way. */
  readonly whole: boolean;
  /** Whether there was more than is looked at: what was not seen may be anything. */
  readonly cut: boolean;
}

/** The steps of a JSON Pointer, or of a dotted path. */
export function stepsOf(path: string): readonly string[] {
  if (!path.startsWith('/')) return path.split('.');
  return path
    .slice(1)
    .split('/')
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/**
 * The values at a place. Where an array is met, the next step is taken in each of its elements, unless it is one's number;
 * an array at the end stands for its elements.
 */
export function valuesAt(value: unknown, steps: readonly string[]): Found {
  const values: unknown[] = [];
  let whole = true;
  let cut = false;
  const visit = (at: unknown, step: number, depth: number): void => {
    if (depth > MAX_DEPTH || values.length >= MAX_VALUES) {
      cut = true;
      return;
    }
    const name = steps[step];
    if (Array.isArray(at) && (name === undefined || !/^\d+$/.test(name))) {
      for (const element of at) visit(element, step, depth + 1);
    } else if (name === undefined) values.push(at);
    else if (typeof at === 'object' && at !== null && Object.hasOwn(at, name)) {
      visit((at as { [name: string]: unknown })[name], step + 1, depth);
    } else whole = false;
  };
  visit(value, 0, 0);
  return { values, whole, cut };
}
