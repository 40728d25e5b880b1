import { serveStdio } from 'tenon/stdio';
import { server } from './server.ts';

await serveStdio(server);
