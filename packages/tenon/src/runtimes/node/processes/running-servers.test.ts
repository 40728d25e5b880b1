import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connectTo } from '../../../client/connect.js';
import { nodeTransports } from '../transports.js';
import { stopServerProcesses } from './running-servers.js';

it('starts no server again while all are being stopped', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-stop-'));
  const file = join(folder, 'starts');
  const program = `require('node:fs').appendFileSync(${JSON.stringify(file)}, 'started '); process.stdin.resume().on('end', () => process.exit());`;
  const endpoint = nodeTransports.createStdio({ command: process.execPath, args: ['-e', program] });
  const connecting = expect(connectTo(endpoint)).rejects.toMatchObject({ name: 'TenonError' });
  await expect.poll(() => existsSync(file)).toBe(true);
  await stopServerProcesses();
  await connecting;
  expect(readFileSync(file, 'utf8')).toBe('started ');
  await rm(folder, { recursive: true, maxRetries: 10 });
});
