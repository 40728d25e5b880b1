import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TenonError } from 'tenon';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createStubContext } from '../host/fixtures/stub-context.js';
import { readSealKeys } from './seal-keys.js';

const encode = (byte: number) => Buffer.alloc(32, byte).toString('base64');
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-keys-'));
});
afterAll(() => rm(folder, { recursive: true, maxRetries: 10 }));

async function read(text: string, mode = 0o600, options: object = { keysFile: 'keys' }) {
  const { context, notes } = createStubContext(folder, () => undefined);
  await rm(join(folder, 'keys'), { force: true });
  await writeFile(join(folder, 'keys'), text, { mode });
  const keys = await readSealKeys({ ...context, env: { ...context.env, KEYS: `env:${encode(9)}` } }, options);
  return { keys: keys?.map(({ id, key }) => `${id} ${key[0]} ${key.length}`), notes };
}

async function readFailure(...args: Parameters<typeof read>): Promise<string> {
  const error = await read(...args).catch((thrown: unknown) => thrown);
  if (!TenonError.is(error)) throw new Error('no TenonError was thrown');
  expect(error.code).toBe('cli/usage');
  for (const byte of [1, 2, 3]) expect(JSON.stringify(error) + error.message).not.toContain(encode(byte).slice(0, 20));
  return error.message;
}

it('reads keys of a file in their order, without comments and empty lines', async () => {
  const text = `\uFEFF# keys of shop\r\n\r\n  new:${encode(1)}  \r\n#old:${encode(3)}\n\told:${encode(2)}\n\n`;
  expect(await read(text)).toEqual({ keys: ['new 1 32', 'old 2 32'], notes: [] });
});

it.each([
  ['a short key', `a:${encode(1)}\n\nb:${encode(2).slice(0, 40)}`, 'invalid key in line 3 of keys'],
  ['a key without an id', encode(1), 'invalid key in line 1 of keys'],
  ['two keys in one line', `a:${encode(1)},b:${encode(2)}`, 'invalid key in line 1 of keys'],
  ['an id twice', `# first\na:${encode(1)}\na:${encode(2)}`, 'invalid key in line 3 of keys'],
  ['only comments', `# a:${encode(1)}\n`, 'no keys in keys'],
  ['nothing', '', 'the file is empty'],
])('refuses a file with %s, and shows no part of a key', async (_, text, message) => {
  expect(await readFailure(text)).toContain(`--keys-file: ${message}`);
});

it.skipIf(process.platform === 'win32').each(['604', '644', '660', '602'])(
  'refuses a file with mode %s, because other users have access',
  async mode => {
    const mask = process.umask(0);
    try {
      const message = await readFailure(`a:${encode(1)}`, Number.parseInt(mode, 8));
      expect(message).toContain(`--keys-file: other users have access to keys: mode 0${mode}`);
      expect(message).toContain('chmod 600 keys');
    } finally {
      process.umask(mask);
    }
  },
);

it('reads a file that its group can read, as pods and systemd provide secrets', async () => {
  expect(await read(`a:${encode(1)}`, 0o440)).toEqual({ keys: ['a 1 32'], notes: [] });
});

it('refuses two sources of keys, a missing file, and standard input', async () => {
  const text = `a:${encode(1)}`;
  const both = { keysFile: 'keys', keysEnv: 'KEYS' };
  expect(await readFailure(text, 0o600, both)).toContain('--keys-env and --keys-file exclude each other');
  expect(await readFailure(text, 0o600, { keysFile: 'none' })).toContain('--keys-file: file not found: none');
  expect(await readFailure(text, 0o600, { keysFile: '-' })).toContain('standard input is not accepted');
  expect((await read(text, 0o600, { keysEnv: 'KEYS' })).keys).toEqual(['env 9 32']);
  expect((await read(text, 0o600, {})).keys).toBeUndefined();
});
