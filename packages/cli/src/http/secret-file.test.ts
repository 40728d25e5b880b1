import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createStubContext } from '../host/fixtures/stub-context.js';
import { readSecretFile } from './secret-file.js';

it.each([
  ['token\n', 'token'],
  ['\n', 'the file is empty'],
  ['é'.repeat(40_000), 'more than 65536 bytes'],
])('reads a file with a secret, within limits of its size', async (content, expected) => {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-secret-'));
  await writeFile(join(folder, 'token'), content, { mode: 0o600 });
  const { context } = createStubContext(folder, () => undefined);
  const reading = readSecretFile(context, 'token', '--token-file');
  if (expected === 'token') expect(await reading).toBe('token');
  else await expect(reading).rejects.toThrow(`--token-file: ${expected}. Pass a file`);
  await expect(readSecretFile(context, 'none', '--token-file')).rejects.toThrow('--token-file: file not found: none');
  await rm(folder, { recursive: true, maxRetries: 10 });
});
