/** `tenon/stdio`: serve on the standard streams of this process. */
import { holdStdout } from './runtimes/node/stdout-guard.js';

export { type ServeStdioOptions, serveStdio } from './runtimes/node/stdio-server.js';
export type { StrayWrite } from './runtimes/node/stdout-guard.js';
export type { Serving } from './transports/stdio/server.js';

// What a program says while it starts must not reach the client either.
holdStdout();
