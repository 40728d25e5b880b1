/** How much of a program runs: every function that is entered, every branch that is taken, every turn of a loop. */
import { type Profiler, Session } from 'node:inspector';
import { promisify } from 'node:util';

export interface Steps {
  readonly total: number;
  /** How often each function ran, with what is inside of it, by its name and its place. */
  readonly byFunction: ReadonlyMap<string, number>;
}

/** Looks that no function of the program sees: the engine goes through the list by itself. */
let looks = 0;

for (const method of ['includes', 'indexOf', 'lastIndexOf'] as const) {
  const own = Array.prototype[method] as (...given: unknown[]) => unknown;
  Object.defineProperty(Array.prototype, method, {
    configurable: true,
    writable: true,
    value(this: unknown[], ...given: unknown[]) {
      looks += this.length;
      return own.apply(this, given);
    },
  });
}

/** What runs of this program's file during the work. It runs slowly meanwhile: nothing of it is optimized. */
export async function countSteps(work: () => Promise<void>): Promise<Steps> {
  const session = new Session();
  session.connect();
  const post = promisify(session.post).bind(session) as (method: string, params?: object) => Promise<unknown>;
  await post('Profiler.enable');
  await post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  looks = 0;
  await work();
  const looked = looks;
  const { result } = (await post('Profiler.takePreciseCoverage')) as Profiler.TakePreciseCoverageReturnType;
  await post('Profiler.stopPreciseCoverage');
  session.disconnect();
  const byFunction = new Map([['looks through lists', looked]]);
  for (const { functions } of result.filter(({ url }) => url === import.meta.url)) {
    for (const { functionName, ranges } of functions) {
      const place = `${functionName || 'a function without a name'} at ${ranges[0]?.startOffset}`;
      const count = ranges.reduce((sum, range) => sum + range.count, 0);
      byFunction.set(place, (byFunction.get(place) ?? 0) + count);
    }
  }
  return { total: [...byFunction.values()].reduce((sum, count) => sum + count, 0), byFunction };
}
