/** Measures bytes of the heap. The program needs `--expose-gc`, and a heap so large that no collection happens meanwhile. */
declare const gc: () => void;

const WARM_UP = 100;
const ROUNDS = 8;
const TIMES = 300;
const HOLDERS = 5000;

/** Returns the bytes that one run of the work allocates. The end of a page of the heap adds a little. */
export async function measureBytes(work: () => Promise<unknown>): Promise<number> {
  await repeat(WARM_UP, work);
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    gc();
    const before = process.memoryUsage().heapUsed;
    await repeat(TIMES, work);
    least = Math.min(least, (process.memoryUsage().heapUsed - before) / TIMES);
  }
  return least;
}

/** Returns the bytes that one run of the work leaves in the heap. */
export async function measureHeldBytes(work: () => Promise<unknown>): Promise<number> {
  await repeat(HOLDERS, work);
  gc();
  const before = process.memoryUsage().heapUsed;
  await repeat(HOLDERS, work);
  gc();
  return (process.memoryUsage().heapUsed - before) / HOLDERS;
}

async function repeat(times: number, work: () => Promise<unknown>): Promise<void> {
  for (let time = 0; time < times; time++) await work();
}
