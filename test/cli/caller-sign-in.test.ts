import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clientOf, formOf, listenFirst, serveIssuer, serveUpstream } from '../auth/gateway-callers.js';
import { browse } from '../auth/scripted-browser.js';
import { buildCommand, projectWith, runTenon, type Serving, serving } from './command.js';

let project: Awaited<ReturnType<typeof projectWith>>;
let parts: { close(): Promise<void> }[] = [];
let gateway: Serving;
let audience: string;

beforeAll(async () => {
  await buildCommand();
  const [own, other] = [await serveIssuer(), await serveIssuer()];
  const upstream = await serveUpstream(other.url);
  parts = [own, other, upstream];
  project = await projectWith({ remote: { url: upstream.url } });
  await project.write('policy.json', { rules: [{ action: 'allow' }] });
  // The URL that tokens are for must be known before anything listens there.
  const free = await listenFirst();
  await free.close();
  audience = `${free.url}/mcp`;
  const port = new URL(audience).port;
  const args = [
    '--trust',
    '--json',
    '--port',
    port,
    '--issuer',
    own.url,
    '--audience',
    audience,
    '--audit',
    'audit.jsonl',
    '--policy',
    'policy.json',
  ];
  gateway = await serving(project.folder, ['gateway', ...args], { PATH: project.path('none') });
});
afterAll(async () => {
  await gateway.end();
  await Promise.all(parts.map(each => each.close()));
  await project.remove();
});

/** Opens a client of a user, who signs in to the server with it. */
async function openSignedIn(user: 'ada' | 'bob') {
  const client = await clientOf(audience, user);
  const [url = ''] = /http\S+\/sign-in\/start\S+/.exec(JSON.stringify(await client.callTool('remote__whoami'))) ?? [];
  expect(await browse(new URL(url), formOf(user))).toContain('You are signed in to remote');
  return client;
}

it('signs callers of `tenon gateway --issuer` in to a server, and never the operator', async () => {
  expect(await gateway.waitForEvent(({ event }) => event === 'server')).toMatchObject({
    name: 'remote',
    state: 'waiting',
  });
  for (const user of ['ada', 'bob'] as const) {
    const client = await openSignedIn(user);
    expect(await client.callTool('remote__whoami')).toMatchObject({ content: [{ text: `You are ${user}` }] });
    await client.close();
  }
  expect(gateway.errors()).not.toContain('To sign in');
  expect((await stat(project.path('home/caller-tokens.json'))).mode & 0o077).toBe(0);
});

it('signs all callers out of a server with `tenon logout --callers`', async () => {
  const ada = await openSignedIn('ada');
  const { mcpServers } = JSON.parse(await readFile(project.path('mcp.json'), 'utf8'));
  const { code, out } = await runTenon(project.folder, ['logout', mcpServers.remote.url, '--callers', '--json']);
  const { signOuts } = JSON.parse(out);
  expect(code).toBe(0);
  // One for each client of a user: those of the tests before, and this one.
  expect(signOuts.length).toBeGreaterThan(0);
  for (const each of signOuts) expect(each).toMatchObject({ tokensDeleted: true, tokensRevoked: true });
  expect(await readFile(project.path('home/caller-tokens.json'), 'utf8')).not.toContain('access');
  await ada.close();
});

it('applies rules about the claims of the token of each caller', async () => {
  const [ada, bob] = [await openSignedIn('ada'), await openSignedIn('bob')];
  const rules = [
    { action: 'allow', tool: 'whoami', user: { claims: { sub: 'ada', iss: 'http*' } } },
    { action: 'deny' },
  ];
  await project.write('policy.json', { rules });
  await gateway.waitForEvent(({ event }) => event === 'policy');
  expect(await ada.callTool('remote__whoami')).toMatchObject({ content: [{ text: 'You are ada' }] });
  expect(await bob.callTool('remote__whoami')).toMatchObject({ isError: true });
  expect(JSON.stringify(await bob.callTool('remote__whoami'))).toContain('denied by rule 2');
  await Promise.all([ada.close(), bob.close()]);
});

it('sends the tokens of a server to no other URL, when the configuration changes', async () => {
  const signedIn = await openSignedIn('ada');
  const received: (string | undefined)[] = [];
  const other = createServer((request, response) => {
    received.push(request.headers.authorization);
    response.writeHead(404).end();
  });
  await once(other.listen(0, '127.0.0.1'), 'listening');
  const { port } = other.address() as AddressInfo;
  await project.write('mcp.json', { mcpServers: { remote: { url: `http://127.0.0.1:${port}/mcp` } } });
  expect(await gateway.waitForEvent(({ event }) => event === 'configuration')).toMatchObject({ changed: ['remote'] });
  const client = await clientOf(audience, 'ada');
  await signedIn.callTool('remote__whoami').catch(() => {});
  await client.callTool('remote__whoami').catch(() => {});
  expect(received.length).toBeGreaterThan(0);
  expect(received.filter(header => header !== undefined)).toEqual([]);
  await Promise.all([client.close(), signedIn.close()]);
  other.closeAllConnections();
  await new Promise(resolve => other.close(resolve));
});
