import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileTokenStore } from 'tenon/auth/node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundle } from '../support/bundle.js';

const PROCESSES = 20;
/** `TENON_RACE_ROUNDS=100` for all of them. */
const ROUNDS = Number(process.env.TENON_RACE_ROUNDS ?? 10);
const CLIENT = 'racer';

let folder: string;
let issuer: string;
let server: Server;
let children: ChildProcess[];
/** The only refresh token that is good, and what was sent in its place. */
let good = '';
let spent: string[] = [];

/** Rotates: a token that is used twice ends them all. */
function answer(url: string, body: string): { status: number; value: object } {
  if (url === '/.well-known/oauth-authorization-server')
    return {
      status: 200,
      value: { issuer, token_endpoint: `${issuer}/token`, code_challenge_methods_supported: ['S256'] },
    };
  if (url !== '/token') return { status: 404, value: {} };
  const token = new URLSearchParams(body).get('refresh_token') ?? '';
  spent.push(token);
  if (token !== good) return { status: 400, value: { error: 'invalid_grant' } };
  good = `${token}+`;
  const value = { access_token: `access${good}`, token_type: 'Bearer', expires_in: 3600, refresh_token: good };
  return { status: 200, value };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'race-'));
  server = createServer((request, response) => {
    let body = '';
    request.on('data', chunk => (body += chunk));
    request.on('end', () => {
      const { status, value } = answer(request.url ?? '', body);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  children = Array.from({ length: PROCESSES }, () => fork(bundle('test/auth/fixtures/renewer.ts')));
  await Promise.all(children.map(child => once(child, 'message')));
}, 120_000);

afterAll(async () => {
  for (const child of children) child.disconnect();
  await Promise.all(children.map(child => child.exitCode ?? once(child, 'exit')));
  server.close();
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
});

it(`\`refreshes a rotating token once in ${PROCESSES} processes with one store, ${ROUNDS} times\``, async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const path = join(folder, `vault-${round}.json`);
    const url = `${issuer}/mcp`;
    good = `r${round}`;
    spent = [];
    const tokenStore = fileTokenStore(path);
    const stored = { access: 'old', type: 'bearer', expires: 1, renew: 1, refresh: good, asked: [] };
    await tokenStore.update(['tokens', url, issuer, url, CLIENT], async () => ({ next: stored, result: undefined }));
    const origin = { issuer, resource: url, undescribed: false };
    await tokenStore.update(['server', url, CLIENT], async () => ({ next: origin, result: undefined }));
    const answers = children.map(child => once(child, 'message'));
    for (const child of children) child.send({ path, server: url, client: CLIENT });
    const all = (await Promise.all(answers)).map(([each]) => each);
    expect(all).toEqual(Array(PROCESSES).fill({ authorization: `Bearer accessr${round}+` }));
    expect(spent).toEqual([`r${round}`]);
    expect(await tokenStore.get(['tokens', url, issuer, url, CLIENT])).toMatchObject({ refresh: `r${round}+` });
  }
}, 300_000);
