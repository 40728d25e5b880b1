import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { connect } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exitCodes } from '../../packages/cli/src/exit-codes.js';
import { run } from '../../packages/cli/src/program.js';
import { createScreen } from '../../packages/cli/src/screen.js';
import { createTerminal } from '../../packages/cli/src/terminal.js';
import { bin } from '../../scripts/process.mjs';
import { isFull, takePart } from '../support/extent.js';

const server = fileURLToPath(new URL('fixtures/hostile-server.mjs', import.meta.url));
const cache = fileURLToPath(new URL('../../.cache/', import.meta.url));
/** Characters that must not reach a file or a terminal as they are. Joiners and selectors of emoji are no part of it. */
const RAW = /[\0-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u;
/** Sequence by which the command itself replaces its last line. */
const OWN_SEQUENCE = /\r\u001b\[2K/g;

let folder = '';
let pwned = '';
beforeAll(async () => {
  await mkdir(cache, { recursive: true });
  // Inside the repository, generated programs find the library.
  folder = await mkdtemp(join(cache, 'hostile-'));
  pwned = join(folder, 'pwned');
  process.env.PWNED = pwned;
  await writeFile(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: {} }));
});
afterAll(async () => {
  delete process.env.PWNED;
  await rm(folder, { recursive: true, maxRetries: 10 });
});

/** Runs the command as on a terminal. Returns its output. */
async function runOnScreen(args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const texts = { out: '', err: '' };
  const createOutput = (name: keyof typeof texts) => ({
    isTTY: true,
    columns: 200,
    write: (text: string | Uint8Array) => (texts[name] += typeof text === 'string' ? text : Buffer.from(text)),
  });
  const screen = createScreen(createOutput('out'), createOutput('err'), { noColor: true });
  const home = join(folder, 'home');
  const env = { PATH: process.env.PATH ?? '', HOME: home, USERPROFILE: home, TENON_HOME: home, PWNED: pwned };
  const terminal = createTerminal(new PassThrough(), new PassThrough(), screen);
  const code = await run(args, { screen, terminal, env, cwd: folder, code: exitCodes.success });
  return { code, ...texts };
}

const start = (command: string, args: readonly string[]) =>
  new Promise<{ code: unknown; out: string }>(resolve => {
    execFile(command, [...args], { cwd: folder, env: { ...process.env, PWNED: pwned } }, (error, out, err) =>
      resolve({ code: error ? error.code : 0, out: out + err }),
    );
  });

const target = ['--pass', 'PWNED', '--', process.execPath, server];

function checkText(text: string): void {
  expect(text.replace(OWN_SEQUENCE, '')).not.toMatch(RAW);
}

async function checkFile(name: string): Promise<string> {
  const text = await readFile(join(folder, name), 'utf8');
  checkText(text);
  return text;
}

describe('texts of a hostile server', () => {
  it.each(
    takePart(
      [
        ['list', '--schema'],
        ['list', '--json'],
        ['call', 'good'],
        ['call', 'good', '--json'],
        ['call', 'good', '--verbose', '--wire', 'call.ndjson'],
        ['call', 'fail'],
        ['call', 'fail', '--json'],
        ['call', 'refuse'],
        ['call', 'refuse', '--json', '--verbose'],
        ['call', 'unknown'],
        ['read', 'note://a'],
        ['read', 'note://a', '--json'],
        ['prompt', 'a'],
        ['prompt', '__proto__'],
        ['types'],
        ['generate', 'cli'],
        ['doctor', '--all'],
        ['doctor', '--json', '--junit', 'doctor.xml'],
        ['skills', 'list'],
        ['tasks'],
      ],
      1,
      3,
    ),
  )('reach the terminal only as visible text: tenon %s %s %s', async (...words) => {
    const { out, err } = await runOnScreen([...words, ...target]);
    expect(out + err).not.toBe('');
    checkText(out);
    checkText(err);
    for (const file of words) if (/\.(ndjson|xml)$/.test(file)) await checkFile(file);
    expect(existsSync(pwned)).toBe(false);
  });

  it('execute nothing in generated types', async () => {
    expect(await runOnScreen(['types', '--out', 'types.d.ts', ...target])).toMatchObject({ code: 0 });
    const types = await checkFile('types.d.ts');
    // Declarations are not run, so the same text becomes a module.
    await writeFile(join(folder, 'types.ts'), types);
    const options = '--ignoreConfig --noEmit --strict --exactOptionalPropertyTypes --skipLibCheck --target es2022';
    const compiled = await start(process.execPath, [bin('typescript'), ...options.split(' '), 'types.ts']);
    expect(compiled).toEqual({ code: 0, out: '' });
    const imported = await start(process.execPath, ['--import', 'tsx', '-e', 'await import("./types.ts")']);
    expect(imported).toEqual({ code: 0, out: '' });
    expect(existsSync(pwned)).toBe(false);
  });

  it.runIf(isFull)('execute nothing in a generated command', async () => {
    expect(await runOnScreen(['generate', 'cli', '--out', 'cli.mjs', ...target])).toMatchObject({ code: 0 });
    await checkFile('cli.mjs');
    for (const args of [
      ['--help'],
      ['good'],
      ['good', '--json'],
      ['fail'],
      ['refuse'],
      ['--version'],
      ['ts-expect-error', '--help'],
    ]) {
      const { out } = await start(process.execPath, ['cli.mjs', ...args]);
      expect(out).not.toBe('');
      // A pipe gets the result of a tool unchanged.
      if (args[0] !== 'good' || args.length > 1) checkText(out.replace(/^[^{]*\n(?=\{)/, ''));
    }
    expect(existsSync(pwned)).toBe(false);
  });

  it('stay inside the entries of hosts', async () => {
    const text = await connect({ command: process.execPath, args: [server] }).then(async client => {
      const { info } = client.server;
      await client.close();
      return info?.name ?? '';
    });
    for (const host of ['cursor', 'codex', 'goose', 'continue']) {
      const { code, out, err } = await runOnScreen([
        'add',
        'notes',
        '--host',
        host,
        '--env',
        `A=${text}`,
        '--json',
        '--',
        'node',
        text,
      ]);
      expect([code, host, err]).toEqual([0, host, '']);
      checkText(out);
      const [{ file }] = JSON.parse(out).changes;
      expect(file).toContain(folder);
      const written = await readFile(file, 'utf8');
      checkText(written);
      expect(written).not.toMatch(/^\[mcp_servers\.evil\]|^\s*evil:/m);
    }
  });

  it('leave no raw character in any file', async () => {
    const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter(each => each.isFile());
    for (const { name, parentPath } of files)
      if (/\.(json|ndjson|ts|mjs|xml|toml|yaml)$/.test(name)) checkText(await readFile(join(parentPath, name), 'utf8'));
    expect(files.length).toBeGreaterThan(4);
  });
});
