import { createClientEndpoint, rejectProcesses } from '../../client/connection/http-endpoint.js';
import type { TransportFactory } from '../../client/target.js';
import { createFetchRequester } from './fetch-requester.js';

/** The transports of every runtime: `fetch`. */
export const webTransports: TransportFactory = {
  createHttp: target => createClientEndpoint(target, createFetchRequester(target.fetch)),
  createStdio: rejectProcesses,
};
