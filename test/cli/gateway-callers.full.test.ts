// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of configurations are written so
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, connect } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitForExit } from '../interop/process.js';
import { isFull, takePart } from '../support/extent.js';
import { buildCommand, projectWith, runTenon, type Serving, serving } from './command.js';

const SERVER = fileURLToPath(new URL('./fixtures/tenant-server.mjs', import.meta.url));

/** Reads the tool result of a server that describes its process. */
async function describeProcess(client: Client, server: string): Promise<Record<string, unknown>> {
  const { content, isError } = await client.callTool(`${server}__describe`);
  const { text } = content[0] as { text: string };
  if (isError) throw new Error(text);
  return JSON.parse(text);
}

const connectAs = (url: string, project: string | undefined, protocolVersion?: string) =>
  connect(
    { url, headers: project === undefined ? {} : { 'X-Project': project } },
    protocolVersion === undefined ? {} : { protocolVersion },
  );

const connected: Client[] = [];

describe.skipIf(process.platform === 'win32')('tenon gateway with servers per caller', () => {
  let project: Awaited<ReturnType<typeof projectWith>>;
  let gateway: Serving;
  const describeFor = async (name: string | undefined, server: string, protocolVersion?: string) => {
    const client = await connectAs(gateway.url, name, protocolVersion);
    connected.push(client);
    return describeProcess(client, server);
  };

  beforeAll(async () => {
    await buildCommand();
    const env = { PROJECT: '${caller:header.x-project}' };
    project = await projectWith({
      project: { command: process.execPath, args: [SERVER, 'PROJECT'], env },
      session: { command: process.execPath, args: [SERVER, 'ID'], env: { ID: '${caller:session:-none}' } },
      boxed: { docker: { image: 'tenant', args: ['PROJECT', 'TOKEN'], env: { ...env, TOKEN: '${SECRET}' } } },
    });
    // A program that records its arguments, and runs the server in place of an image.
    const docker = join(project.folder, 'bin', 'docker');
    await mkdir(join(project.folder, 'bin'));
    const lines = [
      '#!/bin/sh',
      `echo "$*" >> '${project.path('docker.log')}'`,
      'while [ "$1" != tenant ]; do shift; done; shift',
      `exec '${process.execPath}' '${SERVER}' "$@"`,
    ];
    await writeFile(docker, lines.join('\n'));
    await chmod(docker, 0o755);
    gateway = await serving(project.folder, ['gateway', '--trust', '--port', '0', '--json', '--max-per-caller', '6'], {
      PATH: `${join(project.folder, 'bin')}:${process.env.PATH}`,
      SECRET: 'hunter22',
    });
  });
  afterAll(async () => {
    await Promise.all(connected.map(client => client.close()));
    await gateway.end();
    await project.remove();
  });

  it.each(takePart(['2025-11-25', '2026-07-28'], 0, 2))(
    'runs one process for each value of the callers of %s, and none for a caller without a value',
    async version => {
      const shop = await describeFor('shop', 'project', version);
      const blog = await describeFor('blog', 'project', version);
      expect([shop.PROJECT, blog.PROJECT]).toEqual(['shop', 'blog']);
      expect(shop.pid).not.toBe(blog.pid);
      expect(await describeFor('shop', 'project', version)).toEqual(shop);
      await expect(describeFor(undefined, 'project', version)).rejects.toThrow('header.x-project');
    },
  );

  it('gives each session its own process', async () => {
    const [one, two] = await Promise.all(
      ['2025-11-25', '2025-11-25'].map(version => describeFor(undefined, 'session', version)),
    );
    expect(one?.ID).not.toBe(two?.ID);
    expect(one?.pid).not.toBe(two?.pid);
    expect(await describeFor(undefined, 'session', '2026-07-28')).toMatchObject({ ID: 'none' });
  });

  it('runs the container of each value without privileges, and without values in its arguments', async () => {
    const shop = await describeFor('shop', 'boxed');
    expect(shop).toMatchObject({ PROJECT: 'shop', TOKEN: 'hunter22' });
    const log = await readFile(project.path('docker.log'), 'utf8');
    expect(log).toMatch(
      /^run --name tenon-boxed-\w{8} --rm --interactive --init --security-opt no-new-privileges --cap-drop ALL --read-only --tmpfs \S+ --network none --memory 512m --cpus 1 --pids-limit 256 --env PROJECT --env TOKEN tenant PROJECT TOKEN$/m,
    );
    expect(log).not.toMatch(/hunter22|shop/);
  });

  it.runIf(isFull)(
    'limits the processes of a caller, and closes the one that is idle for the longest time',
    async () => {
      const first = await describeFor('p0', 'project');
      for (const name of ['p1', 'p2', 'p3', 'p4', 'p5', 'p6']) await describeFor(name, 'project');
      await waitForExit(Number(first.pid));
      expect((await describeFor('p0', 'project')).pid).not.toBe(first.pid);
    },
  );

  it('never writes the values of callers to its output', async () => {
    await expect(describeFor('secret-project\u0001', 'project')).rejects.toThrow();
    await describeFor('secret-project', 'project');
    expect([gateway.errors(), JSON.stringify(gateway.lines)].join()).not.toContain('secret-project');
  });

  it('reports a server as idle until a caller needs it', async () => {
    expect(await gateway.waitForEvent(({ event, name }) => event === 'server' && name === 'project')).toMatchObject({
      state: 'idle',
    });
  });
});

describe.skipIf(process.platform === 'win32')('a configuration with values that are not known', () => {
  it('uses the default of a value of the caller for a command, and names a value without a default', async () => {
    const project = await projectWith({
      named: { command: process.execPath, args: [SERVER, 'WHO'], env: { WHO: '${caller:user:-nobody}' } },
      unnamed: { command: process.execPath, args: [SERVER], env: { WHO: '${caller:user}' } },
    });
    const { out } = await runTenon(project.folder, ['call', 'named', 'describe', '--trust']);
    expect(out).toContain('"WHO":"nobody"');
    const { code, err } = await runTenon(project.folder, ['call', 'unnamed', 'describe', '--trust']);
    expect([code, err]).toEqual([expect.any(Number), expect.stringContaining('needs the value `user` of its caller')]);
    expect(code).not.toBe(0);
    await project.remove();
  });

  it('takes a secret from a file in the configuration of the user, and not in that of a project', async () => {
    const entry = { command: process.execPath, args: [SERVER, 'TOKEN'], env: { TOKEN: '${file:~/secret}' } };
    const project = await projectWith({ mine: entry });
    const settings = join(project.folder, 'home');
    await mkdir(settings, { recursive: true });
    await writeFile(join(project.folder, 'secret'), 'hunter22\n', { mode: 0o600 });
    const file = join(settings, 'mcp.json');
    const own = { ...entry, env: { TOKEN: `\${file:${join(project.folder, 'secret')}}` } };
    await writeFile(file, JSON.stringify({ mcpServers: { mine: own } }));
    const refused = await runTenon(project.folder, ['call', 'mine', 'describe', '--trust']);
    expect(refused.code).not.toBe(0);
    expect(refused.err).toContain('`${file:…}` in a file that is not your own configuration');
    const { out } = await runTenon(project.folder, ['call', 'mine', 'describe', '--config', file]);
    expect(out).toContain('"TOKEN":"hunter22"');
    await project.remove();
  });
});
