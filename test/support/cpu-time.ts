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
