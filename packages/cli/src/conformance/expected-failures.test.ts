import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readExpectedFailures } from './expected-failures.js';

it.each([
  ['server: [a]\nclient: [b, c]\n', { server: ['a'], client: ['b', 'c'] }],
  ['', { server: [], client: [] }],
  ['- a\n- b\n', undefined],
  ['server: a\n', undefined],
  ['a', undefined],
])('reads lists of scenarios, and refuses other content: %j', async (text, expected) => {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-baseline-'));
  const path = join(folder, 'known.yaml');
  await writeFile(path, text);
  const reading = readExpectedFailures(path);
  if (expected) expect(await reading).toEqual(expected);
  else await expect(reading).rejects.toMatchObject({ code: 'cli/usage', hint: expect.stringContaining('"server"') });
  await rm(folder, { recursive: true, maxRetries: 10 });
});
