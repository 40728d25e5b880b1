/** A Worker without a schema library. */
import { createHandler } from 'tenon/http';
import { createSmokeServer, plain } from './server.mjs';

export default { fetch: createHandler(createSmokeServer(plain)) };
