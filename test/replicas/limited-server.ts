import { allow, createPolicy, createQuotas, policyMiddleware } from '@tenon/host';
import { createServer, rateLimit, type Stores, tool } from 'tenon';
import { sharedTokenStore } from 'tenon/auth';
import { serveHttp } from 'tenon/node';
import { postgresStores } from 'tenon/postgres';
import { redisStores } from 'tenon/redis';

/** One of several processes of a server whose limits and tokens are in a store. */
const url = process.env.STORE_URL ?? '';
// A machine that is busy with other tests may answer late.
const options = { timeout: 15_000 };
const stores: Stores = url.startsWith('redis:') ? redisStores(url, options) : postgresStores(url, options);
const keys = [{ id: 'shared', key: new Uint8Array(32).fill(7) }];
const tokens = sharedTokenStore(stores, { keys });
const limited = rateLimit({ burst: 40, perSecond: 0.001, stores, getKey: () => 'all' });
const counted = policyMiddleware({
  policy: createPolicy([allow()]),
  quotas: createQuotas([{ per: ['tool'], calls: 10, window: 3_600_000, match: { tool: 'counted' } }], { stores }),
});

const server = createServer({
  name: 'limited',
  version: '1.0.0',
  stores,
  inputRequests: { keys },
  // The tests end the store: what comes of it is seen by the client.
  onError: () => {},
  rateLimits: { calls: { burst: 200, perSecond: 0.001 } },
  use: [counted, (operation, next) => (operation.name === 'limited' ? limited(operation, next) : next(operation))],
  tools: {
    plain: tool({ run: () => 'plain' }),
    limited: tool({ run: () => 'limited' }),
    counted: tool({ run: () => 'counted' }),
    // A refresh token works once. Each refresh counts in the store how many there were.
    refresh: tool({
      run: () =>
        tokens.update(['tokens', 'https://server.example'], async previous => {
          if (previous?.access === 'renewed') return { result: 'renewed' };
          const refreshes = await stores.values.put('refreshes', {});
          return { next: { access: 'renewed' }, result: `refresh ${refreshes}` };
        }),
    }),
  },
});
await serveHttp(server, {
  port: Number(process.env.PORT),
  clientAddress: request => request.header('x-real-ip'),
});
