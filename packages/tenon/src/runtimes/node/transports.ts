import { createClientEndpoint } from '../../client/connection/http-endpoint.js';
import type { TransportFactory } from '../../client/target.js';
import { createStdioTransport } from '../../transports/stdio/client.js';
import { createFetchRequester } from '../web/fetch-requester.js';
import { createNodeRequester } from './http/http-requester.js';
import { spawnServer } from './processes/spawn-server.js';

/** The transports of Node: child processes, and an HTTP client at a sixth of the cost of `fetch`. */
export const nodeTransports: TransportFactory = {
  createHttp: target =>
    createClientEndpoint(target, target.fetch ? createFetchRequester(target.fetch) : createNodeRequester()),
  createStdio: target => ({
    kind: 'stdio',
    key: JSON.stringify([target.command, target.args ?? [], target.cwd ?? '']),
    open: () => createStdioTransport(target, spawnServer),
  }),
};
