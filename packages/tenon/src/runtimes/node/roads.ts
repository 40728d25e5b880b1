import { httpEndpoint } from '../../client/roads.js';
import type { Roads } from '../../client/target.js';
import { openStdio } from '../../transports/stdio/client.js';
import { fetchRequester } from '../web/http-client.js';
import { spawnServer } from './child-process.js';
import { nodeRequester } from './http-client.js';

/** The roads that Node has: its own HTTP client, which costs a sixth of what `fetch` does there, and child processes. */
export const nodeRoads: Roads = {
  http: target => httpEndpoint(target, target.fetch ? fetchRequester(target.fetch) : nodeRequester()),
  stdio: target => ({
    kind: 'stdio',
    key: JSON.stringify([target.command, target.args ?? [], target.cwd ?? '']),
    open: () => openStdio(target, spawnServer),
  }),
};
