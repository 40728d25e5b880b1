/** `Deno.serve` with the fetch handler. */
import { createHandler } from 'tenon/http';
import { createSmokeServer } from './server.mjs';
import { byZod } from './zod-schemas.mjs';

const fetch = createHandler(createSmokeServer(byZod));
const onListen = ({ port }) => console.log(JSON.stringify({ port }));
Deno.serve({ port: 0, hostname: '127.0.0.1', onListen }, request => fetch(request));
