import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFreePort } from '../../packages/tenon/src/stores/fixtures/find-free-port.js';
import { installWithPacked } from '../../scripts/pack.mjs';
import { isFull } from '../support/extent.js';
import { root } from './pages.js';

const example = join(root, 'examples/container');
const TOKEN = 'a-token-of-the-test';

interface Target {
  readonly port: string;
  readonly probe: readonly string[];
  readonly command: readonly string[];
}

const lines = readFileSync(join(example, 'Dockerfile'), 'utf8').split('\n');
const listInstructions = (name: string, from = 'base') => {
  const start = lines.findIndex(line => line.endsWith(` AS ${from}`));
  const length = lines.slice(start + 1).findIndex(line => line.startsWith('FROM '));
  const own = length < 0 ? lines.slice(start) : lines.slice(start, start + 1 + length);
  return own.flatMap(line => (line.startsWith(`${name} `) ? [line.slice(name.length + 1)] : []));
};

const listCopied = (name: string) => listInstructions('COPY', name).flatMap(each => each.split(' ').slice(0, -1));

function readTarget(name: string): Target {
  const [probe = ''] = listInstructions('HEALTHCHECK', name);
  return {
    port: listInstructions('EXPOSE', name)[0] ?? '',
    probe: JSON.parse(probe.slice(probe.indexOf('['))),
    command: JSON.parse(listInstructions('CMD', name)[0] ?? ''),
  };
}

describe('the Dockerfile of examples/container', () => {
  it('starts from node:22-slim, runs as a non-root user, and uses no secrets of the build', () => {
    expect(lines.filter(line => line.startsWith('FROM '))).toEqual([
      'FROM node:22-slim AS base',
      'FROM base AS server',
      'FROM base AS gateway',
    ]);
    expect(listInstructions('USER')).toEqual(['node']);
    expect(lines.filter(line => /^ARG |--mount|TOKEN=|KEY=|PASSWORD/i.test(line))).toEqual([]);
    expect(listInstructions('RUN')[0]).toMatch(/^npm ci --omit=dev /);
  });

  it('copies files that exist, and the ignored files are not among them', () => {
    const copied = ['base', 'server', 'gateway'].flatMap(listCopied);
    // `npm install` writes the lock file.
    expect(copied.filter(file => file !== 'package-lock.json' && !existsSync(join(example, file)))).toEqual([]);
    const ignored = readFileSync(join(example, '.dockerignore'), 'utf8').trim().split('\n');
    expect(copied.filter(file => ignored.includes(file))).toEqual([]);
    expect(ignored).toContain('seal-keys');
  });
});

describe.runIf(isFull)('the container images', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-container-'));
  const env: Record<string, string> = { PATH: process.env.PATH ?? '', HOME: join(folder, 'home'), MCP_TOKEN: TOKEN };
  let child: ChildProcess | undefined;

  beforeAll(async () => {
    for (const [key = '', value = ''] of listInstructions('ENV').map(each => each.split('='))) env[key] = value;
    const copied = ['server', 'gateway'].flatMap(listCopied);
    for (const file of ['package.json', ...copied]) cpSync(join(example, file), join(folder, file));
    // Writes the lock file, with the packages of this checkout.
    await installWithPacked(folder, ['tenon', 'cli']);
    rmSync(join(folder, 'node_modules'), { recursive: true, maxRetries: 10 });
    // The user `node` exists in the image only.
    mkdirSync(join(folder, 'home'));
    writeFileSync(join(folder, 'home/chown'), '#!/bin/sh\n[ "$1" = node:node ] && [ -e "$2" ]\n', { mode: 0o755 });
    for (const run of listInstructions('RUN')) {
      const { status, stderr } = spawnSync('sh', ['-c', run], {
        cwd: folder,
        env: { ...env, PATH: `${folder}/home:${env.PATH}`, npm_config_offline: 'true' },
        encoding: 'utf8',
      });
      expect({ run, status, stderr }).toMatchObject({ status: 0 });
    }
    writeFileSync(join(folder, 'secrets/seal-keys'), `a:${Buffer.alloc(32, 1).toString('base64')}\n`, { mode: 0o400 });
  }, 120_000);
  afterAll(() => {
    child?.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });

  it.each([
    ['server', 'time'],
    ['gateway', 'notes__time'],
  ])(
    'become healthy after the start, serve callers with the token, and exit with 0 on SIGTERM: %s',
    async (name, tool) => {
      const { port, probe, command } = readTarget(name);
      const free = String(await findFreePort());
      const probeAt = (text: string) => probe.map(each => each.replace(`:${port}/`, `:${text}/`));
      const check = async () => {
        const [program = '', ...args] = probeAt(free);
        const [code] = await once(spawn(program, args, { cwd: folder, env }), 'exit');
        return code;
      };
      expect(probeAt(free)).not.toEqual(probe);
      expect(await check()).toBe(1);
      const [program = '', ...args] = command;
      child = spawn(join(folder, program), [...args, '--port', free], {
        cwd: folder,
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = once(child, 'exit');
      const lines: string[] = [];
      await new Promise<void>((resolve, reject) => {
        child?.stdout?.setEncoding('utf8').on('data', text => {
          lines.push(text);
          if (lines.join('').includes('"listening"')) resolve();
        });
        child?.once('exit', code => reject(new Error(`ended with ${code}`)));
      });
      expect(await check()).toBe(0);
      const url = `http://127.0.0.1:${free}/mcp`;
      expect((await fetch(url, { method: 'POST' })).status).toBe(401);
      const client = await connect({ url, auth: TOKEN });
      const { content } = await client.callTool(tool);
      expect(content).toEqual([{ type: 'text', text: expect.stringMatching(/^\d{4}-/) }]);
      await client.close();
      child.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
      expect(existsSync(join(folder, 'data/state.db'))).toBe(true);
    },
    60_000,
  );
});
