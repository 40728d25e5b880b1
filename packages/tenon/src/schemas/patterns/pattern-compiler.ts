import { shorten } from '@tenon/base';
import { createWorkLimitError } from '../json-schema/broken-schema.js';
import type { CheckRun } from '../json-schema/check-run.js';
import { countSteps } from '../json-schema/check-run.js';
import type { PatternTest } from '../json-schema/keyword-compiler.js';
import { countMatchSteps, estimateGrowth, type PatternGrowth } from './estimate-max-length.js';
import { estimateWork, type PatternWork } from './match-work.js';
import { toUnicodePattern } from './unicode-pattern.js';

/** Limits on the patterns of a schema. They bound the time to compile the patterns. */
export interface PatternLimits {
  /** Maximum length of one pattern, in characters. Longer patterns are never run. */
  readonly maxLength: number;
  /** Maximum length of all patterns together. A Unicode property counts as 100 characters. */
  readonly maxTotalLength: number;
}

const NO_LIMITS: PatternLimits = { maxLength: Number.POSITIVE_INFINITY, maxTotalLength: Number.POSITIVE_INFINITY };

/** The engine compiles a Unicode property, such as `\p{L}`, to hundreds of ranges. */
const PROPERTY_LENGTH = 100;
/** Steps to start a match. */
const STARTING_STEPS = 15;
/** Steps to look at one character for its size. */
const SIZE_STEPS = 0.1;
/** A character of 16 bits. The engine stores such texts apart, and matches classes in them slower. */
const WIDE = /[^\0-\xff]/;

/** Compiles the patterns of one schema, each once. */
export class PatternCompiler {
  readonly #limits: PatternLimits;
  readonly #tests = new Map<string, PatternTest | undefined>();
  #length = 0;

  constructor(limits: PatternLimits = NO_LIMITS) {
    this.#limits = limits;
  }

  /** Compiles a pattern. Returns `undefined` for an invalid one. */
  compile(source: string): PatternTest | undefined {
    if (!this.#tests.has(source)) this.#tests.set(source, this.#createTest(source));
    return this.#tests.get(source);
  }

  #createTest(source: string): PatternTest | undefined {
    this.#length += source.length + PROPERTY_LENGTH * (source.split(/\\p/i).length - 1);
    if (source.length > this.#limits.maxLength || this.#length > this.#limits.maxTotalLength) {
      return (_, run) => refuse(source, run);
    }
    const pattern = toUnicodePattern(source);
    if (pattern === undefined) return undefined;
    const expression = new RegExp(pattern, 'u');
    let growth: PatternGrowth | undefined;
    let work: PatternWork | undefined;
    return (text, run) => {
      growth ??= estimateGrowth(pattern);
      work ??= estimateWork(pattern);
      countSteps(run, STARTING_STEPS + text.length * SIZE_STEPS);
      const steps = countMatchSteps(growth, WIDE.test(text) ? work.wide : work.narrow, text.length);
      if (steps === Number.POSITIVE_INFINITY) return refuse(source, run);
      countSteps(run, steps);
      return expression.test(text);
    };
  }
}

/**
 * Refuses a text on which a pattern could take too long. While failures are collected, the value is known to be
 * invalid, so the pattern is skipped.
 */
function refuse(source: string, { failures }: CheckRun): boolean {
  if (failures !== undefined) return true;
  throw createWorkLimitError(
    `the pattern ${shorten(JSON.stringify(source))} could take too long on a string of this length`,
  );
}
