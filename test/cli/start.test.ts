import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createServer, tool } from 'tenon';
import { type HttpServer, serveHttp } from 'tenon/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectWith } from './command.js';

/** The command as it is published: `npm run build` writes it. */
const program = fileURLToPath(new URL('../../packages/cli/dist/tenon.mjs', import.meta.url));
const newerNode = fileURLToPath(new URL('../runtimes/node_modules/.bin/node', import.meta.url));
let project: Awaited<ReturnType<typeof projectWith>>;
let remote: HttpServer;
beforeAll(async () => {
  project = await projectWith({});
  remote = await serveHttp(
    createServer({ name: 'remote', version: '1.0.0', tools: { ping: tool({ run: () => 'pong' }) } }),
    { port: 0 },
  );
});
afterAll(async () => {
  await remote.close();
  await project.remove();
});

async function start(args: readonly string[], env: Readonly<Record<string, string>>, node = process.execPath) {
  const own = { PATH: process.env.PATH ?? '', TENON_HOME: project.path('home'), ...env };
  const child = spawn(node, [program, ...args], { cwd: project.folder, env: own, stdio: 'pipe' });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', text => (output += text));
  const [code] = await once(child, 'close');
  expect(code, output).toBe(0);
}

/** Paths of the files that a command loads, as V8 reports them. */
async function listLoadedFiles(name: string, args: readonly string[]): Promise<string[]> {
  const folder = project.path(`coverage-${name}`);
  await start(args, { NODE_V8_COVERAGE: folder, NODE_DISABLE_COMPILE_CACHE: '1' });
  const reports = readdirSync(folder).map(file => JSON.parse(readFileSync(join(folder, file), 'utf8')));
  const urls: string[] = reports.flatMap(({ result }) => result.map(({ url }: { url: string }) => url));
  return urls.filter(url => url.startsWith('file:'));
}

describe('the start of the command', () => {
  it('loads neither the library nor the parser of arguments for --version [cli.start]', async () => {
    const files = await listLoadedFiles('version', ['--version']);
    expect(files.filter(file => /node_modules|packages\/tenon/.test(file))).toEqual([]);
    expect(files.length).toBeLessThan(13);
  });

  it('loads no command for --help [cli.start]', async () => {
    const files = await listLoadedFiles('help', ['--help']);
    expect(files.filter(file => /packages\/tenon|parts\/(list|call|gateway)-/.test(file))).toEqual([]);
  });

  it('loads the client only for a call over HTTP [cli.start]', async () => {
    const files = await listLoadedFiles('call', ['call', remote.url, 'ping', '--no-input']);
    const unneeded =
      /dist\/esm\/(host|auth|sqlite|redis|postgres|telemetry)|sign-in|libsql|zod|yaml|parser|diff|yauzl|clack/;
    expect(files.filter(file => unneeded.test(file))).toEqual([]);
    expect(files.length).toBeLessThan(75);
  });

  it.skipIf(!existsSync(newerNode))(
    'keeps compiled code where Node can, and needs no folder for it [cli.start]',
    async () => {
      await start(['--version'], { TENON_HOME: project.path('compiled-home') }, newerNode);
      expect(readdirSync(project.path('compiled-home/cache/compiled'))).not.toEqual([]);
      await project.write('file', '');
      await start(['--version'], { TENON_HOME: project.path('file/home') }, newerNode);
    },
  );
});
