/** Entry `@tenon/cli/init`, by which `npm create tenon` runs `tenon init`. */

/** Runs `tenon init` with these arguments in this process, and then ends the process. */
export async function runInit(args: readonly string[]): Promise<void> {
  // Loaded on use by both entries, so it is one file of the bundle.
  const { runProcess } = await import('./run-process.js');
  await runProcess(['init', ...args]);
}
