// @ts-check
/** Many servers in one process, each on a port of its own: `node many-http.mjs FIRST COUNT TOOLS` prints their URLs. */
import { serveHttp } from 'tenon/node';
import { createNumberedServer } from './servers.mjs';

const [first = 0, count = 1, tools = 1] = process.argv.slice(2).map(Number);
const urls = [];
for (let at = 0; at < count; at += 1)
  urls.push((await serveHttp(createNumberedServer(first + at, tools), { port: 0 })).url);
console.log(JSON.stringify(urls));
