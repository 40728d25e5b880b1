import { serveStdio } from 'tenon/stdio';
import { createSmokeServer } from './server.mjs';
import { byZod } from './zod-schemas.mjs';

console.log('output before the first message');
serveStdio(createSmokeServer(byZod, text => console.log(text)));
