// @ts-check
/** A gateway with code mode in front of one server on HTTP: `node gateway.mjs URL`. Its own URL is the first line of its output. */
import { createHost } from '@tenon/host';
import { serveHttp } from 'tenon/node';

const host = await createHost({
  servers: { upstream: { url: process.argv[2] ?? '' } },
  prefix: 'never',
  codeMode: 'offer',
  rateLimits: false,
});
const { url } = await serveHttp(host.toServer(), { port: 0 });
console.log(url);
process.on('SIGTERM', () => void host.close().finally(() => process.exit(0)));
