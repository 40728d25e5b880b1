// @ts-check
/** A `fetch` handler in Deno or Bun: `fetch.mjs echo|tenon`. */
import process from 'node:process';
import { createHandler } from 'tenon/http';
import { echo } from './echo.mjs';
import { server } from './server.mjs';

const { Bun, Deno } = /** @type {any} */ (globalThis);
const handler = createHandler(server);
/** @type {(request: Request) => Promise<Response>} */
const fetch = process.argv[2] === 'echo' ? echo : request => handler(request);
const hostname = '127.0.0.1';
const say = (/** @type {{ port: number }} */ { port }) => console.log(`http://${hostname}:${port}/mcp`);
if (Bun) say(Bun.serve({ port: 0, hostname, fetch }));
else Deno.serve({ port: 0, hostname, onListen: say }, fetch);
