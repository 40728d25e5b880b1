import { protect } from 'tenon/auth';
import { createHandler } from 'tenon/http';
import { sendStateless } from '../connections.js';
import { formatName, pickMiddle, SIZES, type Workloads } from '../workload.js';
import { CALL, createTestServer } from './offers.js';

const RESOURCE = 'https://mcp.example.com/mcp';
const ISSUER = 'https://login.example.com';
const TTL = 3_600_000;

/** Costs that do not grow with the number of cached tokens. */
export const tokenWorkloads: Workloads = {
  'a call with a verified token beside N tokens of others': {
    sizes: SIZES,
    async prepare(size) {
      const handler = createHandler(createTestServer(), { auth: createProtection(), path: '/mcp' });
      const call = (at: number) =>
        sendStateless(handler, ...CALL, {}, { authorization: `Bearer ${formatName('token-', at)}` });
      for (let at = 0; at < size; at++) await call(at);
      return { run: () => call(pickMiddle(size)), close: () => handler.close() };
    },
  },
};

/** The issuer accepts each token. Its user has the name of the token. */
function createProtection() {
  return protect({
    resource: RESOURCE,
    issuers: [ISSUER],
    introspection: { clientId: 'server', clientSecret: 'secret', endpoint: `${ISSUER}/introspect`, ttl: TTL },
    fetch: async (_, { body }) => {
      const sub = new URLSearchParams(String(body)).get('token');
      const claims = { active: true, iss: ISSUER, aud: RESOURCE, sub, exp: Math.floor(Date.now() / 1000) + TTL };
      return new Response(JSON.stringify(claims), { headers: { 'content-type': 'application/json' } });
    },
  });
}
