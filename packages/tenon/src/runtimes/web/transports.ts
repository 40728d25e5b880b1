import { createClientEndpoint, rejectProcesses } from '../../client/connection/http-endpoint.js';
import type { TransportFactory } from '../../client/target.js';
import { createFetchRequester } from './fetch-requester.js';

/** The roads that every runtime has: `fetch`. */
export const webTransports: TransportFactory = {
  createHttp: target => createClientEndpoint(target, createFetchRequester(target.fetch)),
  createStdio: rejectProcesses,
};
