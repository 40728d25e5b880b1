import { stat } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clientOf, formOf, listenFirst, serveIssuer, serveUpstream } from '../auth/gateway-callers.js';
import { browse } from '../auth/scripted-browser.js';
import { buildCommand, projectWith, type Serving, serving } from './command.js';

let clear = async () => {};
let project: Awaited<ReturnType<typeof projectWith>>;
let parts: { close(): Promise<void> }[] = [];
let gateway: Serving;
let audience: string;

beforeAll(async () => {
  clear = await buildCommand();
  const [own, other] = [await serveIssuer(), await serveIssuer()];
  const upstream = await serveUpstream(other.url);
  parts = [own, other, upstream];
  project = await projectWith({ remote: { url: upstream.url } });
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
  ];
  gateway = await serving(project.folder, ['gateway', ...args], { PATH: project.path('none') });
});
afterAll(async () => {
  await gateway.end();
  await Promise.all(parts.map(each => each.close()));
  await Promise.all([project.remove(), clear()]);
});

it('signs callers of `tenon gateway --issuer` in to a server, and never the operator', async () => {
  expect(await gateway.said(({ event }) => event === 'server')).toMatchObject({ name: 'remote', state: 'waiting' });
  for (const user of ['ada', 'bob'] as const) {
    const client = await clientOf(audience, user);
    const result = await client.callTool('remote__whoami');
    const [url = ''] = /http\S+\/sign-in\/start\S+/.exec(JSON.stringify(result)) ?? [];
    expect(await browse(new URL(url), formOf(user))).toContain('You are signed in to remote');
    expect(await client.callTool('remote__whoami')).toMatchObject({ content: [{ text: `You are ${user}` }] });
    await client.close();
  }
  expect(gateway.errors()).not.toContain('To sign in');
  expect((await stat(project.path('home/caller-tokens.json'))).mode & 0o077).toBe(0);
});
