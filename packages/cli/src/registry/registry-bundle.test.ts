import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createStubContext } from '../host/fixtures/stub-context.js';
import { fetchBundle } from './registry-bundle.js';

const BUNDLE = Buffer.alloc(300_000, 'bundle');
const hash = createHash('sha256').update(BUNDLE).digest('hex');
const registry = createServer((_, response) => response.end(BUNDLE));
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-bundle-'));
  await new Promise<void>(resolve => registry.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  registry.close();
  await rm(folder, { recursive: true, maxRetries: 10 });
});

it('downloads a bundle beside a download that a process with the same id did not finish, and several at once', async () => {
  const { context } = createStubContext(folder, () => undefined);
  const { port } = registry.address() as AddressInfo;
  const transport = { type: 'stdio' };
  const found = { registryType: 'mcpb', transport, identifier: `http://127.0.0.1:${port}/a.mcpb`, fileSha256: hash };
  const bundles = join(folder, 'home', 'state', 'bundles');
  await mkdir(bundles, { recursive: true });
  await writeFile(join(bundles, `.download-${process.pid}-${hash}`), 'part');
  const [path, other] = await Promise.all([fetchBundle(context, found), fetchBundle(context, found)]);
  expect([dirname(path), other]).toEqual([bundles, path]);
  expect(await readFile(path)).toEqual(BUNDLE);
  expect((await readdir(bundles)).sort()).toEqual([`.download-${process.pid}-${hash}`, `${hash}.mcpb`]);
});
