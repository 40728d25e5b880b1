import type { Client } from 'tenon';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { clientOf, formOf, serveGateway, type User } from './gateway-callers.js';
import { browse } from './scripted-browser.js';

let gateway: Awaited<ReturnType<typeof serveGateway>>;
const clients: Client[] = [];

beforeEach(async () => {
  gateway = await serveGateway();
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map(client => client.close()));
  await gateway.close();
});

async function open(user: User, options: Parameters<typeof clientOf>[2] = {}): Promise<Client> {
  const client = await clientOf(gateway.url, user, options);
  clients.push(client);
  return client;
}

async function namesOf(client: Client): Promise<string[]> {
  const tools = [];
  for await (const { name } of client.listTools()) tools.push(name);
  return tools;
}

const textOf = (result: unknown): string => (result as { content: { text: string }[] }).content[0]?.text ?? '';
const urlIn = (text: string): URL => new URL(/https?:\S+\/sign-in\/start\?id=[\w-]+/.exec(text)?.[0] ?? 'none:');

/** Calls the tool that signs in, of a client that cannot open URLs. */
const linkFor = async (client: Client) => urlIn(textOf(await client.callTool('remote__sign_in')));

it('gives each caller tokens of its own at the server, which appear nowhere else', async () => {
  for (const user of ['ada', 'bob'] as const) {
    const client = await open(user);
    expect(await namesOf(client)).toEqual(['remote__sign_in']);
    expect(await browse(await linkFor(client), formOf(user))).toContain('You are signed in to remote');
    expect(await namesOf(client)).toEqual(['remote__whoami', 'remote__sign_out']);
    expect(textOf(await client.callTool('remote__whoami'))).toBe(`You are ${user}`);
  }
  const [first] = clients;
  expect(textOf(await first?.callTool('remote__whoami'))).toBe('You are ada');
  expect(gateway.upstream.tokens.size).toBe(2);
  const records = await gateway.records();
  expect(records.match(/"action":"signed-in"/g)).toHaveLength(2);
  for (const token of gateway.upstream.tokens) expect(records).not.toContain(token.replace('Bearer ', ''));
});

it('responds 405 to methods other than GET at its pages', async () => {
  const response = await fetch(await linkFor(await open('ada')), { method: 'POST' });
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET']);
});

it('responds to a tool call of a client without URL elicitation by a tool error with the link', async () => {
  const client = await open('ada');
  const result = await client.callTool('remote__whoami');
  expect(result).toMatchObject({ isError: true });
  expect(textOf(result)).toMatch(
    /^The server "remote" needs the user to sign in\. Open http\S+ in a browser, sign in, and try again\.$/,
  );
});

it('sends a URL elicitation and continues the call once the user has signed in, on 2026-07-28', async () => {
  const requests: string[] = [];
  const client = await open('ada', {
    protocolVersion: '2026-07-28',
    elicitUrl({ url }) {
      requests.push(url);
      void browse(new URL(url), formOf('ada'));
      return { action: 'accept' };
    },
  });
  expect(textOf(await client.callTool('remote__whoami'))).toBe('You are ada');
  expect(requests).toHaveLength(1);
});

it('responds -32042 on 2025-11-25, and notifies when the sign-in is complete', async () => {
  const ended = new Set<string>();
  const client = await open('ada', { protocolVersion: '2025-11-25', elicitUrl: () => ({ action: 'cancel' }) });
  client.on('elicitationComplete', ({ elicitationId }) => ended.add(elicitationId));
  const error = await client.callTool('remote__whoami').catch(thrown => thrown);
  expect(error).toMatchObject({ rpcCode: -32042 });
  const [{ url, elicitationId }] = error.data.elicitations;
  expect(await browse(new URL(url), formOf('ada'))).toContain('Signed in');
  await expect.poll(() => [...ended]).toEqual([elicitationId]);
  expect(textOf(await client.callTool('remote__whoami'))).toBe('You are ada');
});

it('lets no user complete the sign-in of another', async () => {
  const bob = await open('bob');
  const page = await browse(await linkFor(bob), formOf('ada'));
  expect(page).toMatch(/^403 /);
  expect(page).toContain('This sign-in is not yours');
  expect(await namesOf(bob)).toEqual(['remote__sign_in']);
});

it('lets no other browser complete a sign-in whose user was checked in the first', async () => {
  const bob = await open('bob');
  let callbacks = 0;
  // Stops before the second callback: that of the server's own issuer.
  const isLast = (url: string) => url.includes('/sign-in/callback') && ++callbacks === 2;
  const callback = await browse(await linkFor(bob), formOf('bob'), isLast);
  expect(await browse(new URL(callback), formOf('ada'))).toContain('Another browser began this sign-in');
  expect(await namesOf(bob)).toEqual(['remote__sign_in']);
});

it('shares no sign-in between two OAuth clients of one user', async () => {
  const [first, second] = [await open('ada'), await open('ada')];
  await browse(await linkFor(first), formOf('ada'));
  expect(textOf(await first.callTool('remote__whoami'))).toBe('You are ada');
  expect(await second.callTool('remote__whoami')).toMatchObject({ isError: true });
});

it('signs a caller out, and records it', async () => {
  const client = await open('ada');
  await browse(await linkFor(client), formOf('ada'));
  await client.callTool('remote__whoami');
  expect(textOf(await client.callTool('remote__sign_out'))).toBe('The user is signed out of remote.');
  expect(await client.callTool('remote__whoami')).toMatchObject({ isError: true });
  expect(await namesOf(client)).toEqual(['remote__sign_in']);
  expect(await gateway.records()).toContain('"action":"signed-out"');
});

it.each(['the caller has signed out', 'the tokens were revoked'])(
  'returns the link of its sign-in tool after %s, although the connection is open',
  async reason => {
    const client = await open('ada');
    await browse(await linkFor(client), formOf('ada'));
    expect(textOf(await client.callTool('remote__sign_in'))).toContain('The user is signed in to remote');
    if (reason === 'the caller has signed out') await client.callTool('remote__sign_out');
    else {
      gateway.other.forgetAll();
      gateway.upstream.forgetKeys();
    }
    const result = await client.callTool('remote__sign_in');
    expect(result).toMatchObject({ isError: true });
    expect(await browse(urlIn(textOf(result)), formOf('ada'))).toContain('You are signed in to remote');
    expect(textOf(await client.callTool('remote__sign_in'))).toContain('The user is signed in to remote');
    expect(textOf(await client.callTool('remote__whoami'))).toBe('You are ada');
  },
);

it('notifies a client that its tools have changed after the sign-in', async () => {
  const client = await open('ada', { protocolVersion: '2025-06-18' });
  let changes = 0;
  client.on('change', () => {
    changes += 1;
  });
  await browse(await linkFor(client), formOf('ada'));
  await expect.poll(() => changes).toBeGreaterThan(0);
});

it('shows the server as waiting, and starts no sign-in, when an anonymous caller lists', async () => {
  await expect(namesOf(gateway.host.client)).rejects.toThrow('the server requires a sign-in by each caller');
  expect(gateway.host.getServers()).toMatchObject([
    { state: 'waiting', reason: 'the server requires a sign-in by each caller' },
  ]);
});
