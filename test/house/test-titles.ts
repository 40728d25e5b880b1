/** Titles of tests as a reader sees them: the titles of the groups around a test, and its own. */
import ts from 'typescript-5';
import type { Source } from './source.js';

export interface TestTitle {
  readonly kind: 'group' | 'test';
  /** Text between the quotation marks. */
  readonly text: string;
  /** Titles of the groups around it, from the outside in. */
  readonly groups: readonly string[];
  readonly line: number;
}

/** Lists the titles of `describe`, `it` and their variants such as `it.each(…)` that are literal texts. */
export function listTestTitles(source: Source): TestTitle[] {
  const titles: TestTitle[] = [];
  const visit = (node: ts.Node, groups: readonly string[]): void => {
    const [title] = ts.isCallExpression(node) ? node.arguments : [];
    const name = ts.isCallExpression(node) ? getTestFunction(node.expression) : undefined;
    if (title === undefined || name === undefined || !isText(title)) {
      ts.forEachChild(node, child => visit(child, groups));
      return;
    }
    const text = title.getText().slice(1, -1);
    const line = source.tree.getLineAndCharacterOfPosition(title.getStart()).line + 1;
    titles.push({ kind: name === 'describe' ? 'group' : 'test', text, groups, line });
    ts.forEachChild(node, child => visit(child, name === 'describe' ? [...groups, text] : groups));
  };
  visit(source.tree, []);
  return titles;
}

/** Draws items without repetition. The same seed draws the same items. */
export function drawSample<T>(items: readonly T[], count: number, seed: number): T[] {
  const rest = [...items];
  let state = seed >>> 0;
  const random = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return Array.from({ length: Math.min(count, rest.length) }, () =>
    rest.splice(Math.floor(random() * rest.length), 1),
  ).flat();
}

const isText = (node: ts.Node): boolean => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);

/** Returns the name of the function behind `it`, `describe`, `it.skipIf(…)` or `it.each(…)`. */
function getTestFunction(callee: ts.Expression): string | undefined {
  if (ts.isIdentifier(callee)) return /^(?:it|test|describe)$/.test(callee.text) ? callee.text : undefined;
  if (ts.isCallExpression(callee) || ts.isPropertyAccessExpression(callee) || ts.isTaggedTemplateExpression(callee))
    return getTestFunction('tag' in callee ? callee.tag : callee.expression);
  return undefined;
}
