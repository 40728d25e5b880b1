import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Kind, programOf } from '../../bench/types/programs.mjs';
import { isFull, takeCover } from '../support/extent.js';
import { edit } from './editor.js';

interface Budget {
  readonly instantiationsPerTool: { readonly tenon: number; readonly tenonClient: number };
  readonly versusOfficial: number;
  readonly versusTyped: number;
  readonly nonLinearity: number;
}
const budget: Budget = JSON.parse(readFileSync(new URL('../../bench/types/budget.json', import.meta.url), 'utf8'));

/** How often the compiler makes a type out of a generic one: its own measure of work, the same on every machine. */
function instantiations(kind: Kind, tools: number): number {
  const { program, errors } = edit(programOf(kind, tools));
  expect(errors).toEqual([]);
  return program.getInstantiationCount();
}

/** Numbers of tools of the programs. A program of 200 tools takes seconds, and shows a growth that others hide. */
const SIZES = isFull ? ([1, 50, 200] as const) : ([1, 15, 40] as const);
const [least, middle, most] = SIZES;

const perTool = ([, some, many]: readonly [number, number, number]) => (many - some) / (most - middle);

describe('the work of the compiler', () => {
  const count = (kind: Kind) => SIZES.map(tools => instantiations(kind, tools)) as [number, number, number];
  // It includes a server, so that its count grows with that of a server.
  const tenonClient = count('tenonClient');
  // Programs are compiled before the tests, because a test has a deadline.
  const others = isFull ? { typed: count('typed'), tenon: count('tenon'), official: count('official') } : undefined;

  it.each(takeCover(['tenon', 'tenonClient'] as const, kind => kind === 'tenonClient'))(
    'grows linearly with the number of tools: %s',
    kind => {
      const counts = kind === 'tenonClient' ? tenonClient : others?.tenon;
      if (counts === undefined) throw new Error(`the programs of ${kind} are not compiled`);
      const [one, some] = counts;
      const early = (some - one) / (middle - least);
      const late = perTool(counts);
      expect(Math.abs(late / early - 1)).toBeLessThan(budget.nonLinearity);
      expect(late).toBeLessThanOrEqual(budget.instantiationsPerTool[kind]);
    },
  );

  it.runIf(others)('stays below that of the official SDK for equal checks', () => {
    if (others === undefined) return;
    for (const at of [1, 2] as const) {
      expect(others.tenon[at] / others.official[at]).toBeLessThanOrEqual(budget.versusOfficial);
    }
  });

  it.runIf(others)('exceeds reading the types of the schemas by little', () => {
    if (others === undefined) return;
    expect(perTool(others.tenon) / perTool(others.typed)).toBeLessThanOrEqual(budget.versusTyped);
  });
});
