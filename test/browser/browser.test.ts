import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';

const script = (name: string) => fileURLToPath(new URL(`../../scripts/${name}`, import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-browser-test-'));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

/** Runs a script with the temporary folder as PATH; rejects when it exits with anything but 0. */
async function run(args: readonly string[], env: Record<string, string>): Promise<string> {
  const { TENON_CHROMIUM: _, TENON_NO_BROWSER: __, TENON_HIDE_PROGRAMS: ___, ...rest } = process.env;
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...rest, PATH: folder, ...env } });
  return stdout.trimEnd();
}

async function addCommand(name: string, exitCode: number): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, `#!/bin/sh\nexit ${exitCode}\n`, { mode: 0o755 });
  return path;
}

it('uses the first command on PATH that starts', async () => {
  await addCommand('chromium', 1);
  const working = await addCommand('chromium-browser', 0);
  expect(await run([script('browser.mjs')], {})).toBe(working);
});

it('uses the executable that TENON_CHROMIUM names', async () => {
  const working = await addCommand('my-browser', 0);
  expect(await run([script('browser.mjs')], { TENON_CHROMIUM: working })).toBe(working);
});

it('installs nothing when the executable that TENON_CHROMIUM names does not start', async () => {
  const broken = await addCommand('my-browser', 1);
  expect(await run([script('browser.mjs')], { TENON_CHROMIUM: broken })).toBe(
    `SKIPPED: no browser. TENON_CHROMIUM: ${broken} does not start.`,
  );
});

it('finds no browser while programs are hidden', async () => {
  const working = await addCommand('my-browser', 0);
  const env = { TENON_CHROMIUM: working, TENON_HIDE_PROGRAMS: '1' };
  expect(await run([script('browser.mjs')], env)).toBe('SKIPPED: no browser. TENON_HIDE_PROGRAMS is set.');
});

it('counts the browser step as skipped, not as failed, when there is no browser', async () => {
  const output = await run([script('test.mjs'), 'browser'], { TENON_NO_BROWSER: '1' });
  expect(output).toContain('SKIPPED: no browser. TENON_NO_BROWSER is set.');
  expect(output).toContain('A browser for the tests: skipped');
  expect(output.split('\n').at(-1)).toBe('0 passed, 0 failed');
});
