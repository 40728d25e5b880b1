/** `Bun.serve` with the fetch handler. */
import { createHandler } from 'tenon/http';
import { createSmokeServer } from './server.mjs';
import { byZod } from './zod-schemas.mjs';

const fetch = createHandler(createSmokeServer(byZod));
const { port } = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: request => fetch(request) });
console.log(JSON.stringify({ port }));
