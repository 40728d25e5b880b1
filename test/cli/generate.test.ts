import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bin } from '../../scripts/process.mjs';
import { isFull } from '../support/extent.js';
import { buildCommand, EVERYTHING, projectWith, tenon } from './command.js';
import { serveKitchen } from './fixtures/kitchen.js';

const cache = fileURLToPath(new URL('../../.cache/', import.meta.url));

describe('tenon generate cli', () => {
  let project: Awaited<ReturnType<typeof projectWith>>;
  let kitchen: Awaited<ReturnType<typeof serveKitchen>>;
  /** Inside the repository, the program finds the package. */
  let folder = '';
  let clear = async () => {};
  beforeAll(async () => {
    clear = await buildCommand();
    project = await projectWith({});
    kitchen = await serveKitchen();
    await mkdir(cache, { recursive: true });
    folder = await mkdtemp(join(cache, 'generate-'));
  });
  afterAll(() => Promise.all([project.remove(), kitchen.close(), rm(folder, { recursive: true }), clear()]));
  const generate = (...args: string[]) => tenon(project.folder, ['generate', 'cli', ...args]);
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
    const [help, echo, sum, shown, json, failed, missing, invalid, unreachable] = await Promise.all([
      cook('echo', '--help'),
      cook('echo', '--message', 'hi', '--times', '2', '--tags', 'x', '--tags', 'y'),
      cook('sum', '--a', '1', '--b=2.5'),
      cook('show', '--value', '{"a":[1]}'),
      cook('sum', '--input', '{"a":1,"b":2}', '--json'),
      cook('fail'),
      cook('sum', '--a', '1'),
      cook('sum', '--a', '1', '--b', 'x'),
      start([file, 'fail'], { KITCHEN_URL: 'http://127.0.0.1:9/mcp' }),
    ]);
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

  it('checks a file in CI, and refuses a target with a secret', async () => {
    expect((await generate(kitchen.url, '--out', 'a.mjs')).code).toBe(0);
    expect((await generate(kitchen.url, '--out', 'a.mjs', '--check')).code).toBe(0);
    await writeFile(project.path('a.mjs'), (await readFile(project.path('a.mjs'), 'utf8')).replace('Repeats', 'Says'));
    const { code, out } = await generate(kitchen.url, '--out', 'a.mjs', '--check', '--json');
    expect({ code, out: JSON.parse(out) }).toEqual({ code: 7, out: { file: 'a.mjs', matches: false } });
    expect(await generate(kitchen.url, '--check')).toMatchObject({ code: 2 });
    expect(await generate(kitchen.url, '--out', 'a.ts')).toMatchObject({ code: 2 });
    expect(await generate(`${kitchen.url}?key=secret`)).toMatchObject({ code: 2, out: '' });
  });

  it.runIf(isFull)('writes a program for an official server that is started', async () => {
    const file = join(folder, 'everything.mjs');
    expect((await generate('--out', file, '--', ...EVERYTHING)).code).toBe(0);
    expect(await start([file, 'get-sum', '--a', '2', '--b', '3'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('5'),
    });
  });
});
