import type * as Http from 'node:http';

/**
 * The module `node:http`. An `import` reads all its exports, and so loads `WebSocket` and `fetch` of Node 22 and later,
 * which takes as long as to load the client.
 */
export const nodeHttp: typeof Http = process.getBuiltinModule('node:http');
