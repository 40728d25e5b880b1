// @ts-check
/** Tenon, with room for as many sessions as are wanted, all from one address: `node tenon.mjs '{"mode":"100000","tools":["echo"],"more":19}'`. */
import { createServer, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { serverInfo, setup, tools } from '../peers/http/tools.mjs';

const server = createServer({
  ...serverInfo,
  tools: Object.fromEntries(
    tools.map(({ name, description, input, run }) => [
      name,
      tool({ description, input, run: given => run(given, () => {}) }),
    ]),
  ),
});
const { url } = await serveHttp(server, { port: 0, limits: { maxSessions: Number(setup.mode), maxShare: 1 } });
console.log(url);
