import { allow, ask, createHost } from '@tenon/host';
import type { Stores } from 'tenon';
import { serveHttp } from 'tenon/node';
import { postgresStores } from 'tenon/postgres';
import { redisStores } from 'tenon/redis';
import { GATEWAY_KEYS } from './gateway-keys.js';

/** One of several processes of a gateway to the server at `SERVER_URL`. */
const url = process.env.STORE_URL ?? '';
// A machine that is busy with other tests may answer late.
const options = { timeout: 15_000 };
const stores: Stores = url.startsWith('redis:') ? redisStores(url, options) : postgresStores(url, options);
const host = await createHost({
  servers: { shop: { url: process.env.SERVER_URL ?? '' } },
  prefix: 'never',
  stores,
  inputRequests: { keys: GATEWAY_KEYS },
  policy: [ask('shop/pay'), allow()],
  quotas: [{ per: ['tool'], calls: 10, window: 3_600_000, match: { tool: 'counted' } }],
  audit: process.env.AUDIT_FILE,
  auditAnchorInterval: 200,
  rateLimits: false,
  // The tests end the store and processes: what comes of it is seen by the client.
  onError: () => {},
});
const http = await serveHttp(host.toServer(), { port: Number(process.env.PORT) });
process.once('SIGTERM', async () => {
  await http.close();
  await host.close();
  process.exit();
});
