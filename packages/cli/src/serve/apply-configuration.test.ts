import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyConfiguration } from './apply-configuration.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-configuration-'));
});
afterAll(() => rm(folder, { recursive: true }));

it('reads a file with a byte order mark', async () => {
  const file = join(folder, 'serve.json');
  await writeFile(file, '\uFEFF{"server":"a.mjs","port":3000}');
  const command = new Command().option('--port <port>');
  expect(applyConfiguration(command, file)).toBe('a.mjs');
  expect(command.opts()).toEqual({ port: '3000' });
});

it('refuses a file that is not UTF-8', async () => {
  const file = join(folder, 'latin.json');
  await writeFile(file, Buffer.from('{"server":"caf\xe9.mjs"}', 'latin1'));
  expect(() => applyConfiguration(new Command(), file)).toThrow('the file cannot be read');
});
