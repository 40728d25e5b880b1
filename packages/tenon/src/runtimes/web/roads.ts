import { httpEndpoint, noProcesses } from '../../client/roads.js';
import type { Roads } from '../../client/target.js';
import { fetchRequester } from './http-client.js';

/** The roads that every runtime has: `fetch`. */
export const webRoads: Roads = {
  http: target => httpEndpoint(target, fetchRequester(target.fetch)),
  stdio: noProcesses,
};
