import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runDoctor } from './run-doctor.js';

/** Server that writes a banner to standard output, and ignores the end of its input. */
const NOISY = `
console.log('Server started!');
console.error('listening');
setInterval(() => {}, 1000);
require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const send = body => console.log(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
  if (method === 'initialize')
    send({ result: { protocolVersion: params.protocolVersion, capabilities: {}, serverInfo: { name: 'noisy', version: '1' } } });
  else send({ error: { code: -32601, message: 'Method not found' } });
});
`;

describe('the examination of a process', () => {
  it('finds other output on stdout, output on stderr, and a process that does not exit [cli.doctor]', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tenon-doctor-'));
    const file = join(folder, 'noisy.cjs');
    await writeFile(file, NOISY);
    const target = { command: process.execPath, args: [file] };
    const { findings, exit } = await runDoctor(target, 'noisy', { only: ['stdio'], protocolVersion: '2025-06-18' });
    await rm(folder, { recursive: true, maxRetries: 10 });
    expect(findings.map(({ id, severity }) => `${severity} ${id}`)).toEqual([
      'problem stdio.noise',
      'info stdio.stderr',
      'warning stdio.exit',
    ]);
    expect(findings[0]?.seen).toContain('Server started!');
    expect(exit).toBe(1);
  });

  it('recognizes a program that repeats its input', async () => {
    const program = 'process.stdin.pipe(process.stdout)';
    const target = { command: process.execPath, args: ['--eval', program] };
    const { findings, exit } = await runDoctor(target, 'echo', { timeout: 30_000 });
    const failed = findings.find(({ id }) => id === 'connection.failed');
    expect(failed).toMatchObject({ seen: expect.stringContaining('repeats its input'), fix: expect.any(String) });
    expect(exit).toBe(4);
  });
});
