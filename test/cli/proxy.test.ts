/** Requests of the command through an HTTP proxy with tunnels (CONNECT), which alone resolves the names. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createServer as createMcpServer, tool } from 'tenon';
import { createHandler } from 'tenon/http';
import { toNode } from 'tenon/node';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { getProgram, hasPrograms } from '../../scripts/optional-programs.mjs';
import { startConnectProxy } from '../support/connect-proxy.js';
import { buildCommand, projectWith, tenon } from './command.js';
import { createManifest, writeBundle } from './fixtures/write-bundle.js';

const HOST = 'pub.example.com';
const ORIGIN = `https://${HOST}`;

describe.skipIf(!hasPrograms('openssl'))('the command behind a proxy', () => {
  let project: Awaited<ReturnType<typeof projectWith>>;
  let proxy: Awaited<ReturnType<typeof startConnectProxy>>;
  let site: Server;
  let env: Record<string, string>;
  let bundle: Buffer;

  const mcp = toNode(
    createHandler(createMcpServer({ name: 'pub', version: '1.0.0', tools: { ping: tool({ run: () => 'pong' }) } }), {
      path: '/mcp',
      allowedHosts: [HOST],
    }),
  );
  /** A registry with one bundle, an OpenAPI document, and a server. */
  const answer: RequestListener = (request, response) => {
    const path = request.url ?? '';
    if (path.startsWith('/mcp')) return mcp(request, response);
    if (path === '/boxed.mcpb') return void response.end(bundle);
    const respond = (body: object) => response.end(JSON.stringify(body));
    if (path === '/moved.json') return void response.writeHead(302, { location: '/openapi.json' }).end();
    if (path === '/openapi.json')
      return void respond({
        openapi: '3.1.0',
        info: { title: 'Pub', version: '1' },
        servers: [{ url: ORIGIN }],
        paths: { '/beers': { get: { operationId: 'listBeers', responses: {} } } },
      });
    const fileSha256 = createHash('sha256').update(bundle).digest('hex');
    const boxed = {
      registryType: 'mcpb',
      identifier: `${ORIGIN}/boxed.mcpb`,
      fileSha256,
      transport: { type: 'stdio' },
    };
    const server = { name: 'com.example/boxed', description: 'Boxed', version: '1.0.0', packages: [boxed] };
    respond(path.includes('/versions/') ? { server } : { servers: [{ server }], metadata: {} });
  };

  beforeAll(async () => {
    await buildCommand();
    project = await projectWith({});
    await writeBundle(project.path('source.mcpb'), createManifest());
    bundle = await readFile(project.path('source.mcpb'));
    const [key, cert] = [project.path('key.pem'), project.path('cert.pem')];
    const subject = ['-subj', `/CN=${HOST}`, '-addext', `subjectAltName=DNS:${HOST}`];
    const form = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '30'];
    const options = ['req', ...form, '-keyout', key, '-out', cert, ...subject];
    execFileSync(getProgram('openssl'), options, { stdio: 'ignore' });
    site = createServer({ key: await readFile(key), cert: await readFile(cert) }, answer);
    await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve));
    proxy = await startConnectProxy({ hosts: { [`${HOST}:443`]: (site.address() as AddressInfo).port } });
    env = {
      HTTPS_PROXY: `http://${proxy.address}`,
      NO_PROXY: '',
      NODE_EXTRA_CA_CERTS: cert,
      TENON_REGISTRY_URL: ORIGIN,
    };
  });
  afterAll(async () => {
    site.closeAllConnections();
    await new Promise(resolve => site.close(resolve));
    await Promise.all([proxy.close(), project.remove()]);
  });
  beforeEach(() => void proxy.seen.splice(0));

  const listTunnels = () => new Set(proxy.seen.map(({ method, target }) => `${method} ${target}`));
  const expectTunnel = () => expect(listTunnels()).toEqual(new Set([`CONNECT ${HOST}:443`]));

  it('searches a registry through the proxy [cli.search]', async () => {
    const { code, out, err } = await tenon(project.folder, ['search', 'boxed'], env);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('com.example/boxed');
    expectTunnel();
  });

  it('downloads a bundle through the proxy [cli.search]', async () => {
    const { code, out, err } = await tenon(project.folder, ['list', 'com.example/boxed', '--trust', '--json'], env);
    expect({ code, err: err.replace(/^downloading .*\n/m, '') }).toMatchObject({ code: 0 });
    expect(JSON.parse(out).tools.length).toBeGreaterThan(0);
    expect(err).toContain(`downloading ${ORIGIN}/boxed.mcpb`);
    expectTunnel();
  });

  it('reads an OpenAPI document through the proxy, also after a redirect', async () => {
    const args = ['import-openapi', `${ORIGIN}/moved.json`, '--out', 'pub-server.ts'];
    const { code, err } = await tenon(project.folder, args, env);
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(await readFile(project.path('pub-server.ts'), 'utf8')).toContain('listBeers');
    expectTunnel();
  });

  it('runs the conformance suite against a server behind the proxy [cli.conformance]', async () => {
    const folder = 'node_modules/@modelcontextprotocol/conformance';
    await mkdir(project.path(folder), { recursive: true });
    const suite = { name: '@modelcontextprotocol/conformance', version: '1.0.0', bin: { conformance: 'run.js' } };
    await project.write(`${folder}/package.json`, suite);
    await project.write(`${folder}/run.js`, '');
    await tenon(project.folder, ['conformance', `${ORIGIN}/mcp`], env);
    expectTunnel();
    const refused = await tenon(project.folder, ['conformance', 'https://other.example.com/mcp'], env);
    expect(refused).toMatchObject({ code: 4, err: expect.stringContaining('HTTP 403 from the proxy') });
  });

  it('examines a server and its certificate through the proxy [cli.doctor]', async () => {
    const checks = 'connection,transport,tls,authorization';
    const { code, out } = await tenon(project.folder, ['doctor', `${ORIGIN}/mcp`, '--only', checks, '--json'], env);
    const { findings } = JSON.parse(out) as { findings: { id: string; severity: string; title: string }[] };
    expect(findings.filter(({ severity }) => severity === 'problem')).toEqual([]);
    expect(findings.map(({ id }) => id)).not.toContain('transport.incomplete');
    expect(code).toBe(0);
    expectTunnel();
  });

  it.each([[['search', 'boxed']], [['import-openapi', `${ORIGIN}/openapi.json`]]])(
    'names the proxy that refuses the connection: tenon %j',
    async args => {
      const refusing = await startConnectProxy({ hosts: {} });
      const { code, err } = await tenon(project.folder, args, { ...env, HTTPS_PROXY: `http://${refusing.address}` });
      await refusing.close();
      expect({ code, err }).toEqual({ code: 4, err: expect.stringContaining('HTTP 403 from the proxy') });
    },
  );
});
