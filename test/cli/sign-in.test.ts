import { stat } from 'node:fs/promises';
import { createServer as createHttpServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createIssuer } from '@tenon/issuer';
import { connect, createServer, tool } from 'tenon';
import { protect } from 'tenon/auth';
import { type HttpServer, serveHttp, toNode } from 'tenon/node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { visit } from '../auth/issuer-visit.js';
import { buildCommand, commandLine, projectWith } from './command.js';

let clear = async () => {};
let project: Awaited<ReturnType<typeof projectWith>>;
let http: Server;
let remote: HttpServer;

beforeAll(async () => {
  clear = await buildCommand();
  project = await projectWith({});
  let handle: ReturnType<typeof toNode> | undefined;
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
  await Promise.all([project.remove(), clear()]);
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

it('signs the user in when the server asks for it, and not again', async () => {
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
