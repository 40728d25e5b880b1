/** A server of a host whose entry has the credentials of a service account, behind a gateway without an issuer. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost, type NodeHostOptions } from '@tenon/host';
import { createIssuer } from '@tenon/issuer';
import { connect, createServer, tool } from 'tenon';
import { protect } from 'tenon/auth';
import { createHandler } from 'tenon/http';
import { toNode } from 'tenon/node';
import { expect, it, onTestFinished } from 'vitest';
import { listenFirst } from './gateway-callers.js';

const ACCOUNT = { clientId: 'nightly', clientSecret: 'secret of nightly' };

/** A server that says which client calls it, and its authorization server with one client for programs. */
async function serveRemote() {
  const issuer = await listenFirst();
  const clients = [{ id: ACCOUNT.clientId, secret: ACCOUNT.clientSecret, machine: true as const }];
  issuer.listeners.push(toNode(createIssuer({ url: issuer.url, clients, users: {} })));
  const remote = await listenFirst();
  const whoami = tool({ run: (_, { auth }) => `You are ${auth?.claims?.client_id}` });
  const server = createServer({ name: 'remote', version: '1.0.0', tools: { whoami } });
  const auth = protect({ resource: `${remote.url}/mcp`, issuers: [issuer.url] });
  remote.listeners.push(toNode(createHandler(server, { auth, path: '/mcp' })));
  onTestFinished(async () => {
    await Promise.all([remote.close(), issuer.close()]);
  });
  return { url: `${remote.url}/mcp`, issuer: issuer.url };
}

async function callOf(options: NodeHostOptions) {
  const host = await createHost({ ...options, onError: () => {} });
  const client = await connect(host.toServer());
  onTestFinished(async () => {
    await client.close();
    await host.close();
  });
  return client.callTool('remote__whoami');
}

it('calls the server for all callers with the credentials of its settings', async () => {
  const { url, issuer } = await serveRemote();
  const remote = { url, serviceAccount: { ...ACCOUNT, issuer } };
  expect(await callOf({ servers: { remote } })).toMatchObject({ content: [{ text: 'You are nightly' }] });
});

it('reads the credentials from `auth` of a configuration file, with variables', async () => {
  const { url } = await serveRemote();
  const folder = await mkdtemp(join(tmpdir(), 'tenon-account-'));
  onTestFinished(() => rm(folder, { recursive: true, maxRetries: 10 }));
  process.env.NIGHTLY_SECRET = ACCOUNT.clientSecret;
  onTestFinished(() => void delete process.env.NIGHTLY_SECRET);
  const auth = { type: 'client-credentials', clientId: 'nightly', clientSecret: `\${NIGHTLY_SECRET}` };
  const config = join(folder, 'mcp.json');
  await writeFile(config, JSON.stringify({ mcpServers: { remote: { url, auth } } }));
  const result = await callOf({ config, trust: () => true });
  expect(result).toMatchObject({ content: [{ text: 'You are nightly' }] });
});

it('refuses wrong credentials with the error of the authorization server, and opens no page', async () => {
  const { url, issuer } = await serveRemote();
  const remote = { url, serviceAccount: { clientId: 'nightly', clientSecret: 'wrong', issuer } };
  await expect(callOf({ servers: { remote } })).rejects.toThrow(/auth\/|refused|authoriz/i);
});
