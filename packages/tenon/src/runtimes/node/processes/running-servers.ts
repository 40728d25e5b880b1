/** Functions that stop the running server processes, by the id of the process. */
export const runningServers = new Map<number, () => Promise<void>>();

let stopCount = 0;

/** Tells if all servers are being stopped. A client whose server ends then must not start it again. */
export const areServersStopping = (): boolean => stopCount > 0;

/**
 * Stops all server processes that this process has started: it closes their standard input, waits, sends SIGTERM, waits,
 * and sends SIGKILL. Until then no other server can be started. Resolves when they and the processes that they started
 * have ended. Never rejects.
 *
 * Call it before `process.exit`, which kills the servers at once. `serveStdio` and `exitOnSignal` call it themselves.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#shutdown
 */
export async function stopServerProcesses(): Promise<void> {
  stopCount += 1;
  do {
    await Promise.allSettled([...runningServers.values()].map(stop => stop()));
    // Clients are notified of the end of their servers now, and some try to start them again.
    await new Promise(setImmediate);
  } while (runningServers.size > 0);
  stopCount -= 1;
}
