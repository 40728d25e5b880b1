import { serveStdio } from 'tenon/stdio';
import { createSmokeServer } from './server.mjs';
import { byZod } from './zod-schemas.mjs';

serveStdio(createSmokeServer(byZod));
