import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bin } from '../../scripts/process.mjs';
import { isFull } from '../support/extent.js';
import { buildCommand, EVERYTHING, projectWith, runTenon } from './command.js';
import { serveKitchen } from './fixtures/kitchen.js';

const cache = fileURLToPath(new URL('../../.cache/', import.meta.url));

/** Server with a tool that shows its arguments and variables, and one that a gateway denies. */
const SERVER = `
import { createServer, tool, toolResult } from 'tenon';
import { serveStdio } from 'tenon/stdio';
const { API_KEY: key, MODE: mode } = process.env;
const show = tool({ run: () => JSON.stringify({ args: process.argv.slice(2), key, mode }) });
const denied = tool({ run: () => toolResult({ content: [], isError: true, _meta: { 'dev.tenon/policy': 'denied' } }) });
serveStdio(createServer({ name: 'started', version: '1.0.0', tools: { show, denied } }));
`;

describe('tenon generate cli', () => {
  let project: Awaited<ReturnType<typeof projectWith>>;
  let kitchen: Awaited<ReturnType<typeof serveKitchen>>;
  /** Inside the repository, the program finds the package. */
  let folder = '';
  let started = '';
  beforeAll(async () => {
    await buildCommand();
    project = await projectWith({});
    kitchen = await serveKitchen();
    await mkdir(cache, { recursive: true });
    folder = await mkdtemp(join(cache, 'generate-'));
    started = join(folder, 'server.mjs');
    await writeFile(started, SERVER);
  });
  afterAll(() => Promise.all([project.remove(), kitchen.close(), rm(folder, { recursive: true, maxRetries: 10 })]));
  const generate = (...args: string[]) => runTenon(project.folder, ['generate', 'cli', ...args]);
  const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    new Promise<{ code: unknown; out: string; err: string }>(resolve => {
      execFile(process.execPath, [...args], { env: { ...process.env, ...env } }, (error, out, err) =>
        resolve({ code: error ? error.code : 0, out, err }),
      );
    });

  it('writes a program that compiles, and calls the tools of the server [cli.gen-cli]', async () => {
    const file = join(folder, 'kitchen.mjs');
    expect(await generate(kitchen.url, '--out', file)).toMatchObject({ code: 0, out: '' });
    const options = '--ignoreConfig --noEmit --allowJs --checkJs --strict --exactOptionalPropertyTypes --skipLibCheck';
    const target = '--noUncheckedIndexedAccess --target es2022 --module nodenext --types node';
    const compiled = start([bin('typescript'), ...`${options} ${target}`.split(' '), file]);
    const cook = (...args: string[]) => start([file, ...args]);
    const values = join(folder, 'values.json');
    await writeFile(values, '\uFEFF{"a":1,"b":2}');
    const insecure = 'http://a:b@127.0.0.1:9/mcp';
    const [help, echo, sum, shown, json, failed, missing, invalid, unreachable, refused, same] = await Promise.all([
      cook('echo', '--help'),
      cook('echo', '--message', 'hi', '--times', '2', '--tags', 'x', '--tags', 'y'),
      cook('sum', '--a', '1', '--b=2.5'),
      cook('show', '--value', '{"a":[1]}'),
      cook('sum', '--input', `@${values}`, '--json'),
      cook('fail'),
      cook('sum', '--a', '1'),
      cook('sum', '--a', '1', '--b', 'x'),
      start([file, 'fail'], { KITCHEN_URL: 'http://127.0.0.1:9/mcp' }),
      start([file, 'fail'], { KITCHEN_URL: insecure }),
      runTenon(project.folder, ['call', insecure, 'fail']),
    ]);
    expect(refused?.code).toBe(same.code);
    expect(help).toMatchObject({
      code: 0,
      out: expect.stringMatching(/Repeats a message[\s\S]*--tags STRING… +\(repeatable/),
    });
    expect(echo).toEqual({ code: 0, out: 'hi hi x y\n', err: '' });
    expect(JSON.parse(sum?.out ?? '')).toEqual({ total: 3.5 });
    expect(shown).toMatchObject({ code: 0, out: '{"a":[1]}\n' });
    expect(JSON.parse(json?.out ?? '')).toMatchObject({ structuredContent: { total: 3 } });
    expect(failed).toEqual({ code: 5, out: '', err: 'The oven is cold.\n' });
    expect(missing).toMatchObject({ code: 2, err: 'kitchen: --b is required (see --help)\n' });
    expect(invalid).toMatchObject({ code: 2, err: expect.stringContaining('expected number, got "x"') });
    expect(unreachable?.code).toBe(4);
    expect(await compiled).toEqual({ code: 0, out: '', err: '' });
  });

  it.runIf(isFull)('checks a file in CI, and refuses a target with a secret', async () => {
    expect((await generate(kitchen.url, '--out', 'a.mjs')).code).toBe(0);
    expect((await generate(kitchen.url, '--out', 'a.mjs', '--check')).code).toBe(0);
    await writeFile(project.path('a.mjs'), (await readFile(project.path('a.mjs'), 'utf8')).replace('Repeats', 'Says'));
    const { code, out } = await generate(kitchen.url, '--out', 'a.mjs', '--check', '--json');
    expect({ code, out: JSON.parse(out) }).toEqual({
      code: 7,
      out: { file: 'a.mjs', matches: false, difference: expect.stringContaining('-    description: "Says a message"') },
    });
    expect(await generate(kitchen.url, '--check')).toMatchObject({ code: 2 });
    expect(await generate(kitchen.url, '--out', 'a.ts')).toMatchObject({ code: 2 });
    expect(await generate(`${kitchen.url}?key=secret`)).toMatchObject({ code: 2, out: '' });
  });

  it('keeps variables of a configured server as variables, and refuses secrets and folders', async () => {
    const [NAME, KEY] = ['$' + '{KITCHEN_NAME}', '$' + '{KITCHEN_KEY}'];
    const server = {
      command: process.execPath,
      args: [started, `--name=${NAME}`],
      env: { API_KEY: KEY, MODE: 'fast' },
    };
    await project.write('servers.json', {
      mcpServers: {
        good: server,
        secret: { ...server, env: { API_KEY: 'hunter2hunter2' } },
        folder: { ...server, cwd: project.folder },
        input: { ...server, args: [started, '--name=$' + '{KITCHEN_NAME:-x}'] },
        remote: { url: kitchen.url, headers: { 'x-api-key': KEY } },
      },
    });
    const env = { KITCHEN_NAME: 'stove', KITCHEN_KEY: 's3cr3t' };
    const write = (name: string) =>
      runTenon(project.folder, ['generate', 'cli', name, '--trust', '--config', 'servers.json'], env);
    const [good, secret, cwd, input, remote] = await Promise.all(
      ['good', 'secret', 'folder', 'input', 'remote'].map(write),
    );
    expect(good).toMatchObject({ code: 0 });
    for (const part of ['stove', 's3cr3t']) expect(good?.out + (remote?.out ?? '')).not.toContain(part);
    expect(good?.out).toContain('["API_KEY"]: process.env["KITCHEN_KEY"]');
    expect(remote?.out).toContain('["x-api-key"]: process.env["KITCHEN_KEY"]');
    expect(secret).toMatchObject({ code: 2, out: '', err: expect.stringContaining('env.API_KEY may be secret') });
    expect(cwd).toMatchObject({ code: 2, out: '', err: expect.stringContaining('working directory') });
    expect(input).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('only variables of the environment'),
    });
    const file = join(folder, 'configured.mjs');
    await writeFile(file, good?.out ?? '');
    const [shown, unset] = await Promise.all([
      start([file, 'show'], { KITCHEN_NAME: 'stove', KITCHEN_KEY: 's3cr3t' }),
      start([file, 'show']),
    ]);
    expect(JSON.parse(shown?.out ?? '')).toEqual({ args: ['--name=stove'], key: 's3cr3t', mode: 'fast' });
    expect(unset).toMatchObject({ code: 2, err: expect.stringContaining('KITCHEN_NAME is not set') });
  });

  it('refuses secrets in a command, and warns for a server file', async () => {
    const command = ['--', process.execPath, started, '--api-key', 'hunter2hunter2'];
    expect(await generate(...command)).toMatchObject({ code: 2, out: '' });
    const file = await generate(started);
    expect(file).toMatchObject({ code: 0, err: expect.stringContaining('works on this machine only') });
  });

  it.runIf(isFull)('exits with 6 for a denied call, and on Ctrl-C before the server responds', async () => {
    const file = join(folder, 'waits.mjs');
    await writeFile(file, (await generate('--', process.execPath, started)).out);
    expect(await start([file, 'denied'])).toMatchObject({ code: 6 });
    const mark = join(folder, 'server-has-started');
    const program = `require('node:fs').writeFileSync(${JSON.stringify(mark)}, ''); setInterval(() => 0, 1000)`;
    const silent = (await readFile(file, 'utf8')).replace(
      JSON.stringify(started),
      () => `"-e", ${JSON.stringify(program)}`,
    );
    await writeFile(join(folder, 'silent.mjs'), silent);
    const child = spawn(process.execPath, [join(folder, 'silent.mjs'), 'show'], { stdio: 'ignore' });
    const ended = once(child, 'exit');
    await expect.poll(() => existsSync(mark)).toBe(true);
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
  });

  it.runIf(isFull)('writes a program for an official server that it starts', async () => {
    const file = join(folder, 'everything.mjs');
    expect((await generate('--out', file, '--', ...EVERYTHING)).code).toBe(0);
    expect(await start([file, 'get-sum', '--a', '2', '--b', '3'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('5'),
    });
  });
});
