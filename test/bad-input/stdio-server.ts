// A process that serves the server of these tests on stdio.
import { serveStdio } from 'tenon/stdio';
import { badServer } from './server.js';

await serveStdio(badServer());
