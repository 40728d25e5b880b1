/** Names that stand for an address of the private network: on Node they are found out without any option. */

import dns, { type LookupAddress } from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { createIssuer } from '@tenon/issuer';
import { clientCredentials, enterpriseManaged, signIn, workloadIdentity } from 'tenon/auth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createBrowser, refusal } from '../../../packages/tenon/src/auth/client/fixtures/world.js';

const original = dns.lookup;
let listener: Server;
let port = 0;
let connections = 0;

/** Every name of example.com stands for this machine. */
function lookup(name: string, options: dns.LookupOptions, done: (error: null, ...found: unknown[]) => void): void {
  if (!name.endsWith('.example.com')) return original(name, options, done as never);
  const found: LookupAddress = { address: '127.0.0.1', family: 4 };
  setImmediate(() => (options.all ? done(null, [found]) : done(null, found.address, found.family)));
}

beforeAll(async () => {
  listener = createServer(socket => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve));
  port = (listener.address() as AddressInfo).port;
  Object.assign(dns, { lookup });
  syncBuiltinESMExports();
});
afterAll(() => {
  Object.assign(dns, { lookup: original });
  syncBuiltinESMExports();
  listener.close();
});

const server = () => `https://mcp.example.com:${port}/mcp`;
const refusedOf = (challenge = 'Bearer') => refusal(challenge, { url: server(), server: server() });
const client = { id: 'me', secret: 's' };
const backend = {
  signIn: () => signIn({ redirect: createBrowser().redirect }),
  clientCredentials: () => clientCredentials(client),
  workload: () => workloadIdentity({ assertion: 'jwt' }),
  enterprise: () => enterpriseManaged({ idp: { issuer: 'https://idp.example.com', client }, subject: 'token', client }),
};

describe.each(Object.entries(backend))('%s', (_, authorizer) => {
  it('refuses a name that resolves to an address of this machine [security.ssrf.private-ranges-blocked]', async () => {
    const before = connections;
    const challenge = `Bearer resource_metadata="https://inside.example.com:${port}/metadata"`;
    await expect(authorizer().handleRefusal(refusedOf(challenge))).rejects.toMatchObject({ code: 'auth/unsafe-url' });
    expect(connections).toBe(before);
  });

  it('connects to the server that the user named, at any address', async () => {
    const before = connections;
    await expect(authorizer().handleRefusal(refusedOf())).rejects.toMatchObject({ code: 'auth/unreachable' });
    expect(connections).toBeGreaterThan(before);
  });

  it('connects to private addresses for a server that may name them', async () => {
    const before = connections;
    const auth = signIn({ allowPrivate: true });
    const challenge = `Bearer resource_metadata="https://inside.example.com:${port}/metadata"`;
    await expect(auth.handleRefusal(refusedOf(challenge))).rejects.toMatchObject({ code: 'auth/unreachable' });
    expect(connections).toBeGreaterThan(before);
  });
});

it('createIssuer does not fetch the document of a client from an address of this machine', async () => {
  const before = connections;
  const issuer = createIssuer({ url: 'https://as.elsewhere.org', resources: [server()], signIn: () => 'ada' });
  const url = new URL('https://as.elsewhere.org/authorize');
  const params = {
    response_type: 'code',
    client_id: `https://client.example.com:${port}/client.json`,
    redirect_uri: 'https://client.example.com/callback',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    resource: server(),
  };
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  const { status } = await issuer(new Request(url));
  expect(status).toBe(400);
  expect(connections).toBe(before);
});
