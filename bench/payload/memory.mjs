// @ts-check
/** Loaded before a server: for each line on its standard input it collects its garbage and writes what is left, in bytes. */
process.stdin.on('data', async () => {
  // What was collected may have held on to something outside of the heap, which is let go only then.
  for (let pass = 0; pass < 3; pass += 1) {
    globalThis.gc?.();
    await new Promise(resolve => setTimeout(resolve, 20));
  }
  const { heapUsed, external } = process.memoryUsage();
  console.log(heapUsed + external);
});
