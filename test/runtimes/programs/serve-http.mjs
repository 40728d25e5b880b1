/** Serves by the library's own adapter of `node:http`, which Bun and Deno have too. Says where on its first line. */
import { serveHttp } from 'tenon/node';
import { createSmokeServer } from './server.mjs';
import { byZod } from './zod-schemas.mjs';

const [origin] = process.argv.slice(2);
const options = origin === undefined ? {} : { cors: { origins: [origin] }, allowedOrigins: [origin] };
serveHttp(createSmokeServer(byZod), { port: 0, ...options }).then(({ port }) => console.log(JSON.stringify({ port })));
