// @ts-check
/**
 * One replica: `node server.mjs '{"mode":"redis://127.0.0.1:6379","tools":["echo"]}'`. With the mode `memory` it has
 * its sessions to itself.
 */
import { createServer, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { redisStores } from 'tenon/redis';
import { serverInfo, setup, tools } from '../peers/http/tools.mjs';

/** Room for as many sessions as are measured. */
const ROOM = 200_000;

const server = createServer({
  ...serverInfo,
  ...(setup.mode === 'memory' ? {} : { stores: redisStores(setup.mode) }),
  inputRequests: { keys: [{ id: 'bench', key: new Uint8Array(32).fill(7) }] },
  resources: { 'note://a': { read: () => 'a' } },
  tools: {
    ...Object.fromEntries(
      tools.map(({ name, description, input, run }) => [
        name,
        tool({ description, input, run: given => run(given, () => {}) }),
      ]),
    ),
    ...(setup.more === 0 ? {} : { hold: tool({ run: hold }), touch: tool({ run: touch }) }),
  },
});

/** Sends one event, and holds its stream open. @type {(input: unknown, ctx: import('tenon').Context) => Promise<string>} */
async function hold(_, ctx) {
  ctx.log('info', 'begun');
  await new Promise(resolve => ctx.signal.addEventListener('abort', () => resolve(undefined)));
  return 'ended';
}

function touch() {
  server.notifyResourceUpdated('note://a');
  return 'touched';
}

const { url } = await serveHttp(server, { port: 0, limits: { maxSessions: ROOM, maxShare: 1 } });
console.log(url);
