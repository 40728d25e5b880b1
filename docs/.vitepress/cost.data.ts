import { listQuotedCosts } from '../../bench/summary/plot.mjs';
import { readParts } from '../../bench/summary/summary.mjs';

/** The cost of a call with one library, as a multiple of bare Node. */
export interface Cost {
  readonly name: string;
  readonly ratio: number;
  readonly isTenon: boolean;
}

declare const data: readonly Cost[];

export { data };

/** The measurements from which the README quotes its figures. */
export default {
  watch: ['../../bench/results/*.json'],
  load: (): readonly Cost[] => listQuotedCosts(readParts()),
};
