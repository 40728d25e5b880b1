/**
 * Runs work and returns the time that this process has computed meanwhile, in milliseconds. Other processes of a busy machine
 * do not count.
 */
export async function measureCpuTime(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Iterations of the loop that {@link measureNominalTime} compares with. A processor at 3 GHz needs 50 ms for them. */
const LOOP_ITERATIONS = 25_000_000;
const LOOP_TIME = 50;

function runLoop(): number {
  let x = 12_345;
  for (let n = 0; n < LOOP_ITERATIONS; n += 1) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
  }
  return x;
}

/**
 * Runs work three times and returns the shortest time that an idle processor at 3 GHz would compute, in milliseconds.
 * A loop of known length before the work shows how fast this machine is now.
 */
export async function measureNominalTime(work: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < 3; run += 1) {
    const loop = await measureCpuTime(runLoop);
    times.push(((await measureCpuTime(work)) / loop) * LOOP_TIME);
  }
  return Math.min(...times);
}
