// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of configurations are written so
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { HostOptions } from '../../packages/host/src/index.js';
import { createHost } from '../../packages/host/src/index.node.js';
import { createHandler } from '../../packages/tenon/src/http.js';
import { connect, createServer, type TenonError, tool } from '../../packages/tenon/src/index.node.js';
import { toNode } from '../../packages/tenon/src/node.js';
import { serveHttp } from '../../packages/tenon/src/runtimes/node/http/http-server.js';

const PROGRAM = fileURLToPath(new URL('../cli/fixtures/tenant-server.mjs', import.meta.url));
const VERSIONS = ['2025-06-18', '2025-11-25', '2026-07-28'] as const;

const closing: { close(): unknown }[] = [];
const later = <T extends { close(): unknown }>(thing: T): T => {
  closing.unshift(thing);
  return thing;
};
afterEach(async () => {
  for (const each of closing.splice(0)) await each.close();
});

/** A gateway over HTTP that takes the user and a claim from headers. */
async function open(servers: HostOptions['servers'], options: Partial<HostOptions> = {}) {
  const errors: TenonError[] = [];
  const onError = (error: TenonError) => void errors.push(error);
  const host = later(await createHost({ servers, prefix: 'never', onError, ...options }));
  const { url } = later(
    await serveHttp(host.toServer(), {
      port: 0,
      authorize: request => {
        const principal = request.header('x-user');
        const claims = { tenant: request.header('x-tenant') ?? '' };
        return { auth: principal === undefined ? undefined : { principal, claims } };
      },
    }),
  );
  const call = async (name: string, headers: Record<string, string>, protocolVersion: string) => {
    const client = later(await connect({ url, headers }, { protocolVersion }));
    const { content } = await client.callTool(name);
    return JSON.parse((content[0] as { text: string }).text) as Record<string, unknown>;
  };
  return { host, call, errors };
}

const whoServer = (perCaller: object, ...names: string[]) => ({
  command: process.execPath,
  args: [PROGRAM, ...names],
  perCaller,
});

describe('a server with values of its callers', () => {
  it.each(VERSIONS)('runs a process for each user of %s, which no other user reaches', async version => {
    const { call } = await open({ who: whoServer({ env: { WHO: '${caller:user}' } }, 'WHO') });
    const [ada, bob, again] = await Promise.all(
      ['ada', 'bob', 'ada'].map(user => call('describe', { 'x-user': user }, version)),
    );
    expect([ada?.WHO, bob?.WHO]).toEqual(['ada', 'bob']);
    expect(ada?.pid).not.toBe(bob?.pid);
    expect(again).toEqual(ada);
    expect((await call('describe', { 'x-user': 'bob' }, version)).pid).toBe(bob?.pid);
  });

  it.each(VERSIONS)('runs another process when a claim of the same user of %s is another', async version => {
    const { call } = await open({ who: whoServer({ env: { TENANT: '${caller:claim.tenant}' } }, 'TENANT') });
    const one = await call('describe', { 'x-user': 'ada', 'x-tenant': 'acme' }, version);
    const two = await call('describe', { 'x-user': 'ada', 'x-tenant': 'umbrella' }, version);
    expect([one.TENANT, two.TENANT, one.pid === two.pid]).toEqual(['acme', 'umbrella', false]);
  });

  it.each(VERSIONS)('fills the URL and the headers of requests for a caller of %s', async version => {
    const requests: { readonly url: string | undefined; readonly user: unknown }[] = [];
    const describeCaller = tool({ run: () => JSON.stringify({ served: true }) });
    const crm = createServer({ name: 'crm', version: '1.0.0', tools: { describe: describeCaller } });
    const listener = toNode(createHandler(crm, { path: '/tenants/acme%2Cuk/mcp' }));
    const http = createHttpServer((request, response) => {
      requests.push({ url: request.url, user: request.headers['x-user'] });
      listener(request, response);
    });
    await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
    later({
      close: () => {
        http.closeAllConnections();
        http.close();
      },
    });
    const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    const perCaller = {
      url: `${origin}/tenants/\${caller:claim.tenant}/mcp?u=\${caller:user}`,
      headers: { 'X-User': 'user ${caller:user}' },
    };
    const { call } = await open({ crm: { url: `${origin}/tenants`, perCaller } });
    const headers = { 'x-user': 'ada', 'x-tenant': 'acme,uk' };
    expect(await call('describe', headers, version)).toEqual({ served: true });
    expect(new Set(requests.map(({ url }) => url))).toEqual(new Set(['/tenants/acme%2Cuk/mcp?u=ada']));
    expect(new Set(requests.map(({ user }) => user))).toEqual(new Set(['user ada']));
  });

  it('serves the program of the host with the defaults', async () => {
    const { host, call } = await open({ who: whoServer({ env: { WHO: '${caller:user:-nobody}' } }, 'WHO') });
    await call('describe', { 'x-user': 'ada' }, '2026-07-28');
    const { content } = await host.callTool('describe');
    expect(JSON.parse((content[0] as { text: string }).text)).toMatchObject({ WHO: 'nobody' });
  });

  it('tells the caller which value it lacks, and the others are served', async () => {
    const { call } = await open({ who: whoServer({ env: { WHO: '${caller:user}' } }, 'WHO') });
    await expect(call('describe', {}, '2025-11-25')).rejects.toMatchObject({
      rpcCode: -32602,
      message: expect.stringContaining('needs the value `user` of its caller'),
    });
    expect(await call('describe', { 'x-user': 'ada' }, '2025-11-25')).toMatchObject({ WHO: 'ada' });
  });

  it('needs no value for a state, a restart or an inventory, which start no process', async () => {
    const { host } = await open({ who: whoServer({ env: { WHO: '${caller:user}' } }, 'WHO') });
    expect(await host.connectServer('who')).toMatchObject({ state: 'idle' });
    expect(await host.restartServer('who')).toMatchObject({ state: 'idle', connections: 0 });
    expect((await host.inventory()).unavailable).toMatchObject([{ server: 'who', code: 'host/caller-value' }]);
  });

  it('uses the names of the new values after an update of the servers', async () => {
    const { host, call } = await open({ who: whoServer({ env: { WHO: '${caller:user}' } }, 'WHO') });
    await call('describe', { 'x-user': 'ada', 'x-tenant': 'acme' }, '2025-11-25');
    host.update({ servers: { who: whoServer({ env: { WHO: '${caller:claim.tenant}' } }, 'WHO') } });
    expect(await call('describe', { 'x-user': 'ada', 'x-tenant': 'acme' }, '2025-11-25')).toMatchObject({
      WHO: 'acme',
    });
  });

  it('refuses templates that a configuration refuses', async () => {
    await expect(open({ who: whoServer({ env: { PATH: '${caller:user}' } }) })).rejects.toMatchObject({
      code: 'options/invalid',
      message: expect.stringContaining('the server "who": perCaller.env.PATH'),
    });
    await expect(
      open({ who: { url: 'https://example.com', perCaller: { uri: 'x' } as object } }),
    ).rejects.toMatchObject({
      code: 'options/invalid',
    });
  });
});
