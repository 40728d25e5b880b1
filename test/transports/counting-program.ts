// A process that counts the calls that arrive on stdio.

import { serveStdio } from 'tenon/stdio';
import { createCountingServer } from './counting-server.js';

await serveStdio(createCountingServer());
