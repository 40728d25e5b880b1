/** A Worker with zod. */
import { createHandler } from 'tenon/http';
import { createSmokeServer } from './server.mjs';
import { byZod } from './zod-schemas.mjs';

export default { fetch: createHandler(createSmokeServer(byZod)) };
