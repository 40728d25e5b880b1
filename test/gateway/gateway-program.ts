/** The gateway on the standard streams of a process of its own. Where its server is comes as JSON in the first argument. */
import { serveStdio } from 'tenon/stdio';
import { createGatewayHost } from './gateway.js';

const host = await createGatewayHost(JSON.parse(process.argv[2] ?? ''));
await serveStdio(host.toServer());
