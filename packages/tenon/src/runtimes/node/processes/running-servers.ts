/** Functions that stop the running server processes, by the id of the process. */
export const runningServers = new Map<number, () => Promise<void>>();

/**
 * Stops all server processes that this process has started: it closes their standard input, waits, sends SIGTERM, waits,
 * and sends SIGKILL. Resolves when they and the processes that they started have ended. Never rejects.
 *
 * Call it before `process.exit`, which kills the servers at once. `serveStdio` and `exitOnSignal` call it themselves.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#shutdown
 */
export async function stopServerProcesses(): Promise<void> {
  await Promise.allSettled([...runningServers.values()].map(stop => stop()));
}
