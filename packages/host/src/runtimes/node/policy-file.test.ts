import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readPolicyFile } from './policy-file.js';

it('reads a policy with a byte order mark, and names a path that it cannot read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'policy-'));
  onTestFinished(() => rm(folder, { recursive: true, maxRetries: 10 }));
  const file = join(folder, 'policy.json');
  await writeFile(file, '\ufeff{ "rules": [{ "allow": "notes/*" }] }');
  expect((await readPolicyFile(file)).rules).toHaveLength(1);
  await expect(readPolicyFile(folder)).rejects.toThrow(`cannot read the policy ${folder}. Expected a policy file, got`);
});
