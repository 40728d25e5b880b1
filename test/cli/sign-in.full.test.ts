import { readFile, stat } from 'node:fs/promises';
import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createIssuer } from '@tenon/issuer';
import { connect, createServer, tool } from 'tenon';
import { protect } from 'tenon/auth';
import { type HttpServer, serveHttp, toNode } from 'tenon/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { visit } from '../auth/issuer-visit.js';
import { isFull } from '../support/extent.js';
import { buildCommand, commandLine, projectWith, runTenon, shopEntry, tenon } from './command.js';

let project: Awaited<ReturnType<typeof projectWith>>;
let http: Server;
let handle: RequestListener | undefined;
let remote: HttpServer;

beforeAll(async () => {
  await buildCommand();
  project = await projectWith({});
  http = createHttpServer((request, response) => handle?.(request, response));
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  handle = toNode(createIssuer({ url: issuer }));

  // The URL that tokens are for must be known before anything listens there.
  const free = createHttpServer();
  await new Promise<void>(resolve => free.listen(0, '127.0.0.1', resolve));
  const { port } = free.address() as AddressInfo;
  await new Promise(resolve => free.close(resolve));
  const whoami = tool({ run: (_, { auth }) => `You are ${auth?.claims?.sub}` });
  const server = createServer({ name: 'remote', version: '1.0.0', tools: { whoami } });
  const auth = protect({ resource: `http://127.0.0.1:${port}/mcp`, issuers: [issuer] });
  remote = await serveHttp(server, { port, auth });
});
afterAll(async () => {
  await remote.close();
  http.closeAllConnections();
  await new Promise(resolve => http.close(resolve));
  await project.remove();
});

/** A client behind a bridge, and a user who does what it says on standard error. There is no browser to be found. */
async function bridged(visited: string[]) {
  const line = commandLine(project.folder, 'bridge', remote.url);
  return connect({
    ...line,
    env: { ...line.env, PATH: project.path('none') },
    stderr: text => {
      const [url] = /^http:\S+\/authorize\?\S+$/.exec(text.trim()) ?? [];
      if (url === undefined) return;
      visited.push(url);
      void visit(url);
    },
  });
}

it('signs the user in when the server requires it, and not again', async () => {
  const visited: string[] = [];
  const first = await bridged(visited);
  expect(await first.callTool('whoami')).toMatchObject({ content: [{ text: expect.stringMatching(/^You are \S+$/) }] });
  await first.close();
  expect(visited).toHaveLength(1);

  const second = await bridged(visited);
  expect(await second.callTool('whoami')).not.toHaveProperty('isError', true);
  await second.close();
  expect(visited).toHaveLength(1);
  expect((await stat(project.path('home/tokens.json'))).mode & 0o077).toBe(0);
});

describe('tenon logout', () => {
  /** Signs the user in, with tokens in the file. */
  const signInAgain = async () => (await bridged([])).close();
  const callStored = (...more: string[]) =>
    (more.includes('--keep') ? tenon : runTenon)(project.folder, [
      'call',
      '--auth',
      'stored',
      ...more,
      remote.url,
      'whoami',
    ]);

  it('deletes and revokes the tokens and forgets the registration, so that the next command signs in again', async () => {
    await signInAgain();
    expect(await callStored()).toMatchObject({ code: 0 });
    const { code, out, err } = await runTenon(project.folder, ['logout', remote.url, '--json']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const signOut = { clientId: null, tokensDeleted: true, tokensRevoked: true, registrationDeleted: true };
    expect(JSON.parse(out)).toEqual({ server: remote.url, signOuts: [signOut], connectionsClosed: 0 });
    const { secrets } = JSON.parse(await readFile(project.path('home/tokens.json'), 'utf8'));
    expect(Object.keys(secrets).filter(key => /"(?:tokens|server|client)"/.test(key))).toEqual([]);
    expect(await callStored()).toMatchObject({ code: 3 });
    const again = await runTenon(project.folder, ['logout', remote.url]);
    expect(again).toEqual({ code: 0, out: `not signed in to ${remote.url}\n`, err: '' });
  });

  it('accepts the name of a configured server, and prints what it did', async () => {
    await signInAgain();
    await project.write('named.json', { mcpServers: { notes: { url: remote.url }, shop: shopEntry() } });
    const { code, out } = await runTenon(project.folder, ['logout', 'notes', '--config', 'named.json']);
    const did = 'tokens deleted and revoked, client registration forgotten';
    expect({ code, out }).toEqual({ code: 0, out: `signed out of ${remote.url}: ${did}\n` });
    const command = await runTenon(project.folder, ['logout', 'shop', '--config', 'named.json']);
    expect(command).toMatchObject({ code: 2, err: expect.stringContaining('not a server at a URL') });
  });

  it.runIf(isFull)('closes the connection of the daemon, which has the token in memory', async () => {
    await signInAgain();
    expect(await callStored('--keep')).toMatchObject({ code: 0 });
    const { out } = await runTenon(project.folder, ['logout', remote.url, '--json']);
    expect(JSON.parse(out)).toMatchObject({ connectionsClosed: 1 });
    expect(await callStored('--keep')).toMatchObject({ code: 3 });
    await tenon(project.folder, ['daemon', 'stop']);
  });

  it('deletes the tokens of an authorization server that cannot be reached, and exits with 1', async () => {
    await signInAgain();
    const stopped = handle;
    handle = (_, response) => void response.writeHead(503).end();
    const { code, out, err } = await runTenon(project.folder, ['logout', remote.url]);
    handle = stopped;
    expect({ code, out }).toEqual({ code: 1, out: expect.stringContaining('not revoked') });
    expect(err).toContain('revoke');
    expect(await callStored()).toMatchObject({ code: 3 });
  });
});
