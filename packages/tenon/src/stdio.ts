/**
 * Serve on the standard streams of this process.
 *
 * @module tenon/stdio
 */
import { holdStdout } from './runtimes/node/stdio/stdout-guard.js';

export { type ServeStdioOptions, serveStdio } from './runtimes/node/stdio/stdio-server.js';
export type { StdoutWriteEvent } from './runtimes/node/stdio/stdout-guard.js';
export type { StdioServer } from './transports/stdio/server.js';

// Early output of the program must not reach the client either.
holdStdout();
