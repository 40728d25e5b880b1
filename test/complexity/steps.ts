/** Counts how much of a program runs: each call of a function, each branch that is taken, each turn of a loop. */
import { type Profiler, Session } from 'node:inspector';
import { promisify } from 'node:util';

export interface Steps {
  readonly total: number;
  /** Number of steps in each function, by its name and place. */
  readonly byFunction: ReadonlyMap<string, number>;
}

/** Elements that the engine compares in searches of lists, which its coverage does not count. */
let searched = 0;

for (const method of ['includes', 'indexOf', 'lastIndexOf'] as const) {
  const own = Array.prototype[method] as (...args: unknown[]) => unknown;
  Object.defineProperty(Array.prototype, method, {
    configurable: true,
    writable: true,
    value(this: unknown[], ...args: unknown[]) {
      searched += this.length;
      return own.apply(this, args);
    },
  });
}

/** Counts the steps of the file of this program during the work. Meanwhile nothing is optimized. */
export async function countSteps(work: () => Promise<void>): Promise<Steps> {
  const session = new Session();
  session.connect();
  const post = promisify(session.post).bind(session) as (method: string, params?: object) => Promise<unknown>;
  await post('Profiler.enable');
  await post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  searched = 0;
  await work();
  const compared = searched;
  const { result } = (await post('Profiler.takePreciseCoverage')) as Profiler.TakePreciseCoverageReturnType;
  await post('Profiler.stopPreciseCoverage');
  session.disconnect();
  const byFunction = new Map([['searches of lists', compared]]);
  for (const { functions } of result.filter(({ url }) => url === import.meta.url)) {
    for (const { functionName, ranges } of functions) {
      const place = `${functionName || 'anonymous'} at ${ranges[0]?.startOffset}`;
      const count = ranges.reduce((sum, range) => sum + range.count, 0);
      byFunction.set(place, (byFunction.get(place) ?? 0) + count);
    }
  }
  return { total: [...byFunction.values()].reduce((sum, count) => sum + count, 0), byFunction };
}
