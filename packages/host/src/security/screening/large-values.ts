import { runNextTurn } from '@tenon/base';
import { screenInstructions, screenPrompt, screenResource, screenSkill, screenTool } from './screen-definitions.js';
import { screenInputRequest } from './screen-input-requests.js';
import { screenCheckedResult, screenError } from './screen-results.js';
import type { Screened } from './screener.js';

/** Name of a function that screens one value. */
export type ScreenerName =
  | 'screenError'
  | 'screenInputRequest'
  | 'screenInstructions'
  | 'screenPrompt'
  | 'screenResource'
  | 'screenResult'
  | 'screenSkill'
  | 'screenTool';

/** Functions that screen one value, by their names. */
export const SCREENERS: Readonly<Record<ScreenerName, (value: never, options: object) => Screened<unknown>>> = {
  screenError,
  screenInputRequest,
  screenInstructions,
  screenPrompt,
  screenResource,
  screenResult: screenCheckedResult,
  screenSkill,
  screenTool,
};

/** Values that one function screens, with its options. */
export interface ScreeningJob {
  readonly screener: ScreenerName;
  readonly values: readonly unknown[];
  readonly options: object;
}

/** Screens values without keeping the thread of the host busy. */
export type ScreenAside = (job: ScreeningJob) => Promise<readonly Screened<unknown>[]>;

/** Size from which values are screened aside. Up to it, the slowest text takes about 0.1 s. */
const MAX_SIZE_AT_ONCE = 100_000;
/** Size of a member or item, in addition to its text. */
const SIZE_OF_MEMBER = 10;

/** Tells if the screening of values would keep the thread busy for long. Reads no more of them than that needs. */
export function isLarge(values: readonly unknown[]): boolean {
  let size = 0;
  const open: unknown[] = [values];
  while (open.length > 0) {
    const container = open.pop() as Readonly<Record<string, unknown>>;
    for (const name in container) {
      const value = container[name];
      size += SIZE_OF_MEMBER + name.length + (typeof value === 'string' ? value.length : 0);
      if (size > MAX_SIZE_AT_ONCE) return true;
      if (typeof value === 'object' && value !== null) open.push(value);
    }
  }
  return false;
}

/** Screens values on this thread, of which each takes a turn of its own. */
export async function screenInTurns({
  screener,
  values,
  options,
}: ScreeningJob): Promise<readonly Screened<unknown>[]> {
  const screened: Screened<unknown>[] = [];
  for (const value of values) {
    await new Promise<void>(runNextTurn);
    screened.push(SCREENERS[screener](value as never, options));
  }
  return screened;
}
