// @ts-check
import { createHandler } from 'tenon/http';
import { server } from './server.mjs';

export default { fetch: createHandler(server) };
