import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Kind, programOf } from '../../bench/types/programs.mjs';
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

describe('the work of the compiler', () => {
  const counted = (kind: Kind) => [1, 50, 200].map(tools => instantiations(kind, tools)) as [number, number, number];
  const counts = {
    typed: counted('typed'),
    tenon: counted('tenon'),
    tenonClient: counted('tenonClient'),
    official: counted('official'),
  };
  const perTool = ([, fifty, twoHundred]: readonly [number, number, number]) => (twoHundred - fifty) / 150;

  it.each(['tenon', 'tenonClient'] as const)('grows linearly with the number of tools: %s', kind => {
    const [one, fifty] = counts[kind];
    const early = (fifty - one) / 49;
    const late = perTool(counts[kind]);
    expect(Math.abs(late / early - 1)).toBeLessThan(budget.nonLinearity);
    expect(late).toBeLessThanOrEqual(budget.instantiationsPerTool[kind]);
  });

  it('stays below that of the official SDK for equal checks', () => {
    for (const at of [1, 2] as const) {
      expect(counts.tenon[at] / counts.official[at]).toBeLessThanOrEqual(budget.versusOfficial);
    }
  });

  it('exceeds reading the types of the schemas by little', () => {
    expect(perTool(counts.tenon) / perTool(counts.typed)).toBeLessThanOrEqual(budget.versusTyped);
  });
});
