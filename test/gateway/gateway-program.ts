/** The gateway on the standard streams of a process of its own. Where its server is comes as JSON in the first argument. */
import { serveStdio } from 'tenon/stdio';
import { hostOf } from './gateway.js';

const host = await hostOf(JSON.parse(process.argv[2] ?? ''));
await serveStdio(host.asServer());
