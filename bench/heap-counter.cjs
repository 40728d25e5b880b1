/** Loaded before a program: when it is asked to by a signal, it collects the garbage and says on stdout what is left. */
const { writeSync } = require('node:fs');

/** What finalizers let go of goes with the next one. */
const COLLECTIONS = 3;

process.on('SIGUSR2', async () => {
  for (let n = 0; n < COLLECTIONS; n += 1) {
    globalThis.gc?.();
    await new Promise(resolve => setTimeout(resolve, 10));
  }
  const { heapUsed: heap, external: outside, rss } = process.memoryUsage();
  const handles = process.getActiveResourcesInfo().length;
  writeSync(1, `heap ${JSON.stringify({ heap, outside, rss, handles })}\n`);
});
