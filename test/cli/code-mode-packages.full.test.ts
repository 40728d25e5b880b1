/** Code mode of the packed command, in a project that has the packages of QuickJS or not. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { connect } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installPackedPackage } from '../../scripts/pack.mjs';
import { readJson, root } from '../../scripts/process.mjs';

const run = promisify(execFile);
const ENGINE = ['quickjs-emscripten-core', '@jitl/quickjs-wasmfile-release-sync'];

describe('code mode of the packed command', () => {
  let project: Awaited<ReturnType<typeof installPackedPackage>>;
  const args = () => [
    join(project.folder, 'node_modules/@tenon/cli/dist/tenon.mjs'),
    ...['gateway', 'mcp.json', '--code-mode', 'default', '--trust', '--json', '--port', '0'],
  ];
  beforeAll(async () => {
    project = await installPackedPackage('cli');
    const server = "import { createServer, tool } from 'tenon';\nimport { serveStdio } from 'tenon/stdio';\n";
    const tools = "{ one: tool({ run: () => '1' }) }";
    await writeFile(
      join(project.folder, 'one.js'),
      `${server}await serveStdio(createServer({ name: 'one', version: '1.0.0', tools: ${tools} }));`,
    );
    const entry = { command: process.execPath, args: [join(project.folder, 'one.js')] };
    await writeFile(join(project.folder, 'mcp.json'), JSON.stringify({ mcpServers: { one: entry } }));
  }, 120_000);
  afterAll(() => project.remove());

  it('names the command that installs the packages that it needs, and starts no server', async () => {
    const failed = await run(process.execPath, args(), { cwd: project.folder }).catch((error: unknown) => error);
    expect(failed).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('code mode needs the package quickjs-emscripten-core, which was not found'),
    });
    expect(failed).toMatchObject({ stderr: expect.stringContaining(`npm install ${ENGINE.join(' ')}`) });
  });

  it('declares the packages as optional peers, so that the installation of the command has none of them', () => {
    const { peerDependencies, peerDependenciesMeta, dependencies } = readJson(
      join(project.folder, 'node_modules/@tenon/cli/package.json'),
    );
    const host = readJson(join(project.folder, 'node_modules/@tenon/host/package.json'));
    for (const name of ENGINE) {
      expect(dependencies).not.toHaveProperty([name]);
      expect(peerDependencies[name]).toBe(host.peerDependencies[name]);
      expect(peerDependenciesMeta[name]).toEqual({ optional: true });
    }
  });

  it('runs a program after they are installed', async () => {
    for (const name of [...ENGINE, '@jitl/quickjs-ffi-types'])
      await cp(join(root, 'node_modules', name), join(project.folder, 'node_modules', name), { recursive: true });
    const gateway = spawn(process.execPath, args(), { cwd: project.folder, stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const [line] = await once(createInterface(gateway.stdout), 'line');
      const client = await connect(JSON.parse(line).url);
      const { content } = await client.callTool('run_program', { program: 'return await tools.one__one()' });
      expect(content).toEqual([{ type: 'text', text: '"1"' }]);
      await client.close();
    } finally {
      const ended = once(gateway, 'exit');
      gateway.kill();
      await ended;
    }
  });
});
